#include "frontends/yaml/load_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/config_error.h"
#include "core/units/unit_text.h"
#include "formats/yaml/problems.h"
#include "frontends/yaml/bundled_platforms.h"
#include "frontends/yaml/describe_efficiency.h"
#include "frontends/yaml/describe_experiment.h"
#include "frontends/yaml/describe_platform.h"
#include "frontends/yaml/describe_traffic.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/load_traffic.h"
#include "frontends/yaml/open_parallelism.h"
#include "frontends/yaml/reader.h"
#include "simulation/backend_choice.h"
#include "simulation/problems.h"

namespace orrery {

void yaml::check_device(Reader& root, const Experiment& experiment) {
  if (root.clean()) root.report(problems_of_use(experiment));
}

Experiment load_experiment(const std::string& path, const std::vector<Override>& overrides) {
  InputTexts texts;
  return load_experiment(path, overrides, texts);
}

namespace {

std::string name_of_file(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

Experiment read_experiment(yaml::InputFiles& files, yaml::Problems& problems,
                           const yaml::YamlNode& root, const std::string& path) {
  Experiment experiment;
  experiment.name = name_of_file(path);
  yaml::Reader reader(problems, files.texts(), experiment.resolved, root, root.place, "");
  yaml::describe_experiment(reader, experiment);
  reader.finish();
  experiment.npu.efficiency_in_force = files.efficiency();
  experiment.protocols_in_force = files.protocols();
  experiment.network_chosen = files.network_chosen();
  return experiment;
}

// Flows of different NPUs meet on links: what `analytical` leaves out.
void choose_open_values(TrafficExperiment& loaded) {
  const auto choose = [&](std::string_view key, const std::string& value) {
    for (ResolvedValue& resolved : loaded.experiment.resolved)
      if (resolved.path == key) {
        resolved.value = value;
        resolved.origin = "chosen";
      }
  };
  NetworkSpec& network = loaded.experiment.network;
  if (!network.backend_named) {
    network.backend = setting_of_packets(network).empty() ? "fluid" : "packet";
    choose("network.backend", network.backend);
  }
  mark_idle_settings(network, &loaded.experiment.topology);
  choose_open_recovery(loaded.experiment);
  FlowsSpec& flows = loaded.traffic.flows;
  const bool open_length = !flows.length, open_warm_up = !flows.warm_up;
  choose_open_times(loaded.traffic, Topology(loaded.experiment.topology));
  if (open_length) choose("traffic.flows.for", to_text(*flows.length));
  if (open_warm_up) choose("traffic.flows.warm_up", to_text(*flows.warm_up));
}

TrafficExperiment read_traffic(yaml::InputFiles& files, yaml::Problems& problems,
                               const yaml::YamlNode& root, const std::string& path) {
  TrafficExperiment loaded;
  Experiment& experiment = loaded.experiment;
  experiment.name = name_of_file(path);
  yaml::Reader reader(problems, files.texts(), experiment.resolved, root, root.place, "");
  const PlatformFacts platform = yaml::describe_cluster(reader, experiment);
  reader.required_map("traffic", "flows on the fabric", [&](yaml::Keys& section) {
    yaml::describe_traffic(section, loaded.traffic, experiment.topology, platform.known);
  });
  reader.finish();
  return loaded;
}

enum class Wanted : std::uint8_t { job, flows, either };

// Reports the one that is not wanted.
bool is_wanted(yaml::Problems& problems, const yaml::YamlNode& root, Wanted wanted) {
  const yaml::YamlNode* workload = root.find("workload");
  const yaml::YamlNode* traffic = root.find("traffic");
  if (workload != nullptr && traffic != nullptr)
    problems.add(traffic->key_place, "traffic", "the file has a workload, too",
                 "keep one of the two");
  else if (traffic != nullptr && wanted == Wanted::job)
    problems.add(traffic->key_place, "traffic", "the file has flows, and no workload to run",
                 "`orrery traffic FILE` simulates them");
  else if (workload != nullptr && wanted == Wanted::flows)
    problems.add(workload->key_place, "workload", "flows are simulated without a job",
                 "write `traffic:` instead, or use `orrery run`");
  else
    return true;
  return false;
}

LoadedFile load(const std::string& path, const std::vector<Override>& overrides, InputTexts& texts,
                Wanted wanted) {
  yaml::Problems problems;
  yaml::InputFiles files(problems, texts);
  std::optional<yaml::YamlNode> root = files.load(path, overrides);
  const yaml::Source chosen = yaml::chosen_source();
  LoadedFile loaded;
  if (root && is_wanted(problems, *root, wanted)) {
    if (wanted == Wanted::flows || root->find("traffic") != nullptr)
      loaded = read_traffic(files, problems, *root, path);
    else {
      const std::string parallelism = yaml::choose_open_parallelism(*root, texts, chosen);
      loaded = read_experiment(files, problems, *root, path);
      std::get<Experiment>(loaded).parallelism_chosen = parallelism;
    }
  }
  problems.throw_if_any();
  if (auto* experiment = std::get_if<Experiment>(&loaded))
    choose_open_backend(*experiment);
  else
    choose_open_values(std::get<TrafficExperiment>(loaded));
  return loaded;
}

}  // namespace

Experiment load_experiment(const std::string& path, const std::vector<Override>& overrides,
                           InputTexts& texts) {
  return std::get<Experiment>(load(path, overrides, texts, Wanted::job));
}

TrafficExperiment load_traffic(const std::string& path, const std::vector<Override>& overrides) {
  InputTexts texts;
  return std::get<TrafficExperiment>(load(path, overrides, texts, Wanted::flows));
}

LoadedFile load_job_or_flows(const std::string& path, const std::vector<Override>& overrides,
                             InputTexts& texts) {
  return load(path, overrides, texts, Wanted::either);
}

Experiment load_cluster(const std::string& platform, const std::vector<Override>& overrides,
                        std::optional<std::int32_t> ranks) {
  std::string path = platform;
  if (yaml::is_platform_name(platform) && !std::filesystem::is_regular_file(platform)) {
    const std::optional<std::string> bundled = yaml::find_bundled_platform(platform);
    if (!bundled) {
      throw ConfigError({.file = "--platform " + platform,
                         .what = "there is neither a file nor a bundled platform of that name",
                         .remedy = yaml::suggest_platform(platform)});
    }
    path = *bundled;
  }
  yaml::Problems problems;
  InputTexts texts;
  yaml::InputFiles files(problems, texts);
  std::optional<yaml::YamlNode> root = files.load(path, overrides);
  Experiment experiment;
  if (root) {
    for (const char* use : {"workload", "traffic"}) yaml::taken(*root, use);
    experiment.name = name_of_file(path);
    yaml::Reader reader(problems, texts, experiment.resolved, *root, root->place, "");
    yaml::describe_cluster(reader, experiment, ranks);
    reader.finish();
    experiment.protocols_in_force = files.protocols();
    experiment.network_chosen = files.network_chosen();
  }
  problems.throw_if_any();
  return experiment;
}

std::string describe_efficiency(const std::string& file) {
  yaml::Problems problems;
  InputTexts texts;
  yaml::InputFiles files(problems, texts);
  std::string description;
  if (const std::optional<yaml::YamlNode> root = files.read(file, "")) {
    std::vector<ResolvedValue> resolved;
    EfficiencySpec efficiency;
    yaml::Reader reader(problems, texts, resolved, *root, root->place, "");
    yaml::describe_efficiency(reader, efficiency, description);
    reader.finish();
  }
  problems.throw_if_any();
  return description;
}

}  // namespace orrery
