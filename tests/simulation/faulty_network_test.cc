// Faults and the life of a whole job: what is reported of one that they end, and that none ends a
// job that no longer needs what fails.
#include <catch2/catch.hpp>

#include <algorithm>

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
    CHECK(late.finish < milliseconds(10));
    // No link is used more than all the time, where the fabric is modelled: what TCP still has to
    // acknowledge does not count.
    if (backend.name == "analytical") continue;
    for (const LinkRow& link : late.links) CHECK(link.utilisation <= 1.0);
  }
}

}  // namespace
}  // namespace orrery
