#include "frontends/yaml/network_of_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "frontends/yaml/named_sections.h"
#include "frontends/yaml/preset_sections.h"
#include "network/topology/builders/server_presets.h"

namespace orrery::yaml {

namespace {

// Where a server is sold without NICs, one for each NPU: what clouds build in, such as Azure's ND
// MI300X v5 (8 of 400 Gb/s).
constexpr const char* usual_nic = "400 Gb/s";

// Takes a key out of a map.
std::optional<YamlNode> taken(YamlNode& map, std::string_view key) {
  const auto child = std::ranges::find(map.children, key, &YamlNode::key);
  if (child == map.children.end()) return std::nullopt;
  YamlNode node = std::move(*child);
  map.children.erase(child);
  return node;
}

YamlNode map_at(const YamlNode& place, std::string key, std::vector<YamlNode> children) {
  YamlNode map;
  map.kind = NodeKind::map;
  map.key = std::move(key);
  map.place = map.key_place = place.key_place;
  map.children = std::move(children);
  return map;
}

const ServerPreset* find_server(std::string_view name) {
  const auto presets = server_presets();
  const auto found = std::ranges::find(presets, known_server(name), &ServerPreset::name);
  return found == presets.end() ? nullptr : &*found;
}

// The server of `platform.npu: h100`, which stays the device. Nothing if no server is known by it.
std::optional<YamlNode> server_of_npu(YamlNode& platform) {
  const YamlNode* npu = platform.find("npu");
  const YamlNode* preset = npu != nullptr ? npu->find("preset") : nullptr;
  if (preset == nullptr || find_server(preset->text) == nullptr) return std::nullopt;
  return *preset;
}

// `nodes: 16` beside `topology: {rail: {nodes: 32, ...}}`, as a platform file has it.
void resize(YamlNode& platform) {
  const YamlNode* topology = platform.find("topology");
  if (topology->children.size() != 1 || topology->children.front().find("nodes") == nullptr) return;
  if (std::optional<YamlNode> nodes = taken(platform, "nodes"))
    *platform.find("topology")->children.front().find("nodes") = std::move(*nodes);
}

}  // namespace

void name_servers(YamlNode& root) {
  YamlNode* platform = root.find("platform");
  if (platform == nullptr || platform->kind != NodeKind::map) return;
  const YamlNode* nodes = platform->find("nodes");
  YamlNode* server = platform->find("server");
  YamlNode* file = platform->find("file");
  if (nodes != nullptr && file != nullptr && find_server(file->text) != nullptr) {
    file->key = "server";
  } else if (server != nullptr && (nodes == nullptr || nodes->text == "1") &&
             find_server(server->text) != nullptr) {
    server->key = "file";
    taken(*platform, "nodes");
  }
}

namespace {

// What the keys of platform are in the network that is made of them.
constexpr auto keys_of_network = std::to_array<std::pair<const char*, const char*>>(
    {{"nodes", "nodes"}, {"nic", "bandwidth"}, {"oversubscription", "oversubscription"}});

void name_as_written(Problems& problems, const std::string& network) {
  problems.name_as_written(network + ".node.preset", "platform.server");
  problems.name_as_written(network + ".node", "platform.server");
  for (const auto& [key, meant] : keys_of_network)
    problems.name_as_written(join_path(network, meant), join_path("platform", key));
}

}  // namespace

std::string add_network_of_servers(YamlNode& root, Problems& problems) {
  YamlNode* platform = root.find("platform");
  if (platform == nullptr || platform->kind != NodeKind::map) return "";
  if (platform->find("topology") != nullptr) {
    resize(*platform);
    return "";
  }
  const YamlNode* nodes = platform->find("nodes");
  if (nodes == nullptr) return "";
  std::optional<YamlNode> server = server_of_npu(*platform);
  if (const YamlNode* said = platform->find("server")) server = *said;
  if (!server) return "";
  const YamlNode place = *nodes;
  const ServerPreset* known = find_server(server->text);
  const bool assumes_nics = known != nullptr && !known->nic && platform->find("nic") == nullptr;
  if (assumes_nics) {
    YamlNode& nic = platform->children.emplace_back(*server);
    nic.key = "nic";
    nic.kind = NodeKind::scalar;
    nic.text = usual_nic;
  }
  taken(*platform, "server");
  const bool tapers = platform->find("oversubscription") != nullptr;
  server->key = "node";
  std::vector<YamlNode> keys{std::move(*server)};
  for (const auto& [key, meant] : keys_of_network)
    if (std::optional<YamlNode> value = taken(*platform, key)) {
      value->key = meant;
      keys.push_back(std::move(*value));
    }
  YamlNode network = map_at(place, tapers ? "leaf_spine" : "rail", std::move(keys));
  name_as_written(problems, "platform.topology." + network.key);
  YamlNode topology = map_at(place, "topology", {});
  topology.children.push_back(std::move(network));
  expand_names(topology, "platform.topology");
  platform->children.push_back(std::move(topology));
  return fmt::format("{}{}, ASSUMED", tapers ? "leaves and spines" : "rails",
                     assumes_nics ? fmt::format(" of {}", usual_nic) : "");
}

}  // namespace orrery::yaml
