#include "frontends/yaml/searched_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/config_error.h"
#include "formats/yaml/problems.h"
#include "formats/yaml/write_yaml.h"
#include "frontends/yaml/describe_experiment.h"
#include "frontends/yaml/describe_search.h"
#include "frontends/yaml/describe_training.h"
#include "frontends/yaml/describe_transformer.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/open_parallelism.h"
#include "frontends/yaml/reader.h"
#include "frontends/yaml/scalar_types.h"
#include "simulation/backend_choice.h"
#include "simulation/search/chosen_parallelism.h"
#include "workload/assumed_batch.h"

namespace orrery {

namespace yaml {

// The tree, and what its nodes point into.
struct SearchedFile {
  SearchedFile() : texts(own_texts) {}
  explicit SearchedFile(InputTexts& shared) : texts(shared) {}

  Problems problems;
  InputTexts own_texts;
  InputTexts& texts;
  InputFiles files{problems, texts};
  YamlNode root;
  YamlNode training;  // without the keys that a choice sets
  Source chosen{"search", false, {}};
  Experiment experiment;
  PlatformFacts platform;
  std::vector<std::string> given;  // the keys of `training`
  SearchSpec spec;
  ParallelChoice written;
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
YamlNode training_node(const SearchedFile& file, const TrainingVariants& variants,
                       const ParallelChoice& choice) {
  const auto meant = std::get<TransformerTraining>(variants.training(choice));
  YamlNode node = file.training;
  const auto set = [&](std::string_view key, std::string value) {
    add(node, file.chosen, key, std::move(value));
  };
  set("tensor", std::to_string(choice.tensor));
  set("pipeline", std::to_string(choice.pipeline));
  if (choice.context > 1) set("context", std::to_string(choice.context));
  if (meant.context_method != ContextMethod::ring && node.find("context_method") == nullptr)
    set("context_method", std::string(name_of(meant.context_method)));
  if (variants.model().experts.count > 0) set("expert", std::to_string(choice.expert));
  set("micro_batch", std::to_string(choice.micro_batch));
  set("schedule", std::string(name_of(choice.schedule)));
  if (choice.schedule == PipelineSchedule::interleaved)
    set("chunks", std::to_string(choice.chunks));
  set("sharding", std::string(name_of(choice.sharding)));
  set("recompute", std::string(name_of(choice.recompute)));
  if (choice.recompute_layers > 0) set("recompute_layers", std::to_string(choice.recompute_layers));
  if (choice.overlap_tensor) set("overlap_tensor", "true");
  if (choice.overlap_experts) set("overlap_experts", "true");
  std::erase_if(node.children, [&](const auto& key) { return means_nothing(key.key, meant); });
  if (choice.tensor == 1)
    std::erase_if(node.children, [](const auto& key) { return key.key == "sequence_parallel"; });
  else if (node.find("sequence_parallel") == nullptr)
    set("sequence_parallel", "true");
  return node;
}

// The keys that a choice sets say only where a search begins, so they need not suit the platform.
void describe_searched_training(Reader& workload, SearchedFile& file,
                                const PlatformFacts& platform) {
  constexpr Limits above_zero = between(1, std::int64_t{1} << 32);
  file.training.kind = NodeKind::map;
  workload.free_form("training", [&](const YamlNode& node) { file.training = node; });
  if (file.training.kind != NodeKind::map)
    return workload.wrong("training", fmt::format("this is {}", name_of(file.training.kind)),
                          "write a map: {global_batch: 1536}");
  Problems unknown;  // these are keys of the other reader too
  std::vector<ResolvedValue> unused;
  Reader chosen(unknown, file.texts, unused, file.training, file.training.place,
                "workload.training");
  chosen.optional("context", file.written.context, "", above_zero);
  chosen.optional("schedule", file.written.schedule, "");
  chosen.optional("chunks", file.written.chunks, "", above_zero);
  chosen.optional("micro_batch", file.written.micro_batch, "", above_zero);
  chosen.optional("recompute", file.written.recompute, "");
  std::erase_if(file.training.children, [](const YamlNode& child) {
    return std::ranges::find(chosen_keys, child.key) != chosen_keys.end();
  });
  for (const YamlNode& child : file.training.children) file.given.push_back(child.key);
  auto& transformer = std::get<TransformerWorkload>(file.experiment.workload.what);
  Reader keys(file.problems, file.texts, unused, file.training, file.training.place,
              "workload.training");
  describe_unchecked_training(keys, transformer.training, transformer.model, platform);
  keys.finish();
}

// Everything but `root`, from it.
void read_searched_root(SearchedFile& file) {
  Experiment& experiment = file.experiment;
  TransformerSpec& model = experiment.workload.what.emplace<TransformerWorkload>().model;
  Reader reader(file.problems, file.texts, experiment.resolved, file.root, file.root.place, "");
  const PlatformFacts platform = file.platform = describe_cluster(reader, experiment);
  reader.required_section("workload", "what the NPUs do", [&](Keys& below) {
    below.section("transformer", "", [&](Keys& keys) { describe_transformer(keys, model); });
    below.optional("iterations", experiment.workload.iterations, "", positive);
    below.optional("skew", experiment.workload.skew, "", not_negative);
    below.check([&](Reader& training) { describe_searched_training(training, file, platform); });
  });
  reader.optional_map("search", "", [&](Keys& below) { describe_search(below, file.spec); });
  if (platform.known) check_device(reader, experiment);
  reader.finish();
}

// A whole number that is written there, else 1.
std::int64_t number_at(const YamlNode& map, std::string_view key) {
  const YamlNode* node = map.find(key);
  std::int64_t number = 1;
  if (node != nullptr)
    std::from_chars(node->text.data(), node->text.data() + node->text.size(), number);
  return std::max<std::int64_t>(number, 1);
}

// Keys of workload.training that say how the model is divided among the NPUs.
constexpr std::array<std::string_view, 8> dividing_keys{
    "tensor", "pipeline", "data", "context", "expert", "chunks", "schedule", "sharding"};

bool divides(const YamlNode& training) {
  return std::ranges::any_of(dividing_keys,
                             [&](std::string_view key) { return training.find(key) != nullptr; });
}

// The batch of a `training` that does not say it.
std::int64_t batch_for(const SearchedFile& file, const YamlNode& training) {
  const TransformerSpec& model = std::get<TransformerWorkload>(file.experiment.workload.what).model;
  const std::int64_t ranks = file.platform.npus;
  if (!divides(training))
    return assumed_batch(model.sequence, ranks, number_at(training, "micro_batch"));
  const std::int64_t pipeline = number_at(training, "pipeline");
  const std::int64_t others =
      pipeline * number_at(training, "tensor") * number_at(training, "context");
  const std::int64_t data = training.find("data") != nullptr
                                ? number_at(training, "data")
                                : std::max<std::int64_t>(1, ranks / others);
  const std::int64_t micro_batch = number_at(training, "micro_batch");
  return assumed_batch(model.sequence, ranks,
                       {.data = data, .micro_batch = micro_batch, .pipeline = pipeline});
}

struct AssumedBatch {
  std::string text;        // "" = nothing was assumed
  std::int32_t ranks = 0;  // that nothing divides the model among; 0 if something does
};

// The training of a workload whose transformer does without a batch; added if there is none. Null
// of all others.
YamlNode* training_without_batch(YamlNode& workload) {
  if (workload.find("transformer") == nullptr) return nullptr;
  if (workload.find("training") == nullptr) {
    YamlNode& added = workload.children.emplace_back();
    added.kind = NodeKind::map;
    added.key = "training";
    added.place = added.key_place = workload.key_place;
  }
  YamlNode& training = *workload.find("training");
  if (training.kind == NodeKind::null) training.kind = NodeKind::map;
  const bool without = training.kind == NodeKind::map && training.find("global_batch") == nullptr;
  return without ? &training : nullptr;
}

// Adds workload.training.global_batch where a transformer does without, and says so. Nothing is
// added to a file with mistakes.
AssumedBatch assume_batch(YamlNode& root, InputTexts& texts, const Source& chosen) {
  YamlNode* workload = root.find("workload");
  YamlNode* training = workload != nullptr ? training_without_batch(*workload) : nullptr;
  if (training == nullptr) return {};
  SearchedFile file(texts);
  file.root = root;
  add(*file.root.find("workload")->find("training"), chosen, "global_batch", "1");
  read_searched_root(file);
  if (file.problems.count() > 0) return {};
  const std::string batch = std::to_string(batch_for(file, *training));
  add(*training, chosen, "global_batch", batch);
  return {.text = fmt::format("batch {} ASSUMED", batch),
          .ranks = divides(*training) ? 0 : file.platform.npus};
}

// NPUs of a server of the platform; 0 if that is not to be read.
std::int32_t server_size(const YamlNode& root, InputTexts& texts) {
  SearchedFile file(texts);
  file.root = root;
  read_searched_root(file);
  return file.platform.known ? npus_of_server(file.platform) : 0;
}

// How many NPUs a job names, by `npus` or by `nodes` of that size; 0 if that is not to be read.
std::int32_t npus_of(const YamlNode& job, std::int32_t node) {
  constexpr std::int64_t most = 1 << 24;
  if (job.find("nodes") != nullptr)
    return static_cast<std::int32_t>(std::min(number_at(job, "nodes"), most / std::max(node, 1)) *
                                     node);
  const YamlNode* npus = job.find("npus");
  std::int32_t count = 0;
  const auto add_runs = [&](const YamlNode& item) {
    const auto runs = ScalarType<RankRuns>::parse(item.text);
    if (const auto* known = std::get_if<RankRuns>(&runs))
      for (const auto& [first, last] : known->runs) count += last - first + 1;
  };
  if (npus == nullptr) return 0;
  if (npus->kind == NodeKind::scalar) add_runs(*npus);
  for (const YamlNode& item : npus->children) add_runs(item);
  return count;
}

std::string joined(const std::string& text, const std::string& more) {
  return text.empty() || more.empty() ? text + more : text + "; " + more;
}

// "sequence 8192 ASSUMED" of a workload whose transformer is a config.json without a sequence.
std::string assumed_sequence(const YamlNode* workload) {
  const YamlNode* sequence = child_of(child_of(workload, "transformer"), "sequence");
  const bool assumed = sequence != nullptr && sequence->place.source->is_chosen;
  return assumed ? fmt::format("sequence {} ASSUMED", sequence->text) : "";
}

std::unique_ptr<SearchedFile> read_searched_file(const std::string& path,
                                                 const std::vector<Override>& overrides) {
  auto file = std::make_unique<SearchedFile>();
  std::optional<YamlNode> root = file->files.load(path, overrides);
  file->problems.throw_if_any();
  file->root = std::move(*root);
  const AssumedBatch batch = assume_batch(file->root, file->texts, file->chosen);
  const YamlNode* workload = file->root.find("workload");
  if (workload != nullptr && workload->find("transformer") == nullptr)
    throw ConfigError({.file = path,
                       .what = "the workload is no transformer",
                       .remedy = "only transformers have parallel configurations to choose from"});
  Experiment& experiment = file->experiment;
  experiment.name = std::filesystem::path(path).stem().string();
  read_searched_root(*file);
  experiment.npu.efficiency_in_force = file->files.efficiency();
  experiment.protocols_in_force = file->files.protocols();
  experiment.network_chosen = file->files.network_chosen();
  experiment.parallelism_chosen = joined(batch.text, assumed_sequence(workload));
  file->problems.throw_if_any();
  choose_open_backend(experiment);
  const bool says_context = child_of(child_of(workload, "training"), "context") != nullptr;
  if (file->spec.context.empty() && says_context) file->spec.context = {file->written.context};
  return file;
}

// The sizes of a torus that may be numbered in another order: nothing in the file speaks of its
// dimensions one by one, or of its NPUs. Nullptr if there is none.
YamlNode* sizes_of_open_torus(YamlNode& root) {
  YamlNode* platform = root.find("platform");
  YamlNode* topology = platform != nullptr ? platform->find("topology") : nullptr;
  YamlNode* torus = topology != nullptr ? topology->find("torus") : nullptr;
  const YamlNode* network = root.find("network");
  const auto names_places = [](const YamlNode& key) {
    return key.key == "faults" || key.key == "routing" || key.key == "slow";
  };
  if (torus == nullptr || platform->find("ranks") != nullptr || root.find("system") != nullptr ||
      (network != nullptr && std::ranges::any_of(network->children, names_places)))
    return nullptr;
  return torus->find("sizes");
}

// Adds what choose_parallelism() chooses to a workload.training that does not say it.
std::string divide(YamlNode& root, InputTexts& texts, const Source& chosen) {
  YamlNode* workload = root.find("workload");
  if (workload == nullptr || workload->find("transformer") == nullptr) return "";
  YamlNode* training = workload->find("training");
  if (training == nullptr || training->kind != NodeKind::map || divides(*training)) return "";
  SearchedFile file(texts);
  file.root = root;
  read_searched_root(file);
  if (file.problems.count() > 0) {
    // Whether it fits is not known until the other mistakes are mended.
    SearchedFile others(texts);
    others.root = root;
    YamlNode& without = *others.root.find("workload")->find("training");
    taken(without, "global_batch");
    add(without, chosen, "global_batch", "1");
    read_searched_root(others);
    if (others.problems.count() > 0) taken(*training, "global_batch");
    return "";
  }
  // No configuration has whole micro-batches: the reader says so of replicas on all NPUs.
  if (number_at(*training, "global_batch") % number_at(*training, "micro_batch") != 0) return "";
  FixedParallelism fixed;
  if (training->find("micro_batch") != nullptr) fixed.micro_batch = file.written.micro_batch;
  if (training->find("recompute") != nullptr) fixed.recompute = file.written.recompute;
  YamlNode* sizes = sizes_of_open_torus(root);
  fixed.torus_is_fixed = sizes == nullptr || sizes->kind != NodeKind::list;
  const TrainingVariants variants(std::move(file.experiment), file.given);
  const auto found = choose_parallelism(variants, fixed);
  if (!found) return "";
  for (std::size_t i = 0; i < found->torus.size(); ++i) {
    sizes->place = sizes->children[i].place = {&chosen, 0, 0};
    sizes->children[i].text = std::to_string(found->torus[i]);
  }
  for (YamlNode& key : training_node(file, variants, found->choice).children)
    if (training->find(key.key) == nullptr) {
      key.place = key.key_place = {&chosen, 0, 0};
      training->children.push_back(std::move(key));
    }
  return found->text;
}

// Of a workload that has the whole platform.
std::string choose_alone(YamlNode& root, InputTexts& texts, const Source& chosen) {
  const AssumedBatch batch = assume_batch(root, texts, chosen);
  std::string division = divide(root, texts, chosen);
  if (division.empty() && batch.ranks > 0)
    division = fmt::format("dp{} mb{}, a whole model on each NPU", batch.ranks,
                           number_at(*root.find("workload")->find("training"), "micro_batch"));
  return joined(division, batch.text);
}

// The experiment with this job alone, on a platform of as many NPUs: whole inner groups of the
// platform if it can be made smaller so, else NPUs behind one switch.
YamlNode with_job_alone(const YamlNode& root, const YamlNode& job, std::int32_t npus,
                        const Source& chosen, bool behind_a_switch) {
  YamlNode alone = root;
  YamlNode& workload = *alone.find("workload");
  workload.children.clear();
  for (const char* key : {"transformer", "training"})
    if (const YamlNode* section = job.find(key)) workload.children.push_back(*section);
  YamlNode& platform = *alone.find("platform");
  std::erase_if(platform.children, [&](const YamlNode& child) {
    return child.key == "ranks" || (behind_a_switch && child.key == "topology");
  });
  add(platform, chosen, "ranks", std::to_string(npus));
  if (!behind_a_switch) return alone;
  YamlNode level;
  level.kind = NodeKind::map;
  add(level, chosen, "size", "2");
  add(level, chosen, "bandwidth", "50 GB/s");
  YamlNode levels, topology;
  levels.kind = NodeKind::list;
  levels.key = "levels";
  levels.children = {std::move(level)};
  topology.kind = NodeKind::map;
  topology.key = "topology";
  topology.children = {std::move(levels)};
  platform.children.push_back(std::move(topology));
  return alone;
}

// Of several jobs, each as if it had its NPUs alone. Returns what is said of the first of them:
// "a: dp32, a whole model on each NPU; batch 512 ASSUMED; b: ...", after what all have in common.
std::string choose_of_jobs(YamlNode& root, InputTexts& texts, const Source& chosen) {
  YamlNode* workload = root.find("workload");
  YamlNode* jobs = workload != nullptr ? workload->find("jobs") : nullptr;
  if (jobs == nullptr || jobs->kind != NodeKind::list) return "";
  const bool by_nodes = std::ranges::any_of(
      jobs->children, [](const YamlNode& job) { return job.find("nodes") != nullptr; });
  const std::int32_t node = by_nodes ? server_size(root, texts) : 0;
  std::vector<std::string> said, sequences;  // of jobs with a choice
  for (YamlNode& job : jobs->children) {
    const std::int32_t npus = npus_of(job, node);
    if (npus < 2 || job.find("transformer") == nullptr) continue;
    YamlNode alone;
    std::string of_job;
    for (const bool behind_a_switch : {false, true}) {
      alone = with_job_alone(root, job, npus, chosen, behind_a_switch);
      of_job = choose_alone(alone, texts, chosen);
      if (!of_job.empty()) break;
    }
    if (of_job.empty()) continue;
    std::erase_if(job.children, [](const YamlNode& child) { return child.key == "training"; });
    job.children.push_back(*alone.find("workload")->find("training"));
    const YamlNode* name = job.find("name");
    said.push_back((name != nullptr ? name->text + ": " : std::string()) + of_job);
    sequences.push_back(assumed_sequence(&job));
  }
  constexpr std::size_t most_said = 2;
  const bool alike =
      sequences.size() > 1 && std::ranges::count(sequences, sequences[0]) == std::ssize(sequences);
  std::string text = alike ? sequences[0] : "";
  for (std::size_t i = 0; i < std::min(said.size(), most_said); ++i)
    text = joined(text, joined(said[i], alike ? "" : sequences[i]));
  if (said.size() > most_said)
    text += fmt::format("; {} more jobs: orrery explain", said.size() - most_said);
  return text + (said.size() > 1 ? "; each as if it were alone" : "");
}

}  // namespace

std::string choose_open_parallelism(YamlNode& root, InputTexts& texts, const Source& chosen) {
  if (std::string of_jobs = choose_of_jobs(root, texts, chosen); !of_jobs.empty()) return of_jobs;
  return joined(choose_alone(root, texts, chosen), assumed_sequence(root.find("workload")));
}

}  // namespace yaml

SearchedExperiment::SearchedExperiment(const std::string& file,
                                       const std::vector<Override>& overrides)
    : SearchedExperiment(yaml::read_searched_file(file, overrides)) {}

SearchedExperiment::SearchedExperiment(std::unique_ptr<yaml::SearchedFile> file)
    : TrainingVariants(std::move(file->experiment), file->given), file_(std::move(file)) {}

SearchedExperiment::~SearchedExperiment() = default;

const SearchSpec& SearchedExperiment::spec() const { return file_->spec; }
const ParallelChoice& SearchedExperiment::written_choice() const { return file_->written; }

std::string SearchedExperiment::text(const ParallelChoice& choice, std::int32_t data,
                                     const std::string& head) const {
  yaml::YamlNode root = file_->root;
  std::erase_if(root.children, [](const auto& child) { return child.key == "search"; });
  yaml::YamlNode* workload = root.find("workload");
  yaml::YamlNode training = yaml::training_node(*file_, *this, choice);
  yaml::add(training, file_->chosen, "data", std::to_string(data));
  training.key = "training";
  if (yaml::YamlNode* written = workload->find("training"))
    *written = std::move(training);
  else
    workload->children.push_back(std::move(training));
  return head + yaml_text(root);
}

}  // namespace orrery
