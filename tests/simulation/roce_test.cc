// Jobs over RoCE, in closed form.
#include <catch2/catch.hpp>

#include "simulation/simulate.h"
#include "tests/simulation/small_jobs.h"

namespace orrery {
namespace {

TEST_CASE("a ring all-reduce of 64 MB over RoCE takes its closed form") {
  // 8 ranks: 14 steps of 8 MB, 1,954 packets of up to 4,096 B with 82 B of headers each and 16 B
  // once. A rank's link also carries the acknowledgements of what it receives, 86 B a packet. Then
  // the path: 2 us, and the first packet on the first link. 14 x (8,328,288 B x 80 ps + 2.34 us) =
  // 9.36 ms. HPCC's packets and acknowledgements have 10 B of telemetry more, and it fills 95 % of
  // a link.
  for (const std::string control : {"none", "dcqcn", "hpcc", "timely", "swift", "dctcp"}) {
    Experiment experiment =
        with_program(without_latency({{"fabric", LevelKind::switched, 8, gigabits_per_second(100),
                                       microseconds(1), Scope::scale_out}}),
                     Duration{}, bytes(64'000'000));
    for (CollectiveSpec& collective : experiment.system.collectives)
      collective.algorithms = {"ring"};
    experiment.network.backend = "packet";
    experiment.network.transport.congestion_control = control;
    const RunResult result = simulate(experiment);
    const bool hpcc = control == "hpcc";
    const double step = (8'000'000 + 1'954 * (hpcc ? 92 + 96 : 82 + 86) + 16) / (hpcc ? 0.95 : 1);
    const double expected = 14 * (step * 80e-6 + 2 + 4'194 * 80e-6);
    CAPTURE(control);
    CHECK(static_cast<double>(result.finish.value) * 1e-6 == Approx(expected).epsilon(0.02));
    REQUIRE(result.packets);
    CHECK(result.packets->drops == 0);
    REQUIRE(result.packets->roce);
  }
}

TEST_CASE("pauses of a run are counted, by whom, longest first") {
  // 7 ranks send 8 MB each to rank 0, without control and window: 56 MB meet 4 MB of memory. Only
  // the links to the switch are paused, by the switch.
  Experiment experiment =
      without_latency({{"fabric", LevelKind::switched, 8, gigabits_per_second(100), microseconds(1),
                        Scope::scale_out}});
  ProgramSpec program;
  program.parts.emplace_back().steps.push_back({"incast",
                                                {0, -1,
                                                 CollectiveCall{.kind = Collective::gather,
                                                                .communicator = 0,
                                                                .size = bytes(64'000'000),
                                                                .update = {}}}});
  experiment.workload.what = std::move(program);
  for (CollectiveSpec& collective : experiment.system.collectives)
    collective.algorithms = {"direct"};
  experiment.network.backend = "packet";
  experiment.network.transport.congestion_control = "none";
  experiment.network.transport.roce.window.kind = PairWindow::Kind::none;
  experiment.network.switches.buffer = bytes(4'000'000);
  const RunResult result = simulate(experiment);
  REQUIRE(result.packets);
  REQUIRE(result.packets->roce);
  const PacketResult& packets = *result.packets;
  CHECK(packets.drops == 0);
  REQUIRE(packets.pauses.size() == 7);
  std::uint64_t count = 0;
  Duration time;
  for (const PauseRow& row : packets.pauses) {
    CHECK(row.by == "switch 8");
    CHECK(row.priority == 3);
    CHECK((&row == packets.pauses.data() || row.time <= (&row - 1)->time));
    count += row.count;
    time += row.time;
  }
  CHECK(packets.roce->pauses == count);
  CHECK(packets.roce->paused == time);
  // Each of the seven links may send a seventh of the time, and is paused for the rest, less what
  // the memory and the links take at first.
  const double share =
      static_cast<double>(time.value) / 7 / static_cast<double>(result.finish.value);
  CHECK(share == Approx(6.0 / 7).margin(0.08));
}

}  // namespace
}  // namespace orrery
