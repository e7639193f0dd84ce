#include "frontends/yaml/network_of_servers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "formats/yaml/preset_sections.h"
#include "frontends/yaml/named_sections.h"
#include "network/topology/builders/server_presets.h"
#include "system/npu_presets.h"

namespace orrery::yaml {

namespace {

// Where a server is sold without NICs, one for each NPU: what clouds build in, such as Azure's ND
// MI300X v5 (8 of 400 Gb/s).
constexpr const char* usual_nic = "400 Gb/s";
constexpr const char* nics_assumed = "NICs of 400 Gb/s, ASSUMED";

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

// The server of a platform, or the one that has its device; a map without a name, or NPUs and links
// of its own, is that one, changed.
std::optional<YamlNode> server_of(YamlNode& platform) {
  std::optional<YamlNode> by_npu = server_of_npu(platform);
  const YamlNode* said = platform.find("server");
  if (said == nullptr) return by_npu;
  YamlNode server = *said;
  if (YamlNode* preset = server.find("preset")) preset->text = known_server(preset->text);
  const bool is_named = server.kind != NodeKind::map || server.find("preset") != nullptr ||
                        (server.find("npus") != nullptr && server.find("bandwidth") != nullptr);
  if (!is_named && by_npu) {
    by_npu->text = known_server(by_npu->text);
    server.children.push_back(*std::move(by_npu));
  }
  return server;
}

const YamlNode& name_of_server(const YamlNode& server) {
  const YamlNode* preset = server.find("preset");
  return preset == nullptr ? server : *preset;
}

// " of hgx-h100", if the server is named by its device.
std::string assumed_server(const YamlNode& server) {
  const std::string& name = name_of_server(server).text;
  return find_npu_preset(known_name(name)) == nullptr ? ""
                                                      : fmt::format(" of {}", known_server(name));
}

// Networks of servers that `nodes`, `server`, `nic` and `oversubscription` beside them belong to.
constexpr std::array<std::string_view, 5> of_servers{"rail", "leaf_spine", "fat_tree", "dragonfly",
                                                     "hyperx"};

// The network of servers that a platform names, nullptr if it names none or another one.
YamlNode* named_network(YamlNode& platform) {
  YamlNode* topology = platform.find("topology");
  if (topology->kind != NodeKind::map || topology->children.size() != 1) return nullptr;
  YamlNode& only = topology->children.front();
  const bool may = only.kind == NodeKind::map || only.kind == NodeKind::null;
  return may && std::ranges::count(of_servers, only.key) > 0 ? &only : nullptr;
}

// Others are as large as their switches make them.
bool counts_nodes(std::string_view network) {
  return network == "rail" || network == "leaf_spine" || network == "fat_tree";
}

// `{nodes: 4, dragonfly: {plugs: 4, routers: 8, globals: 2}}`
void refuse_nodes(YamlNode& platform, Problems& problems) {
  YamlNode& topology = *platform.find("topology");
  if (topology.kind != NodeKind::map || topology.children.size() != 1) return;
  const std::string& network = topology.children.front().key;
  const bool is_builder =
      std::ranges::find(network_builders, network) != network_builders.end() && network != "levels";
  if (!is_builder || counts_nodes(network)) return;
  const bool beside = platform.find("nodes") != nullptr;
  if (!beside && network == "graph") return;  // its nodes are a list
  if (const auto nodes = taken(beside ? platform : topology.children.front(), "nodes"))
    problems.add(nodes->key_place,
                 beside ? "platform.nodes" : fmt::format("platform.topology.{}.nodes", network),
                 fmt::format("`{}` says how many there are", network),
                 network == "dragonfly"
                     ? "leave it out: NICs, one for each NPU, are plugs x routers x groups, and "
                       "groups is routers x globals + 1 unless you write it"
                     : "leave it out, and size it by its own keys; rail, leaf_spine and fat_tree "
                       "count servers");
}

// Whether a network of single NPUs has all that it needs, such as leaf_spine: {leaves: 3, plugs: 8,
// bandwidth: 100 Gb/s}: `ranks` beside it count these NPUs.
bool stands_alone(const YamlNode& network) {
  return network.find("bandwidth") != nullptr && network.find("node") == nullptr &&
         network.find(network.key == "fat_tree" ? "radix" : "plugs") != nullptr;
}

// `{npu: h100, ranks: 512}`: the servers that have so many, if they are whole ones; of a single
// server the platform of its name, which `ranks` makes smaller.
void count_servers(YamlNode& platform) {
  YamlNode* ranks = platform.find("ranks");
  if (ranks == nullptr || ranks->kind != NodeKind::scalar || platform.find("nodes") != nullptr ||
      platform.find("file") != nullptr)
    return;
  if (platform.find("topology") != nullptr) {
    const YamlNode* network = named_network(platform);
    if (network == nullptr || network->find("nodes") != nullptr || !counts_nodes(network->key) ||
        (platform.find("server") == nullptr && stands_alone(*network)))
      return;
  }
  std::optional<YamlNode> server = server_of(platform);
  const ServerPreset* known = server ? find_server(name_of_server(*server).text) : nullptr;
  std::int64_t count = 0;
  const auto* end = ranks->text.data() + ranks->text.size();
  if (known == nullptr || std::from_chars(ranks->text.data(), end, count).ptr != end) return;
  const std::int32_t of_server = known->server.npus;
  if (count > of_server) {
    YamlNode nodes = *ranks;
    nodes.key = "nodes";
    nodes.text = std::to_string((count + of_server - 1) / of_server);
    if (count % of_server == 0) taken(platform, "ranks");  // else it is told to be wrong
    platform.children.push_back(std::move(nodes));
  } else if (count <= of_server && platform.find("server") == nullptr) {
    server->key = "server";
    platform.children.push_back(std::move(*server));
  }
}

}  // namespace

void name_server(YamlNode& server) {
  YamlNode preset = server;
  preset.key = "preset";
  preset.text = known_server(preset.text);
  server.kind = NodeKind::map;
  server.text.clear();
  server.children = {std::move(preset)};
}

void name_servers(YamlNode& root, Problems& problems) {
  YamlNode* platform = root.find("platform");
  if (platform == nullptr || platform->kind != NodeKind::map) return;
  count_servers(*platform);
  const YamlNode* nodes = platform->find("nodes");
  YamlNode* server = platform->find("server");
  YamlNode* file = platform->find("file");
  if (platform->find("topology") != nullptr) return;
  if (nodes != nullptr && file != nullptr && find_server(file->text) != nullptr) {
    file->key = "server";
  } else if (server != nullptr && server->kind == NodeKind::scalar && file == nullptr &&
             (nodes == nullptr || nodes->text == "1")) {
    server->key = "file";
    for (const char* key : {"nic", "oversubscription"})
      if (const auto unused = taken(*platform, key))
        problems.add(unused->key_place, join_path("platform", key),
                     "one server has no network between servers",
                     "leave it out, or write nodes: 2 or more");
    taken(*platform, "nodes");
  }
}

namespace {

// What the keys of platform are in the network that is made of them.
constexpr auto keys_of_network = std::to_array<std::pair<const char*, const char*>>(
    {{"nodes", "nodes"}, {"nic", "bandwidth"}, {"oversubscription", "oversubscription"}});

// Problems of what has been moved into `network` name where it stands in the file.
void name_as_written(Problems& problems, const std::string& network, std::string_view meant) {
  if (meant == "node") {
    problems.name_as_written(network + ".node.preset", "platform.server");
    problems.name_as_written(network + ".node", "platform.server");
  }
  for (const auto& [key, of_network] : keys_of_network)
    if (meant == of_network)
      problems.name_as_written(join_path(network, meant), join_path("platform", key));
}

// Adds the NICs that a server usually has, if it has none of its own and `network` says no links.
// Returns whether it did.
bool assume_nics(YamlNode& platform, const YamlNode& server, const YamlNode* network) {
  const ServerPreset* known = find_server(name_of_server(server).text);
  if (known == nullptr || known->nic || platform.find("nic") != nullptr ||
      child_of(network, "bandwidth") != nullptr)
    return false;
  YamlNode nic = name_of_server(server);
  nic.key = "nic";
  nic.kind = NodeKind::scalar;
  nic.text = usual_nic;
  platform.children.push_back(std::move(nic));
  return true;
}

// `nic: 2x400 Gb/s`: takes the number of NICs of a server off the bandwidth of one.
std::optional<YamlNode> take_nic_count(YamlNode& platform) {
  YamlNode* nic = platform.find("nic");
  if (nic == nullptr || nic->kind != NodeKind::scalar) return std::nullopt;
  const std::size_t digits = nic->text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string::npos) return std::nullopt;
  const std::size_t times = nic->text.find_first_not_of(' ', digits);
  if (times == std::string::npos || nic->text[times] != 'x') return std::nullopt;
  YamlNode count = *nic;
  count.key = "nics";
  count.text = nic->text.substr(0, digits);
  nic->text.erase(0, nic->text.find_first_not_of(' ', times + 1));
  return count;
}

// A server as the `node` of a network: its name, or its name and how many NICs it has.
YamlNode node_of(YamlNode server, const std::optional<YamlNode>& nics) {
  server.key = "node";
  if (!nics) return server;
  if (server.kind == NodeKind::scalar) name_server(server);
  server.children.push_back(*nics);
  return server;
}

// `{nodes: 16, server: hgx-h100, leaf_spine: {spines: 4}}`: what the network does not have itself
// becomes a key of it. Its `nodes` are replaced: `{file: dgx-h100-rail, nodes: 16}`.
std::string move_into_network(YamlNode& platform, Problems& problems) {
  refuse_nodes(platform, problems);
  const YamlNode* network = named_network(platform);
  if (network == nullptr) return "";
  std::optional<YamlNode> server;
  if (platform.find("server") != nullptr ||
      (platform.find("nodes") != nullptr && network->find("nodes") == nullptr))
    server = server_of(platform);
  // A key of the platform that the network has itself.
  const auto refuse = [&](std::string_view key, std::string_view meant) {
    const std::string& network_key = named_network(platform)->key;
    const std::string what = fmt::format("{} has `{}`, which says the same", network_key, meant);
    if (const auto twice = taken(platform, key))
      problems.add(twice->key_place, join_path("platform", key), what, "keep one of the two");
  };
  std::string assumed;
  if (const YamlNode* node = network->find("node")) {
    server.reset();
    refuse("server", "node");
    if (assume_nics(platform, *node, network)) assumed = nics_assumed;
  }
  std::vector<YamlNode> moved;
  if (server) {
    if (assume_nics(platform, *server, network)) assumed = nics_assumed;
    taken(platform, "server");
    moved.push_back(node_of(std::move(*server), take_nic_count(platform)));
  }
  for (const auto& [key, meant] : keys_of_network) {
    const YamlNode& to = *named_network(platform);
    const bool is_nodes = std::string_view(key) == "nodes";
    if (to.find(meant) != nullptr && !is_nodes) refuse(key, meant);
    if (is_nodes && !counts_nodes(to.key)) continue;
    if (std::optional<YamlNode> value = taken(platform, key)) {
      value->key = meant;
      moved.push_back(std::move(*value));
    }
  }
  if (moved.empty()) return "";
  YamlNode& filled = *named_network(platform);
  filled.kind = NodeKind::map;
  for (YamlNode& key : moved) {
    name_as_written(problems, "platform.topology." + filled.key, key.key);
    if (YamlNode* own = filled.find(key.key))
      *own = std::move(key);
    else
      filled.children.push_back(std::move(key));
  }
  expand_names(*platform.find("topology"), "platform.topology");
  return assumed;
}

}  // namespace

