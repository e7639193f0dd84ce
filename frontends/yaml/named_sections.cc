#include "frontends/yaml/named_sections.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/units/unit_text.h"
#include "formats/yaml/preset_sections.h"
#include "network/topology/builders/server_presets.h"
#include "simulation/collective_operations.h"
#include "system/npu_presets.h"

namespace orrery::yaml {

namespace {

constexpr std::string_view of_system = "system.";
constexpr std::array<std::string_view, 3> with_file{"system", "network", "workload"};
constexpr std::array<std::string_view, 4> with_preset{"platform.npu", "workload.model",
                                                      "workload.transformer", "workload.layers"};

bool contains(const auto& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool looks_like_a_file(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".json") ||
         name.ends_with(".yaml") || name.ends_with(".yml");
}

bool is_collective(std::string_view name) {
  for (int i = 0; i < collective_count; ++i)
    if (name_of(static_cast<Collective>(i)) == name) return true;
  return false;
}

// "meta-llama/Llama-3.1-8B": an owner and a name.
bool looks_like_a_model(std::string_view name) {
  return !name.starts_with('.') && !name.starts_with('/') && !name.ends_with(".json") &&
         !name.ends_with(".yaml") && !name.ends_with(".yml") && std::ranges::count(name, '/') <= 1;
}

}  // namespace

std::string_view key_of_name(std::string_view path, std::string_view name) {
  if (path == "platform" || (contains(with_file, path) && looks_like_a_file(name))) return "file";
  if (path == "network") return "backend";
  if (path == "network.routing") return "policy";
  if (path == "network.transport")
    return section_of_preset(known_name(name)) == "network.transport" ? "preset" : "kind";
  if (path.starts_with(of_system) && is_collective(path.substr(of_system.size())))
    return "algorithms";
  if (path == "traffic.flows") return "sizes";
  if (path == "platform.npu.efficiency" && name != "none") return "preset";
  constexpr std::string_view of_job = "workload.jobs[].";
  std::string plain(path);
  if (path.starts_with(of_job)) plain.replace(0, of_job.size(), "workload.");
  if (plain == "workload.trace") return "files";
  if (path.starts_with("platform.") && path.ends_with(".node")) return "preset";
  if (!contains(with_preset, plain)) return "";
  return plain == "workload.transformer" && !looks_like_a_model(name) ? "file" : "preset";
}

namespace {

constexpr std::string_view of_workload = "workload.";

// "model: llama3-70b": the section of the model. "" if no preset has this name.
std::string_view section_of_model(std::string_view name) {
  const std::string_view section = section_of_preset(known_name(name));
  return section.starts_with(of_workload) ? section.substr(of_workload.size()) : "";
}

// "workload: llama3-70b": the section of the name, also of one that is mistyped there: then that
// section names those that are known. "" of files, and of the keys of collectives.
std::string_view section_of_workload(std::string_view name) {
  if (looks_like_a_file(name) && !looks_like_a_model(name)) return "";
  const std::string_view section = section_of_model(name);
  if (!section.empty()) return section;
  if (name.empty() || find_operation(name) != nullptr) return "";
  return section_of_family(name).substr(of_workload.size());
}

// Moves a key of a map into another of its maps.
void move_key(YamlNode& parent, std::string_view key, std::string_view into) {
  const auto child = std::ranges::find(parent.children, key, &YamlNode::key);
  if (child == parent.children.end()) return;
  YamlNode moved = std::move(*child);
  parent.children.erase(child);
  parent.find(into)->children.push_back(std::move(moved));
}

// A name in the place of a section becomes the value of a key of it.
void name_value(YamlNode& node, const std::string& path) {
  const std::string_view key = key_of_name(path, node.text);
  if (key.empty() || node.text.empty()) return;
  YamlNode name = node;
  name.key = key;
  if (key == "preset")
    name.text = path.ends_with(".node") ? known_server(name.text) : known_name(name.text);
  name.key_place = node.place;
  node.kind = NodeKind::map;
  node.text.clear();
  node.children = {std::move(name)};
}

// "model: llama3-70b" is a transformer: the key of a model is that of the section that knows it,
// which may stand there with other keys.
void name_section_of_model(YamlNode& workload) {
  YamlNode* model = workload.find("model");
  if (model == nullptr || child_of(model, "kind") != nullptr) return;
  const YamlNode* name = model->kind == NodeKind::map ? model->find("preset") : model;
  if (name == nullptr || name->kind != NodeKind::scalar) return;
  const std::string_view section = section_of_workload(name->text);
  if (section.empty() || section == model->key) return;
  const YamlNode* there = workload.find(section);
  if (there == nullptr) {
    model->key = section;
  } else if (there->kind == NodeKind::map && there->find("preset") == nullptr &&
             there->find("file") == nullptr && model->kind == NodeKind::scalar) {
    model->key = "preset";
    move_key(workload, "preset", section);
  }
}

// "{model: llama3-70b, sequence: 32768, tensor: 8}": the length of a sequence is the transformer's,
// and how ranks share a transformer is its training.
void move_short_keys(YamlNode& workload) {
  for (const auto& [key, section, model] : keys_of_workload) {
    const YamlNode* const value = workload.find(key);
    if (value == nullptr || workload.find(model) == nullptr) continue;
    if (workload.find(section) == nullptr) {
      YamlNode empty;
      empty.kind = NodeKind::map;
      empty.key = section;
      empty.place = empty.key_place = value->key_place;
      workload.children.push_back(std::move(empty));
    }
    YamlNode& into = *workload.find(section);
    if (into.kind == NodeKind::scalar) name_value(into, std::string(of_workload).append(section));
    if (into.kind == NodeKind::map && into.find(key) == nullptr) move_key(workload, key, section);
  }
}

// "traffic: {flows: websearch, load: 0.5}": the load is that of the flows.
void move_keys_of_flows(YamlNode& traffic) {
  YamlNode* flows = traffic.find("flows");
  if (flows == nullptr) return;
  if (flows->kind == NodeKind::scalar) name_value(*flows, "traffic.flows");
  if (flows->kind != NodeKind::map) return;
  for (const char* key : {"load", "at_once", "of", "pattern", "for", "warm_up"})
    if (traffic.find("flows")->find(key) == nullptr) move_key(traffic, key, "flows");
}

// "sizes: 16x16", as well as 16*16, is [16, 16].
void expand_sizes(YamlNode& node) {
  if (node.kind != NodeKind::scalar) return;
  std::string text = std::exchange(node.text, {});
  std::ranges::replace(text, '*', 'x');
  node.kind = NodeKind::list;
  std::string_view rest = text;
  while (true) {
    YamlNode& size = node.children.emplace_back();
    size.kind = NodeKind::scalar;
    size.place = node.place;
    size.text = rest.substr(0, rest.find('x'));
    if (rest.find('x') == std::string_view::npos) break;
    rest.remove_prefix(rest.find('x') + 1);
  }
}

// "torus: 16x16" and "torus: [16, 16]" are its sizes.
void expand_torus(YamlNode& node) {
  YamlNode sizes = node;
  sizes.key = "sizes";
  sizes.key_place = node.place;
  expand_sizes(sizes);
  node.kind = NodeKind::map;
  node.text.clear();
  node.children = {std::move(sizes)};
}

// "topology: leaf_spine", beside servers: all its keys are theirs.
void expand_builder(YamlNode& topology) {
  YamlNode builder = topology;
  builder.kind = NodeKind::map;
  builder.key = std::exchange(builder.text, {});
  builder.key_place = topology.place;
  topology.kind = NodeKind::map;
  topology.text.clear();
  topology.children = {std::move(builder)};
}

bool are_sizes(const YamlNode& node) {
  if (node.kind == NodeKind::list) return true;
  return node.kind == NodeKind::scalar && !node.text.empty() &&
         node.text.find_first_not_of("0123456789x*") == std::string::npos;
}

// "oversubscription: 3:1" is 3; a fat tree has a list, from the leaves upwards.
void expand_oversubscription(YamlNode& node, std::string_view path) {
  if (node.kind != NodeKind::scalar || !path.starts_with("platform.")) return;
  constexpr std::string_view to_one = ":1";
  if (node.text.ends_with(to_one)) node.text.resize(node.text.size() - to_one.size());
  if (path != "platform.topology.fat_tree.oversubscription") return;
  YamlNode first = node;
  first.key.clear();
  node.kind = NodeKind::list;
  node.text.clear();
  node.children = {std::move(first)};
}

// "servers: 31" is another name of `nodes`.
void name_nodes(YamlNode& map) {
  YamlNode* servers = map.find("servers");
  if (servers != nullptr && servers->kind != NodeKind::list && map.find("nodes") == nullptr)
    servers->key = "nodes";
}

// "platform: {npu: tpu-v5p, torus: 8x8x8}" has its topology in one key, that of a builder.
void move_network(YamlNode& platform) {
  if (platform.find("topology") != nullptr) return;
  const auto network = std::ranges::find_if(platform.children, [](const YamlNode& child) {
    return contains(network_builders, child.key);
  });
  if (network == platform.children.end()) return;
  YamlNode topology = *network;
  topology.kind = NodeKind::map;
  topology.key = "topology";
  topology.text.clear();
  topology.children = {std::move(*network)};
  *network = std::move(topology);
}

}  // namespace

void expand_names(YamlNode& node, const std::string& path) {
  if (path == "platform") move_network(node);
  if (contains(sections_with_nodes, path)) name_nodes(node);
  if (path == "platform.topology" && node.kind == NodeKind::scalar &&
      contains(network_builders, node.text))
    expand_builder(node);
  if (path.ends_with(".oversubscription") || path.ends_with(".oversubscription[]"))
    expand_oversubscription(node, path);
  if (path == "platform.topology.torus" && are_sizes(node)) expand_torus(node);
  if ((path == "platform.topology.torus.sizes" || path == "platform.topology.hyperx.sizes") &&
      are_sizes(node))
    expand_sizes(node);
  if (node.kind == NodeKind::scalar) {
    if (const std::string_view section = section_of_workload(node.text);
        path == "workload" && !section.empty()) {
      YamlNode model = node;
      model.key = section;
      model.key_place = node.place;
      node.kind = NodeKind::map;
      node.text.clear();
      node.children = {std::move(model)};
      return expand_names(node, path);
    }
    if (node.key == "preset") node.text = known_name(node.text);
    return name_value(node, path);
  }
  if (path == "traffic") move_keys_of_flows(node);
  if (path == "workload" || path == "workload.jobs[]") {
    name_section_of_model(node);
    move_short_keys(node);
  }
  const bool is_list = node.kind == NodeKind::list;
  for (YamlNode& child : node.children)
    expand_names(child, is_list ? path + "[]" : join_path(path, child.key));
}

namespace {

// The section of a workload that its short key is of; "" if it has no such section.
std::string section_of_short_key(const YamlNode* workload, std::string_view key) {
  const auto found = std::ranges::find(keys_of_workload, key, &ShortKey::key);
  if (found == keys_of_workload.end() || child_of(workload, found->model) == nullptr) return "";
  return std::string(found->section);
}

}  // namespace

std::vector<std::string> expanded_steps(const YamlNode& root, std::vector<std::string> steps) {
  if (steps.size() < 2) return steps;
  if (steps[0] == "workload" && steps.size() == 2) {
    const std::string section = section_of_short_key(child_of(&root, "workload"), steps[1]);
    if (!section.empty()) steps.insert(steps.begin() + 1, section);
  }
  if (steps[0] != "platform") return steps;
  const YamlNode* topology = child_of(child_of(&root, "platform"), "topology");
  if (contains(network_builders, steps[1]) && child_of(topology, steps[1]) != nullptr)
    steps.insert(steps.begin() + 1, "topology");
  // What `explain` lists of the network that so many servers make: its node is the server.
  const bool is_of_server = steps.size() > 3 && steps[1] == "topology" && steps[3] == "node" &&
                            child_of(child_of(&root, "platform"), "nodes") != nullptr &&
                            child_of(child_of(topology, steps[2]), "node") == nullptr;
  if (is_of_server) {
    steps.erase(steps.begin() + 1, steps.begin() + 3);
    steps[1] = "server";
  }
  std::string section = steps[0];
  for (std::size_t i = 1; i + 1 < steps.size(); ++i) section = join_path(section, steps[i]);
  if (steps.back() == "servers" && contains(sections_with_nodes, section)) steps.back() = "nodes";
  return steps;
}

void add_npu_of_server(YamlNode& root) {
  YamlNode* platform = root.find("platform");
  YamlNode* topology = platform != nullptr ? platform->find("topology") : nullptr;
  if (topology == nullptr) return;
  for (const YamlNode& network : topology->children) {
    const YamlNode* node = network.find("node");
    const YamlNode* name = node != nullptr ? node->find("preset") : nullptr;
    if (name == nullptr) continue;
    const auto presets = server_presets();
    const auto server = std::ranges::find(presets, name->text, &ServerPreset::name);
    if (server == presets.end()) continue;
    YamlNode preset = *name;
    preset.text = server->npu;
    YamlNode* npu = platform->find("npu");
    if (npu == nullptr) {
      npu = &platform->children.emplace_back();
      npu->kind = NodeKind::map;
      npu->key = "npu";
      npu->place = npu->key_place = name->place;
    }
    if (npu->kind == NodeKind::map && npu->find("preset") == nullptr)
      npu->children.push_back(std::move(preset));
    return;
  }
}

void add_link_of_npu(YamlNode& root) {
  YamlNode* platform = root.find("platform");
  YamlNode* topology = platform != nullptr ? platform->find("topology") : nullptr;
  YamlNode* torus = topology != nullptr ? topology->find("torus") : nullptr;
  const YamlNode* npu = platform != nullptr ? platform->find("npu") : nullptr;
  const YamlNode* name = npu != nullptr ? npu->find("preset") : nullptr;
  if (torus == nullptr || torus->kind != NodeKind::map || torus->find("bandwidth") != nullptr ||
      name == nullptr)
    return;
  const NpuPreset* device = find_npu_preset(name->text);
  if (device == nullptr || device->torus_link == Bandwidth{}) return;
  YamlNode bandwidth = *name;
  bandwidth.key = "bandwidth";
  bandwidth.text = to_text(device->torus_link);
  torus->children.push_back(std::move(bandwidth));
}

}  // namespace orrery::yaml
