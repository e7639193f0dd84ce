#include "report/key_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

// The page of the model that a key belongs to: that of the longest beginning of its path.
struct PageOf {
  std::string_view beginning, page;
};
constexpr PageOf pages[] = {
    {"", "docs/README.md"},
    {"ties", "docs/models/analytical.md"},
    {"platform", "docs/models/topology.md"},
    {"platform.npu", "docs/models/compute.md"},
    {"platform.npu.memory", "docs/models/memory.md"},
    {"platform.npu.memory_bandwidth", "docs/models/compute.md"},
    {"platform.npu.reserve", "docs/models/memory.md"},
    {"system", "docs/models/system.md"},
    {"system.algorithms", "docs/models/selection.md"},
    {"system.protocol", "docs/models/endpoint.md"},
    {"system.endpoint", "docs/models/endpoint.md"},
    {"system.local_endpoint", "docs/models/endpoint.md"},
    {"system.sm_tax", "docs/models/endpoint.md"},
    {"network", "docs/README.md"},
    {"network.routing", "docs/models/routing.md"},
    {"network.faults", "docs/models/routing.md"},
    {"network.fluid", "docs/models/fluid.md"},
    {"network.queue", "docs/models/queue.md"},
    {"network.credit", "docs/models/credit.md"},
    {"network.transport", "docs/models/ns3.md"},
    {"network.transport.payload", "docs/models/roce.md"},
    {"network.transport.recovery", "docs/models/roce.md"},
    {"network.transport.qps_per_pair", "docs/models/roce.md"},
    {"network.transport.ack_every", "docs/models/roce.md"},
    {"network.transport.rto", "docs/models/roce.md"},
    {"network.transport.nack_interval", "docs/models/roce.md"},
    {"network.transport.reorder_tolerance", "docs/models/roce.md"},
    {"network.transport.control", "docs/models/unordered.md"},
    {"network.transport.entropy_values", "docs/models/unordered.md"},
    {"network.transport.trimming", "docs/models/unordered.md"},
    {"network.transport.ndp", "docs/models/unordered.md"},
    {"network.transport.nscc", "docs/models/unordered.md"},
    {"network.transport.thresholds", "docs/models/scheduled.md"},
    {"network.transport.loss_bound", "docs/models/mlt.md"},
    {"network.transport.probe_after", "docs/models/mlt.md"},
    {"network.transport.classes", "docs/models/mlt.md"},
    {"network.transport.droppable", "docs/models/mlt.md"},
    {"network.transport.rate", "docs/models/mlt.md"},
    {"network.transport.rounds", "docs/models/mlt.md"},
    {"network.transport.priority", "docs/models/roce.md"},
    {"network.transport.dcqcn", "docs/models/roce.md"},
    {"network.transport.hpcc", "docs/models/roce.md"},
    {"network.transport.timely", "docs/models/roce.md"},
    {"network.transport.swift", "docs/models/roce.md"},
    {"network.transport.dctcp", "docs/models/roce.md"},
    {"network.switch", "docs/models/packet-fabric.md"},
    {"network.slow", "docs/models/packet-fabric.md"},
    {"workload", "docs/README.md"},
    {"workload.skew", "docs/models/compute.md"},
    {"workload.program", "docs/models/program.md"},
    {"workload.model", "docs/models/dlrm.md"},
    {"workload.parallelism", "docs/models/dlrm.md"},
    {"workload.layers", "docs/models/data-parallel.md"},
    {"workload.data_parallel", "docs/models/data-parallel.md"},
    {"workload.text", "docs/models/training-loops.md"},
    {"workload.dimensions", "docs/models/training-loops.md"},
    {"workload.trace", "docs/models/traces.md"},
    {"workload.jobs", "docs/models/jobs.md"},
    {"workload.transformer", "docs/models/transformer.md"},
    {"workload.transformer.experts", "docs/models/experts.md"},
    {"workload.training", "docs/models/transformer.md"},
    {"workload.training.expert", "docs/models/experts.md"},
    {"workload.training.activation_overhead", "docs/models/memory.md"},
    {"search", "docs/models/search.md"},
    {"traffic", "docs/models/traffic.md"},
};

std::string page_of(const std::string& path) {
  // A job of several has the keys of a workload, each with the page that it has there.
  constexpr std::string_view job = "workload.jobs[].";
  if (path.starts_with(job)) {
    const std::string page = page_of("workload." + path.substr(job.size()));
    if (page != pages[0].page) return page;
  }
  const PageOf* best = &pages[0];
  for (const PageOf& candidate : pages) {
    if (path.starts_with(candidate.beginning) &&
        candidate.beginning.size() >= best->beginning.size()) {
      best = &candidate;
    }
  }
  return std::string(best->page);
}

