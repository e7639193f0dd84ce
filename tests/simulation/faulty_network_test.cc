// Faults and the life of a whole job: what is reported of one that they end, and that none ends a
// job that no longer needs what fails.
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <tuple>
#include <utility>

#include "frontends/yaml/load_experiment.h"
#include "network/backends.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

const std::string kHealthy = source_folder() + "/examples/failing-switch/healthy.yaml";

Experiment experiment_on(std::string_view backend, const std::string& faults) {
  return load_experiment(kHealthy, {{"network.backend=" + std::string(backend)},
                                    {"workload.program[0].operations[0].all_reduce=1 MB"},
                                    {"network.faults=" + faults}});
}

// Nobody leaves leaf 0 any more from 20 us on, when the all-reduce (1 MB at 12.5 GB/s: 150 us at
// the least) is under way. What was computed and waited for until then is kept.
TEST_CASE("a job that a fault cuts off leaves what it reached") {
  for (const BackendEntry& backend : builtin_backends()) {
    INFO(backend.name);
    const Experiment experiment =
        experiment_on(backend.name, "[{at: 20 us, node: leaf0, state: down}]");
    try {
      simulate(experiment);
      FAIL("it has a way");
    } catch (const StuckError& error) {
      CHECK_THAT(error.what(), Catch::Contains("there is no path from npu"));
      CHECK(error.partial.partial);
      CHECK(error.partial.partial_reason == "network");
      CHECK(error.partial.finish >= microseconds(20));
      CHECK(error.partial.messages > 0);
      for (const RankRow& rank : error.partial.ranks)
        CHECK(rank.compute + rank.exposed + rank.idle == rank.finish);
      for (const LinkRow& link : error.partial.links) CHECK(link.utilisation <= 1.0);
    }
  }
}

// A switch fails a second after all is over.
TEST_CASE("what happens after the job is no part of it") {
  for (const BackendEntry& backend : builtin_backends()) {
    INFO(backend.name);
    const RunResult quiet =
        simulate(experiment_on(backend.name, "[{at: 0 s, node: leaf0, state: up}]"));
    const RunResult late =
        simulate(experiment_on(backend.name, "[{at: 1 s, node: leaf0, state: down}]"));
    CHECK(late.fingerprint == quiet.fingerprint);
    const auto told = [](const std::string& notice) {
      return notice.starts_with("network.faults: what begins at 1 s changes nothing");
    };
    CHECK(std::ranges::count_if(late.notices, told) == 1);
    CHECK(std::ranges::count_if(quiet.notices, told) == 0);
    CHECK(late.finish < milliseconds(10));
    // No link is used more than all the time, where the fabric is modelled: what TCP still has to
    // acknowledge does not count.
    if (backend.name == "analytical") continue;
    for (const LinkRow& link : late.links) CHECK(link.utilisation <= 1.0);
  }
}

// Four NPUs of a fat tree of radix 4 are one pod: 2 leaves, 2 spines with 2 ports up each, and 4
// cores that only one spine is joined to. Eight are two pods, which meet there. At 1:1 nobody
// cares. At 3:1 below the cores a spine has one port up, to a core of its own; a taper at the
// leaves counts in a pod, too: a leaf has one port up, to the only spine, which has 2.
TEST_CASE("a tier that no message reaches is told where a taper was written") {
  const std::string file = build_folder() + "/one_pod_test.yaml";
  const auto said = [&](const std::string& nodes, const std::string& oversubscription) {
    std::ofstream(file) << "platform: {topology: {fat_tree: {radix: 4, bandwidth: 1 GB/s, nodes: "
                        << nodes << oversubscription << "}}}\nworkload: {all_reduce: 1 MB}\n";
    std::string text;
    for (const std::string& notice : simulate(load_experiment(file, {})).notices)
      if (notice.find("joined to one other only") != std::string::npos) text = notice;
    return text;
  };
  using Catch::Matchers::EndsWith;
  CHECK(said("4", "") == "");
  CHECK_THAT(said("4", ", oversubscription: 3:1"), EndsWith("no message passes there"));
  CHECK_THAT(said("4", ", oversubscription: [1, 3]"),
             EndsWith("no message passes there, and the oversubscription of 3:1 below does not "
                      "count"));
  CHECK(said("16", ", oversubscription: [1, 3]") == "");
}

// 10 MB over links of 100 Gb/s, of which that of NPU 0 carries 10 Gb/s: 8 ms, in which it is always
// busy, and the other link a tenth of the time. When it slows down after 0.4 ms, 5 MB are gone, and
// the rest takes 4 ms: all of 4.4 ms. The wait is for that link, which has no more of its own to
// carry than others. The lower bound is that of 10 Gb/s where it has no more from the beginning,
// and else that of 100, which it had: 0.8 ms.
TEST_CASE("a link that is degraded is busy by what it carries then") {
  const std::string file = build_folder() + "/degraded_link_test.yaml";
  std::ofstream(file) << R"(platform: {levels: [{size: 2, bandwidth: 100 Gb/s, latency: 1 us}]}
system: {injection_latency: 0 s}
workload:
  program:
    - {ranks: 0, operations: [{send: 10 MB, to: 1}]}
    - {ranks: 1, operations: [{receive: 10 MB, from: 0}]}
)";
  for (const auto& [at, all, bound] :
       {std::tuple("0 s", 8.0, milliseconds(8)), std::tuple("0.4 ms", 4.4, microseconds(800))}) {
    const std::string faults = std::string("network.faults=[{at: ") + at +
                               ", link: npu 0 -> switch 2, state: degraded, bandwidth: 10 Gb/s}]";
    const RunResult result = simulate(load_experiment(file, {{"network.backend=fluid"}, {faults}}));
    CHECK(static_cast<double>(result.finish.value) * 1e-9 == Approx(all).margin(0.01));
    REQUIRE(result.links.size() == 2);
    CHECK(result.links[0].name() == "npu 0 -> switch 2");
    CHECK(result.links[0].utilisation == Approx(1).margin(0.01));
    CHECK(result.links[1].utilisation == Approx(0.8 / all).margin(0.01));
    CHECK(result.bound == bound);
    REQUIRE(!result.why.empty());
    CHECK(result.why[0].bound_by == BoundBy::bandwidth);
    CHECK(result.why[0].held_by == "npu 0 -> switch 2");
  }
}

}  // namespace
}  // namespace orrery
