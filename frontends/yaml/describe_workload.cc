#include "frontends/yaml/describe_workload.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/astra/text_workload.h"
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
  const std::string* contents = reader.contents("text", text.file);
  if (contents == nullptr) return;
  try {
    text.table = parse_text_workload(*contents, text.file);
  } catch (const ConfigError& error) {
    reader.wrong_elsewhere(error);
  }
}

void check_parallelism(Reader& parallelism, std::string_view key, const std::string& value,
                       std::string_view expected, std::string_view reason) {
  if (value == expected) return;
  parallelism.wrong(key, fmt::format("{} is not possible", in_quotes(value)),
                    fmt::format("{}: write {}, or leave the key out", reason, expected));
}

void check_dimensions(Reader& workload, const std::vector<LevelReference>& references,
                      const PlatformFacts& platform, LayerTableWorkload& text) {
  if (!platform.known || !workload.clean()) return;
  if (!references.empty())
    text.dimensions = levels_named(workload, "dimensions", references, platform);
  workload.report(problems_of(text, platform));
}

void check_jobs(Reader& workload, JobsSpec& jobs) {
  if (workload.given("iterations"))
    workload.wrong("iterations", "jobs have iterations of their own", "write it into each job");
  workload.report(problems_of_names(jobs));
  for (PlacedWorkload& job : jobs.jobs) std::ranges::sort(job.npus);
}

}  // namespace orrery::yaml