std::string range_of(const Json& type) {
  const bool has_least = type.contains("minimum"), has_most = type.contains("maximum");
  const auto number = [&](const char* key) { return type[key].get<std::int64_t>(); };
  if (has_least && has_most) return fmt::format(", {} to {}", number("minimum"), number("maximum"));
  if (has_least) return fmt::format(", at least {}", number("minimum"));
  return has_most ? fmt::format(", at most {}", number("maximum")) : "";
}

// The map of keys that a value may be, directly or as an element of a list; null if there is none.
const Json* map_within(const Json& type) {
  if (type.contains("properties")) return &type["properties"];
  if (type.contains("items")) return map_within(type["items"]);
  if (!type.contains("anyOf")) return nullptr;
  for (const Json& choice : type["anyOf"]) {
    if (const Json* found = map_within(choice)) return found;
  }
  return nullptr;
}

std::string key_type_text(const Json& type) {
  if (type.contains("title")) return type["title"].get<std::string>();
  if (type.contains("enum")) {
    std::string names;
    for (const Json& name : type["enum"])
      names += fmt::format("{}{}", names.empty() ? "" : ", ", name.get<std::string>());
    return type["enum"].size() > 1 ? "one of " + names : names;
  }
  if (!type.contains("type")) {
    if (!type.contains("anyOf")) return "any value";
    std::string choices;
    for (const Json& choice : type["anyOf"]) {
      if (choice.contains("type") || choice.contains("anyOf"))
        choices += fmt::format("{}{}", choices.empty() ? "" : ", or ", key_type_text(choice));
    }
    return choices;
  }
  const Json& name = type["type"];
  if (name.is_array() && name[0] == "object")
    return name[1] == "array" ? "map, or its sizes" : "map, or a name";
  if (name.is_array()) return "text";
  if (name == "object") return "map";
  if (name == "array") {
    const std::string item = key_type_text(type["items"]);
    return item == "map" ? "list of maps" : fmt::format("list: {}", item);
  }
  if (name == "integer") return "whole number" + range_of(type);
  if (name == "boolean") return "true or false";
  return name == "number" ? "number" : "text";
}

bool is_required(const Json& map, const std::string& key) {
  const auto names_it = [&](const Json& rule) {
    return rule.contains("required") && std::find(rule["required"].begin(), rule["required"].end(),
                                                  key) != rule["required"].end();
  };
  if (names_it(map)) return true;
  if (!map.contains("anyOf")) return false;
  // Needed unless `file:` or `preset:` gives it.
  return key != "file" && key != "preset" &&
         std::any_of(map["anyOf"].begin(), map["anyOf"].end(), names_it);
}

// What a value may be by name, itself or in one of its forms.
void collect_names(const Json& type, std::vector<std::string>& names) {
  if (type.contains("enum"))
    for (const Json& name : type["enum"])
      if (name.is_string()) names.push_back(name.get<std::string>());
  if (type.contains("anyOf"))
    for (const Json& form : type["anyOf"]) collect_names(form, names);
}

class Walk {
 public:
  std::vector<KeyEntry> keys;

  // `node` is a schema that has "properties", or leads to some.
  void into(const Json& node, const std::string& path) {
    if (node.contains("properties")) {
      for (const auto& [key, type] : node["properties"].items()) add(node, key, type, path);
    } else if (node.contains("items")) {
      into(node["items"], path + "[]");
    } else if (node.contains("anyOf")) {
      for (const Json& choice : node["anyOf"]) into(choice, path);
    }
  }

 private:
  void add(const Json& map, const std::string& key, const Json& type, const std::string& path) {
    KeyEntry entry;
    entry.path = path.empty() ? key : path + '.' + key;
    entry.type = key_type_text(type);
    if (type.contains("default")) {
      const Json& value = type["default"];
      entry.default_value = value.is_string() ? value.get<std::string>() : value.dump();
    }
    if (entry.default_value == "none" && !type.contains("enum")) entry.default_value.clear();
    entry.help = type.value("description", "");
    entry.page = page_of(entry.path);
    entry.required = is_required(map, key);
    collect_names(type, entry.names);
    if (const Json* below = map_within(type)) {
      for (const auto& [name, unused] : below->items()) entry.below.push_back(name);
    }
    keys.push_back(entry);
    into(type, entry.path);
  }
};

