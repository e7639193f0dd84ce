#include "frontends/yaml/describe_workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/io_error.h"
#include "frontends/astra/text_workload.h"
#include "frontends/yaml/input_files.h"

namespace orrery::yaml {

std::vector<int> levels_named(Reader& keys, std::string_view key,
                              std::span<const LevelReference> references,
                              const PlatformFacts& platform) {
  std::vector<std::string> names;
  for (std::size_t level = 0; level < platform.levels.size(); ++level) {
    names.push_back(std::to_string(level));
  }
  for (const LevelSpec& level : platform.levels) {
    if (!level.name.empty()) names.push_back(level.name);
  }
  std::vector<int> levels;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const std::string& text = references[i].text;
    int found = -1;
    for (std::size_t level = 0; level < platform.levels.size(); ++level) {
      if (text == platform.levels[level].name || text == std::to_string(level)) {
        found = static_cast<int>(level);
      }
    }
    if (found < 0) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      keys.wrong_item(key, i, in_quotes(text) + " is not a level of the platform",
                      suggestion(text, known));
      return {};
    }
    if (std::find(levels.begin(), levels.end(), found) != levels.end()) {
      keys.wrong_item(key, i, in_quotes(text) + " names a level a second time",
                      "name each level once");
      return {};
    }
    levels.push_back(found);
  }
  return levels;
}

void read_layer_table(Reader& reader, LayerTableWorkload& text) {
  const YamlNode* file = reader.find("text");
  if (file->kind != NodeKind::scalar) return;
  text.file = resolved_path(*file);
  try {
    text.table = parse_text_workload(reader.contents("text", text.file), text.file);
  } catch (const ConfigError& error) {
    reader.wrong_elsewhere(error);
  } catch (const IoError& error) {
    reader.wrong("text", error.what(), "the path is relative to the file that names it");
  }
}

namespace {

// The work of the widest layer and the bytes of the embedding rows, of all samples together.
bool sums_fit(const DlrmSpec& spec) {
  const auto real = [](std::int64_t value) { return static_cast<long double>(value); };
  const long double vectors = real(spec.sparse_features) + 1;
  // More than either interaction makes: vectors * dimension, or vectors^2 / 2 + dimension.
  long double input = vectors * (vectors + real(spec.embedding_dimension));
  input = std::max(input, real(spec.dense_features));
  long double output = 1;
  if (spec.interaction == Interaction::cross) output = std::max(output, real(spec.cross_rank));
  for (const auto* widths : {&spec.bottom_mlp, &spec.top_mlp}) {
    for (const std::int64_t width : *widths) output = std::max(output, real(width));
  }
  const long double layer = std::max(input, output) * output;
  const long double lookups = std::max(vectors * real(spec.pooling), real(spec.lookups));
  const long double rows = real(spec.embedding_dimension) * lookups;
  constexpr long double most = 4.6e18L;  // half of 2^63
  return 8 * real(spec.global_batch) * std::max(layer, rows) < most;
}

}  // namespace

void check_dlrm(Reader& model, const DlrmSpec& spec, const PlatformFacts& platform) {
  if (!model.clean()) return;
  if (spec.bottom_mlp.back() != spec.embedding_dimension) {
    model.wrong("bottom_mlp",
                fmt::format("the last width is {}, but the embedding dimension is {}",
                            spec.bottom_mlp.back(), spec.embedding_dimension),
                "the bottom MLP's output is combined with embedding rows: make them equal");
  }
  if (spec.interaction == Interaction::cross && (spec.cross_layers == 0 || spec.cross_rank == 0))
    model.wrong("interaction", "cross layers have no number or no rank",
                "give cross_layers and cross_rank");
  if (spec.interaction != Interaction::cross && model.given("cross_layers"))
    model.wrong("cross_layers", "this interaction has none", "write interaction: cross");
  if (spec.embedding_traffic && (spec.embedding_lookup_time || spec.embedding_update_time))
    model.wrong("embedding_traffic", "the time of the tables is given already",
                "remove it, or embedding_lookup_time and embedding_update_time");
  if (platform.known && spec.global_batch % platform.npus != 0) {
    model.wrong(
        "global_batch",
        fmt::format("{} samples do not divide among {} NPUs", spec.global_batch, platform.npus),
        fmt::format("write a multiple of {}, for example {}", platform.npus,
                    (spec.global_batch / platform.npus + 1) * platform.npus));
  }
  if (!sums_fit(spec)) {
    model.wrong_map("the sizes multiply to more than 9.2e18 operations",
                    "check for a digit too many");
  }
}

void check_parallelism(Reader& parallelism, std::string_view key, const std::string& value,
                       std::string_view expected, std::string_view reason) {
  if (value == expected) return;
  parallelism.wrong(key, fmt::format("{} is not possible", in_quotes(value)),
                    fmt::format("{}: write {}, or leave the key out", reason, expected));
}

void check_dimensions(Reader& workload, const std::vector<LevelReference>& references,
                      const PlatformFacts& platform, std::vector<int>& dimensions) {
  if (!platform.known || references.empty()) return;
  dimensions = levels_named(workload, "dimensions", references, platform);
  if (dimensions.empty() || dimensions.size() == platform.levels.size()) return;
  workload.wrong(
      "dimensions",
      fmt::format("{} of {} levels are named", dimensions.size(), platform.levels.size()),
      "name every level once");
}

void check_jobs(Reader& workload, JobsSpec& jobs) {
  if (workload.given("iterations"))
    workload.wrong("iterations", "jobs have iterations of their own", "write it into each job");
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < jobs.jobs.size(); ++i) {
    PlacedWorkload& job = jobs.jobs[i];
    if (std::ranges::find(names, job.name) != names.end())
      workload.wrong_item("jobs", i, in_quotes(job.name) + " is the name of an earlier job",
                          "choose another, so that reports can tell them apart");
    names.push_back(job.name);
    std::ranges::sort(job.npus);
  }
}

}  // namespace orrery::yaml
