// `custom:` below a kind of collective, on the experiment of examples/custom-collective.
#include <catch2/catch.hpp>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/paths.h"

namespace orrery {
namespace {

const std::string folder = source_folder() + "/examples/custom-collective/";

Experiment load(const std::vector<Override>& overrides = {}) {
  return load_experiment(folder + "custom.yaml", overrides);
}

std::string refusal_of_algorithm(const std::vector<Override>& overrides) {
  try {
    load(overrides);
  } catch (const ConfigError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    return error.diagnostics()[0].path + ": " + error.diagnostics()[0].what;
  }
  return "";
}

const std::vector<NamedAlgorithm>& algorithms(const Experiment& experiment, Collective kind) {
  return experiment.system.collectives[static_cast<std::size_t>(kind)].algorithms;
}

TEST_CASE("a custom algorithm stands for its kind of collective only") {
  const Experiment e = load();
  CHECK(algorithms(e, Collective::all_reduce) == std::vector<NamedAlgorithm>{"all-pairs.xml"});
  CHECK(algorithms(e, Collective::all_reduce)[0].supports(Collective::all_reduce, 8));
  CHECK(is_automatic(algorithms(e, Collective::all_gather)));
  for (const ResolvedValue& value : e.resolved) {
    CHECK(value.path != "system.all_gather.custom");  // what is not there is not explained
    if (value.path == "system.all_reduce.custom") CHECK(value.value == "all-pairs.xml");
  }
}

TEST_CASE("the command line goes before the file, whichever of the two it names") {
  CHECK(
      algorithms(load({{"system.all_reduce.algorithms=direct"}}), Collective::all_reduce)[0].name ==
      "direct");
  const std::string ring = "system.all_reduce.custom=" + folder + "ring.xml";
  CHECK(algorithms(load({{ring}}), Collective::all_reduce)[0].name == folder + "ring.xml");
}

TEST_CASE("what cannot be the custom algorithm is refused") {
  const std::string key = "system.all_reduce.custom";
  CHECK(refusal_of_algorithm({{key + "=ring"}}) ==
        key + ": \"ring\" is neither XML nor a Chakra trace");
  CHECK(refusal_of_algorithm({{key + "=ring.et"}}) ==
        key + ": the messages of a graph have sizes of their own");
  CHECK(refusal_of_algorithm(
            {{key + "=" + folder + "ring.xml"}, {"system.all_reduce.algorithms=ring"}}) ==
        key + ": \"custom\" and \"algorithms\" exclude each other");
  CHECK(refusal_of_algorithm({{"system.all_gather.custom=" + folder + "ring.xml"}})
            .find("all_reduce of 8") != std::string::npos);
  CHECK(refusal_of_algorithm({{"platform.topology.levels.0.size=4"}})
            .find("and this is the all_reduce of 4") != std::string::npos);
  CHECK(refusal_of_algorithm({{key + "=" + folder + "broken.xml"}}) ==
        ": this does not do all_reduce: rank 0 ends with piece 0, which lacks the contribution of "
        "rank 7, in chunk 0 of its output buffer");
  CHECK(refusal_of_algorithm({{"system.all_reduce.custom_size=0B"}}) ==
        "system.all_reduce.custom_size: \"0B\" is out of range");
}

// Over nodes of 2 and of 4: eight ranks again, which only the flat schedule takes at once.
TEST_CASE("on several levels a custom algorithm needs the flat schedule") {
  const Override levels{
      "platform.topology.levels=[{kind: switch, size: 2, bandwidth: 100 GB/s, latency: 1 us}, "
      "{kind: switch, size: 4, bandwidth: 25 GB/s, latency: 1 us}]"};
  CHECK(refusal_of_algorithm({levels}).find("which the schedule baseline takes one by one") !=
        std::string::npos);
  const Experiment flat = load({levels, {"system.all_reduce.schedule=flat"}});
  CHECK(algorithms(flat, Collective::all_reduce) == std::vector<NamedAlgorithm>{"all-pairs.xml"});
  const RunResult result = simulate(flat);
  CHECK_FALSE(result.partial);
  CHECK(result.finish > Duration{});
}

}  // namespace
}  // namespace orrery