std::string add_network_of_servers(YamlNode& root, Problems& problems) {
  YamlNode* platform = root.find("platform");
  if (platform == nullptr || platform->kind != NodeKind::map) return "";
  if (platform->find("topology") != nullptr) return move_into_network(*platform, problems);
  const YamlNode* nodes = platform->find("nodes");
  if (nodes == nullptr) return "";
  std::optional<YamlNode> server = server_of(*platform);
  if (!server) return "";
  const YamlNode place = *nodes;
  const std::string of_server = assumed_server(*server);
  const bool assumes_nics = assume_nics(*platform, *server, nullptr);
  taken(*platform, "server");
  const bool tapers = platform->find("oversubscription") != nullptr;
  std::vector<YamlNode> keys{node_of(std::move(*server), take_nic_count(*platform))};
  for (const auto& [key, meant] : keys_of_network)
    if (std::optional<YamlNode> value = taken(*platform, key)) {
      value->key = meant;
      keys.push_back(std::move(*value));
    }
  YamlNode network = map_at(place, tapers ? "leaf_spine" : "rail", std::move(keys));
  for (const YamlNode& key : network.children)
    name_as_written(problems, "platform.topology." + network.key, key.key);
  YamlNode topology = map_at(place, "topology", {std::move(network)});
  expand_names(topology, "platform.topology");
  platform->children.push_back(std::move(topology));
  const std::string nics =
      assumes_nics ? fmt::format(" {} {}", of_server.empty() ? "of" : "with", usual_nic) : "";
  return fmt::format("{}{}{}, ASSUMED", tapers ? "leaves and spines" : "rails", of_server, nics);
}

}  // namespace orrery::yaml
