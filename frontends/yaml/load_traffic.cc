#include "frontends/yaml/load_traffic.h"

#include <algorithm>
#include <filesystem>

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
  std::optional<yaml::YamlNode> root = files.load(path, overrides);
  TrafficExperiment loaded;
  Experiment& experiment = loaded.experiment;
  if (root) {
    std::erase_if(root->children, [](const auto& child) {
      return child.key == "workload" || child.key == "search";
    });
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
