#include "frontends/yaml/load_experiment.h"

#include <filesystem>

#include "frontends/yaml/describe_experiment.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/problems.h"
#include "frontends/yaml/reader.h"
#include "frontends/yaml/schema_writer.h"

namespace orrery {

void yaml::check_peak(Reader& root, const NpuSpec& npu) {
  const YamlNode* workload = root.find("workload");
  if (workload == nullptr || workload->find("model") == nullptr) return;
  if (npu.peak > FlopRate{}) return;
  const YamlNode* platform = root.find("platform");
  const YamlNode* device = platform->find("npu");
  root.wrong_at(device != nullptr ? device->key_place : platform->key_place, "platform.npu",
                "the key \"peak\" is missing",
                "the model needs it to time its layers: write for example {peak: 60 TFLOP/s} or "
                "{preset: v100}");
}

Experiment load_experiment(const std::string& path, const std::vector<Override>& overrides) {
  yaml::Problems problems;
  yaml::InputFiles files(problems);
  const std::optional<yaml::YamlNode> root = files.load(path, overrides);
  Experiment experiment;
  if (root) {
    experiment.name = std::filesystem::path(path).stem().string();
    yaml::Reader reader(problems, experiment.resolved, *root, root->place, "");
    yaml::describe_experiment(reader, experiment);
    reader.finish();
  }
  problems.throw_if_any();
  return experiment;
}

std::string experiment_schema() {
  yaml::SchemaWriter writer;
  Experiment defaults;
  yaml::describe_experiment(writer, defaults);
  yaml::SchemaWriter::Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                                     {"title", "Orrery experiment"}};
  schema.update(writer.schema());
  return schema.dump(2) + '\n';
}

}  // namespace orrery
