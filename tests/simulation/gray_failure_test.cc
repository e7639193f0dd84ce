// One uplink that silently loses packets, under transports that send again, and under one that need
// not (examples/gray-failure).
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

RunResult with_loss(const std::string& transport, const std::string& loss,
                    const std::vector<Override>& others = {}) {
  std::vector<Override> overrides{{"network.switch.lossy_links.0.loss=" + loss}};
  overrides.insert(overrides.end(), others.begin(), others.end());
  return simulate(load_experiment(source_folder() + "/examples/gray-failure/" + transport + ".yaml",
                                  overrides));
}

// With another seed the hash takes the ring's flow out of leaf 0 over another spine. On the links
// that it does not take, acknowledgements may be lost, and nothing is sent again.
RunResult go_back_n_over_the_link(int seed) {
  for (int spine = 0; spine < 4; ++spine) {
    RunResult result =
        with_loss("go-back-n", "0.1 %",
                  {{"seed=" + std::to_string(seed)},
                   {"network.switch.lossy_links.0.link=leaf0 -> spine" + std::to_string(spine)}});
    if (result.packets->retransmissions > 0) return result;
  }
  FAIL("no link carries the flow");
  return {};
}

// The idle round trip of a full packet over four links of 1 us and 100 Gb/s, store and forward:
// 4 (1 us + 4,178 x 80 ps) + 4 (1 us + 86 x 80 ps) = 9.364 us, in which 28.0 packets of 334.24 ns
// leave. A loss is noticed when the packet after it arrives, and its refusal comes back a round
// trip after it left: go-back-N sends all of these again, 28 a loss, and is late by as much. Its
// rate is (1-p)/(1-p+pW) with W = 28, and p what was drawn. 15 % are for refusals
// that are lost.
TEST_CASE("go-back-N pays a round trip of packets for each loss") {
  const auto none = with_loss("go-back-n", "0 %");
  CHECK(none.packets->retransmissions == 0);
  for (int seed = 1; seed <= 3; ++seed) {
    const auto lossy = go_back_n_over_the_link(seed);
    const auto gaps = static_cast<double>(lossy.packets->roce->refusals);
    const auto again = static_cast<double>(lossy.packets->retransmissions);
    const auto later = static_cast<double>((lossy.finish - none.finish).value);
    CHECK(gaps >= 10);
    CHECK(again == Approx(28 * gaps).epsilon(0.15));
    CHECK(later == Approx(again * 334'240).epsilon(0.15));
  }
}

// What is missing alone is sent again, or is not needed.
TEST_CASE("transports that need no order lose less than 2 % by a gray failure") {
  for (const std::string transport : {"selective", "ndp", "uet", "mlt"}) {
    INFO(transport);
    const auto none = with_loss(transport, "0 %");
    const auto lossy = with_loss(transport, "0.1 %");
    CHECK(none.packets->drops == 0);
    CHECK(lossy.packets->drops > 0);
    CHECK(lossy.finish.value <= none.finish.value + none.finish.value / 50);
    CHECK(lossy.packets->retransmissions <= lossy.packets->drops);
  }
  // MLT delivers at least nine tenths.
  const auto bounded = with_loss("mlt", "1 %");
  CHECK(bounded.packets->undelivered->share <= 0.1);
}

}  // namespace
}  // namespace orrery