std::string parent_of(const std::string& path) {
  const std::size_t point = path.rfind('.');
  return point == std::string::npos ? "" : path.substr(0, point);
}

// `others`: the paths of keys that are the same elsewhere.
std::string paragraph(const KeyEntry& key, std::span<const std::string> others = {}) {
  constexpr std::size_t few = 2;
  std::string text = fmt::format("{}: {}\n", key.path, key.help);
  if (!others.empty()) {
    text +=
        fmt::format("  also     {}", fmt::join(others.first(std::min(few, others.size())), ", "));
    text += others.size() > few ? fmt::format(" and {} more\n", others.size() - few) : "\n";
  }
  text += fmt::format("  type     {}\n", key.type);
  if (key.required) text += "  required\n";
  if (!key.default_value.empty()) text += fmt::format("  default  {}\n", key.default_value);
  if (!key.below.empty()) text += fmt::format("  keys     {}\n", fmt::join(key.below, ", "));
  return text + fmt::format("  page     {}\n", key.page);
}

// --- The page ---

constexpr std::string_view page_head = R"(# All keys of an experiment file

`orrery schema --format markdown` writes this page; a test compares the two. `orrery explain KEY`
prints one key, `orrery schema` the same as JSON Schema for editors.

For "map, or a name", the name of a preset, an algorithm, a file or a bundled platform stands for
the map: `npu: h100` means `npu: {preset: h100}`. For "map, or its sizes", the sizes do: `torus:
16x16` means `torus: {sizes: [16, 16]}`.

A key in **bold** is required in its map, unless `file` or `preset` beside it gives the value.
Without a default, the sentence says what holds. Each key
is set on the command line by its path: `--set network.transport.window="2 MB"`; elements of a list
have an index: `--set platform.topology.levels[0].size=16`.
)";

// A bar would end the cell.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

std::string row(const KeyEntry& key) {
  const std::string name = fmt::format("`{}`", last_step(key.path));
  return fmt::format("| {} | {} | {} | {} |\n", key.required ? fmt::format("**{}**", name) : name,
                     cell(key.type), cell(key.default_value), cell(key.help));
}

}  // namespace

std::vector<KeyEntry> keys_of_schema(const std::string& schema) {
  Walk walk;
  walk.into(Json::parse(schema), "");
  return std::move(walk.keys);
}

std::string last_step(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string key_paragraph(const KeyEntry& key) { return paragraph(key); }

std::string key_paragraphs(const std::vector<KeyEntry>& keys) {
  const auto without_path = [](KeyEntry key) { return key.path.clear(), paragraph(key); };
  std::vector<std::string> texts;  // in order of the first of each
  std::map<std::string, std::vector<std::string>> paths;
  for (const KeyEntry& key : keys) {
    std::vector<std::string>& alike = paths[without_path(key)];
    if (alike.empty()) texts.push_back(without_path(key));
    alike.push_back(key.path);
  }
  std::string text;
  for (const std::string& one : texts) {
    const std::span<const std::string> alike = paths[one];
    const auto first = std::ranges::find(keys, alike.front(), &KeyEntry::path);
    text += fmt::format("{}{}", text.empty() ? "" : "\n", paragraph(*first, alike.subspan(1)));
  }
  return text;
}

std::string key_page(const std::vector<KeyEntry>& keys) {
  std::vector<std::string> parents;  // in order of their first key
  std::map<std::string, std::string> rows;
  for (const KeyEntry& key : keys) {
    const std::string parent = parent_of(key.path);
    if (!rows.contains(parent)) parents.push_back(parent);
    rows[parent] += row(key);
  }
  std::string text(page_head);
  std::map<std::string, std::string> first_with;  // the same table -> where it stands
  for (const std::string& parent : parents) {
    const auto [known, is_new] = first_with.emplace(rows[parent], parent);
    const std::string heading = parent.empty() ? "The file" : fmt::format("`{}`", parent);
    text += fmt::format("\n## {}\n\n", heading);
    if (!is_new) {
      text += fmt::format("The keys of `{}`.\n", known->second);
      continue;
    }
    text += fmt::format(
        "[{0}](../../{0})\n\n| key | type | default | what it is |\n|---|---|---|---|\n",
        page_of(parent));
    text += rows[parent];
  }
  return text;
}

}  // namespace orrery
