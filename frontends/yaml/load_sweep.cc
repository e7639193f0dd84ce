#include "frontends/yaml/load_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "frontends/yaml/input_files.h"
#include "frontends/yaml/problems.h"
#include "frontends/yaml/reader.h"

namespace orrery {

namespace yaml {

namespace {

// As `--set` takes it: YAML in one line.
std::string flow_text(const YamlNode& node, bool inside = false) {
  std::string text;
  switch (node.kind) {
    case NodeKind::null:
      return "null";
    case NodeKind::scalar: {
      const bool plain = node.text.find_first_of(",[]{}#:\"'\n") == std::string::npos;
      if (!inside || (plain && !node.text.empty())) return node.text;
      for (const char c : node.text)
        text += c == '"' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
      return fmt::format("\"{}\"", text);
    }
    case NodeKind::list:
      for (const YamlNode& child : node.children)
        text += (text.empty() ? "" : ", ") + flow_text(child, true);
      return fmt::format("[{}]", text);
    case NodeKind::map:
      for (const YamlNode& child : node.children)
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : ", ", child.key, flow_text(child, true));
      return fmt::format("{{{}}}", text);
  }
  return text;
}

SweepSetting setting_of(const std::string& key, const YamlNode& value) {
  return {key, flow_text(value), fmt::format("{}:{}", value.place.source->name, value.place.line)};
}

// An item of `vary`: the keys of a map, each with a list of as many values.
std::optional<SweepAxis> axis_of(const YamlNode& item, const std::string& path,
                                 Problems& problems) {
  const auto wrong = [&](const YamlNode& node, std::string what, std::string remedy) {
    problems.add(node.place, path, std::move(what), std::move(remedy));
    return std::nullopt;
  };
  if (item.kind != NodeKind::map || item.children.empty())
    return wrong(item, fmt::format("this is {}", name_of(item.kind)),
                 "write for example `- system.chunks: [32, 128]`");
  SweepAxis axis;
  for (const YamlNode& key : item.children) {
    if (key.kind != NodeKind::list || key.children.empty())
      return wrong(key, fmt::format("the values of {} are {}", key.key, name_of(key.kind)),
                   "write a list with at least one value: [32, 128]");
    if (axis.steps.empty()) axis.steps.resize(key.children.size());
    if (axis.steps.size() != key.children.size())
      return wrong(key,
                   fmt::format("{} has {} values, and {} beside it {}", key.key,
                               key.children.size(), item.children.front().key, axis.steps.size()),
                   "keys of one item change together, so give them equally many; or write an item "
                   "for each, which gives every combination");
    for (std::size_t i = 0; i < axis.steps.size(); ++i)
      axis.steps[i].push_back(setting_of(key.key, key.children[i]));
  }
  return axis;
}

// A key that stands in two places would be set twice, and the first value have no effect.
void check_keys(const Sweep& sweep, const YamlNode& vary, Problems& problems) {
  std::vector<std::string> seen;
  for (const SweepSetting& setting : sweep.common) seen.push_back(setting.key);
  for (const YamlNode& item : vary.children)
    for (const YamlNode& key : item.children) {
      if (std::find(seen.begin(), seen.end(), key.key) != seen.end())
        problems.add(key.key_place, "vary", fmt::format("{} is given twice", key.key),
                     "keep one of them");
      seen.push_back(key.key);
    }
}

void read_sweep(Reader& reader, Sweep& sweep, Problems& problems) {
  reader.optional("name", sweep.name, "for reports");
  OneOrMore<std::string> experiments;
  reader.required("experiments", experiments, "the experiment files, relative to this one");
  reader.free_form("experiments", [&](const YamlNode& node) {
    if (node.kind == NodeKind::scalar) sweep.experiments.push_back(resolved_path(node));
    for (const YamlNode& child : node.children) sweep.experiments.push_back(resolved_path(child));
  });
  reader.free_form("set", [&](const YamlNode& node) {
    if (node.kind != NodeKind::map)
      return problems.add(node.place, "set", fmt::format("this is {}", name_of(node.kind)),
                          "write a map: {workload.iterations: 2}");
    for (const YamlNode& child : node.children)
      sweep.common.push_back(setting_of(child.key, child));
  });
  reader.free_form("vary", [&](const YamlNode& node) {
    if (node.kind != NodeKind::list)
      return problems.add(node.place, "vary", fmt::format("this is {}", name_of(node.kind)),
                          "write a list: `- system.chunks: [32, 128]`");
    for (std::size_t i = 0; i < node.children.size(); ++i)
      if (auto axis = axis_of(node.children[i], item_path("vary", i), problems))
        sweep.axes.push_back(std::move(*axis));
    check_keys(sweep, node, problems);
  });
}

}  // namespace

}  // namespace yaml

Sweep load_sweep(const std::string& path) {
  yaml::Problems problems;
  InputTexts texts;
  yaml::InputFiles files(problems, texts);
  const std::optional<yaml::YamlNode> root = files.read(path, "");
  Sweep sweep;
  if (root && root->kind != yaml::NodeKind::map) {
    problems.add(root->place, "", fmt::format("this is {}", name_of(root->kind)),
                 "a sweep is a map: `experiments: ...`, `vary: ...`");
  } else if (root) {
    sweep.name = std::filesystem::path(path).stem().string();
    std::vector<ResolvedValue> unused;
    yaml::Reader reader(problems, texts, unused, *root, root->place, "");
    yaml::read_sweep(reader, sweep, problems);
    reader.finish();
  }
  problems.throw_if_any();
  return sweep;
}

}  // namespace orrery
