#include "frontends/yaml/load_traffic.h"

#include <filesystem>
#include <optional>

#include "frontends/yaml/describe_experiment.h"
#include "frontends/yaml/describe_traffic.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/problems.h"
#include "frontends/yaml/reader.h"

namespace orrery {

namespace {

// Flows of different NPUs meet on links: what `analytical` leaves out.
void choose_open_backend_of_traffic(Experiment& experiment) {
  if (experiment.network.backend_named) return;
  experiment.network.backend = "fluid";
  for (ResolvedValue& value : experiment.resolved)
    if (value.path == "network.backend") {
      value.value = experiment.network.backend;
      value.origin = "chosen";
    }
}

}  // namespace

TrafficExperiment load_traffic(const std::string& path, const std::vector<Override>& overrides) {
  yaml::Problems problems;
  InputTexts texts;
  yaml::InputFiles files(problems, texts);
  const std::optional<yaml::YamlNode> root = files.load(path, overrides);
  TrafficExperiment loaded;
  Experiment& experiment = loaded.experiment;
  const yaml::YamlNode* workload = root ? root->find("workload") : nullptr;
  if (workload != nullptr) {
    problems.add(workload->key_place, "workload", "flows are simulated without a job",
                 "leave it out, or leave out `traffic` and use `orrery run`");
  } else if (root) {
    experiment.name = std::filesystem::path(path).stem().string();
    yaml::Reader reader(problems, texts, experiment.resolved, *root, root->place, "");
    const PlatformFacts platform = yaml::describe_cluster(reader, experiment);
    reader.required_map("traffic", "flows on the fabric", [&](auto& section) {
      yaml::describe_traffic(section, loaded.traffic, experiment.topology, platform.known);
    });
    reader.finish();
  }
  problems.throw_if_any();
  choose_open_backend_of_traffic(experiment);
  return loaded;
}

}  // namespace orrery
