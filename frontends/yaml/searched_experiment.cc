#include "frontends/yaml/searched_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "frontends/yaml/describe_experiment.h"
#include "frontends/yaml/describe_search.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/problems.h"
#include "frontends/yaml/write_yaml.h"

namespace orrery {

namespace yaml {

// The tree, and what its nodes point into.
struct SearchedFile {
  Problems problems;
  InputTexts texts;
  InputFiles files{problems, texts};
  YamlNode root;
  YamlNode training;  // without the keys that a choice sets
  PlatformFacts platform;
  Source chosen{"search", false, {}};
  bool writes_sequence_parallel = false;
};

namespace {

constexpr std::array<std::string_view, 10> chosen_keys{
    "tensor", "pipeline", "data",     "context",   "expert",
    "chunks", "schedule", "sharding", "recompute", "micro_batch"};

void add(YamlNode& map, const Source& source, std::string_view key, std::string value) {
  YamlNode& child = map.children.emplace_back();
  child.kind = NodeKind::scalar;
  child.key = key;
  child.text = std::move(value);
  child.place = child.key_place = {&source, 0, 0};
}

// workload.training with that choice.
YamlNode training_node(const SearchedFile& file, const TransformerSpec& model,
                       const ParallelChoice& choice) {
  YamlNode node = file.training;
  const auto set = [&](std::string_view key, std::string value) {
    add(node, file.chosen, key, std::move(value));
  };
  set("tensor", std::to_string(choice.tensor));
  set("pipeline", std::to_string(choice.pipeline));
  if (choice.context > 1) set("context", std::to_string(choice.context));
  if (model.experts.count > 0) set("expert", std::to_string(choice.expert));
  set("micro_batch", std::to_string(choice.micro_batch));
  set("schedule", std::string(name_of(choice.schedule)));
  if (choice.schedule == PipelineSchedule::interleaved)
    set("chunks", std::to_string(choice.chunks));
  set("sharding", std::string(name_of(choice.sharding)));
  set("recompute", std::string(name_of(choice.recompute)));
  if (choice.tensor == 1)
    std::erase_if(node.children, [](const auto& key) { return key.key == "sequence_parallel"; });
  else if (!file.writes_sequence_parallel)
    set("sequence_parallel", "true");
  return node;
}

void describe_searched_training(Reader& workload, SearchedFile& file, ParallelChoice& written) {
  constexpr Limits above_zero = between(1, std::int64_t{1} << 32);
  file.training.kind = NodeKind::map;
  workload.free_form("training", [&](const YamlNode& node) { file.training = node; });
  if (file.training.kind != NodeKind::map)
    return workload.wrong("training", fmt::format("this is {}", name_of(file.training.kind)),
                          "write a map: {global_batch: 1536}");
  Problems unknown;  // these keys are read again with each choice
  std::vector<ResolvedValue> unused;
  Reader keys(unknown, file.texts, unused, file.training, file.training.place, "workload.training");
  keys.optional("context", written.context, "", above_zero);
  keys.optional("schedule", written.schedule, "");
  keys.optional("chunks", written.chunks, "", above_zero);
  if (!keys.given("global_batch"))
    workload.wrong("training", "the key \"global_batch\" is missing",
                   "say how many samples an iteration has");
  file.writes_sequence_parallel = keys.given("sequence_parallel");
  std::erase_if(file.training.children, [](const YamlNode& child) {
    return std::ranges::find(chosen_keys, child.key) != chosen_keys.end();
  });
}

}  // namespace

}  // namespace yaml

SearchedExperiment::SearchedExperiment(const std::string& file,
                                       const std::vector<Override>& overrides)
    : file_(std::make_unique<yaml::SearchedFile>()) {
  read(file, overrides);
}

SearchedExperiment::~SearchedExperiment() = default;

void SearchedExperiment::read(const std::string& file, const std::vector<Override>& overrides) {
  yaml::SearchedFile& own = *file_;
  std::optional<yaml::YamlNode> root = own.files.load(file, overrides);
  own.problems.throw_if_any();
  own.root = std::move(*root);
  const yaml::YamlNode* workload = own.root.find("workload");
  if (workload != nullptr && workload->find("transformer") == nullptr)
    throw ConfigError({.file = file,
                       .what = "the workload is no transformer",
                       .remedy = "only transformers have parallel configurations to choose from"});
  experiment_.name = std::filesystem::path(file).stem().string();
  auto& transformer = experiment_.workload.what.emplace<TransformerWorkload>();
  yaml::Reader reader(own.problems, own.texts, experiment_.resolved, own.root, own.root.place, "");
  own.platform = yaml::describe_cluster(reader, experiment_);
  reader.required_section("workload", "what the NPUs do", [&](yaml::Reader& below) {
    below.section("transformer", "", [&](yaml::Reader& model) {
      yaml::describe_transformer(model, transformer.model);
    });
    below.optional("iterations", experiment_.workload.iterations, "", yaml::positive);
    yaml::describe_searched_training(below, own, written_);
  });
  reader.optional_map("search", "",
                      [&](yaml::Reader& below) { yaml::describe_search(below, spec_); });
  if (own.platform.known) yaml::check_peak(reader, experiment_.npu);
  reader.finish();
  own.problems.throw_if_any();
  if (spec_.context.empty()) spec_.context = {written_.context};
  npus_ = own.platform.npus;
  node_ranks_ = yaml::node_size(own.platform);
}

std::variant<TransformerTraining, Diagnostic> SearchedExperiment::training(
    const ParallelChoice& choice) const {
  yaml::Problems problems;
  InputTexts texts;  // own ones: threads estimate variants at the same time
  std::vector<ResolvedValue> unused;
  const yaml::YamlNode node = yaml::training_node(*file_, model(), choice);
  yaml::Reader reader(problems, texts, unused, node, node.place, "workload.training");
  TransformerTraining training;
  yaml::describe_training(reader, training, model(), file_->platform);
  reader.finish();
  if (const Diagnostic* wrong = problems.first()) return *wrong;
  return training;
}

std::string SearchedExperiment::text(const ParallelChoice& choice, std::int32_t data,
                                     const std::string& head) const {
  yaml::YamlNode root = file_->root;
  std::erase_if(root.children, [](const auto& child) { return child.key == "search"; });
  yaml::YamlNode* workload = root.find("workload");
  yaml::YamlNode training = yaml::training_node(*file_, model(), choice);
  yaml::add(training, file_->chosen, "data", std::to_string(data));
  training.key = "training";
  if (yaml::YamlNode* written = workload->find("training"))
    *written = std::move(training);
  else
    workload->children.push_back(std::move(training));
  return head + yaml_text(root);
}

}  // namespace orrery
