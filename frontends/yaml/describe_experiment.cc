#include "frontends/yaml/describe_experiment.h"

#include <string_view>

#include "frontends/yaml/describe_network.h"
#include "frontends/yaml/describe_platform.h"
#include "frontends/yaml/describe_search.h"
#include "frontends/yaml/describe_system.h"
#include "frontends/yaml/describe_traffic.h"
#include "frontends/yaml/describe_workload.h"
#include "frontends/yaml/reader.h"

namespace orrery::yaml {

PlatformFacts describe_cluster(Keys& keys, Experiment& experiment,
                               std::optional<std::int32_t> ranks) {
  keys.optional("name", experiment.name, "what reports call the experiment");
  keys.optional("description", experiment.description, "a sentence for `orrery list platforms`");
  keys.optional("seed", experiment.seed, "seed of all random choices");
  keys.optional("ties", experiment.ties,
                "which of the events of one picosecond goes first: call, the one that was "
                "scheduled first; seed, one that is drawn");
  experiment.network.seed = experiment.seed;
  PlatformFacts platform;
  keys.required_section("platform", "the NPUs and the network between them", [&](Keys& section) {
    describe_platform(section, experiment);
    section.check([&](Reader& reader) {
      if (reader.clean() && ranks)
        reader.report(keep_ranks(experiment.topology, *ranks, "--ranks"));
      if (!reader.clean()) return;
      platform = facts_of(experiment.topology);
      SpecProblems problems;
      add_below(problems, "npu", problems_of(experiment.npu.variation, platform.npus));
      reader.report(problems);
    });
  });
  keys.section("system", "how collectives are scheduled and carried out", [&](Keys& section) {
    describe_system(section, experiment.system, experiment.topology, platform.known);
  });
  keys.section("network", "which model of the network carries the messages", [&](Keys& section) {
    describe_network(section, experiment.network, experiment.topology, platform.known);
  });
  return platform;
}

void describe_experiment(Keys& keys, Experiment& experiment) {
  const PlatformFacts platform = describe_cluster(keys, experiment);
  keys.required_section("workload", "what the NPUs do", [&](Keys& section) {
    describe_workload(section, experiment.workload, platform);
  });
  SearchSpec of_search;  // another command's
  keys.optional_map("search", "which parallel configurations `orrery search` looks at",
                    [&](Keys& below) { describe_search(below, of_search); });
  TrafficSpec traffic;  // likewise
  keys.optional_map(
      "traffic", "flows on the fabric without a job, for `orrery traffic`",
      [&](Keys& below) { describe_traffic(below, traffic, experiment.topology, platform.known); });
  keys.check([&](Reader& root) {
    if (platform.known) check_device(root, experiment);
  });
}

}  // namespace orrery::yaml
