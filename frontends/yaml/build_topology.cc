#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "frontends/topology/hpcc_format.h"
#include "frontends/yaml/describe_platform.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/topology_keys.h"

namespace orrery::yaml {
namespace {

template <class Spec>
bool is_good(Reader& keys, const Spec& spec) {
  const auto problem = problem_of(spec);
  if (!problem) return true;
  if (problem->key.empty() || !keys.given(problem->key))
    keys.wrong_map(problem->what, problem->remedy);
  else
    keys.wrong(problem->key, problem->what, problem->remedy);
  return false;
}

// One for all of `count`, or one each.
template <class T>
bool fits(Reader& keys, std::string_view key, const OneOrMore<T>& list, std::size_t count,
          std::string_view of) {
  if (list.values.size() == 1 || list.values.size() == count) return true;
  keys.wrong(key, fmt::format("{} values for {} {}", list.values.size(), count, of),
             "write one for all, or one for each");
  return false;
}

template <class T>
const T& value_at(const OneOrMore<T>& list, std::size_t index) {
  return list.values[std::min(index, list.values.size() - 1)];
}

}  // namespace

void build(Reader& keys, const FatTreeKeys& tree, TopologySpec& topology) {
  const auto tiers = static_cast<std::size_t>(tree.tiers);
  if (!fits(keys, "bandwidth", tree.bandwidth, tiers, "tiers")) return;
  if (tree.oversubscription.size() >= tiers)
    return keys.wrong("oversubscription",
                      fmt::format("{} ratios for {} tiers", tree.oversubscription.size(), tiers),
                      "the topmost tier has no links up: write one less at most");
  for (std::size_t t = 0; t + 1 < tiers; ++t) {
    const std::int32_t ratio = t < tree.oversubscription.size() ? tree.oversubscription[t] : 1;
    if (tree.radix % (ratio + 1) != 0)
      return keys.wrong("radix",
                        fmt::format("{} ports cannot be {} down for 1 up", tree.radix, ratio),
                        fmt::format("make it a multiple of {}", ratio + 1));
  }
  TreeSpec spec{tree.node, tiers_by_radix(tree.radix, tree.tiers, tree.oversubscription, {}),
                tree.nodes};
  for (std::size_t t = 0; t < tiers; ++t)
    spec.tiers[t].wire = {value_at(tree.bandwidth, t), tree.latency};
  if (is_good(keys, spec)) topology = build_tree(spec);
}

namespace {

// Ports of a leaf towards servers: as written, or as many as the servers need.
std::optional<std::int32_t> plugs_of(Reader& keys, const LeafSpineKeys& tree) {
  if (tree.plugs) return tree.plugs;
  if (tree.nodes == 0) {
    keys.wrong_map("how many servers there are is not said",
                   "write nodes, or plugs: ports of a leaf towards servers");
    return std::nullopt;
  }
  const std::int64_t all = std::int64_t{tree.nodes} * tree.node.plugs();
  const std::int64_t each = (all + tree.leaves - 1) / tree.leaves;
  if (each <= port_count.most) return static_cast<std::int32_t>(each);
  keys.wrong(
      "leaves", fmt::format("{} servers need {} ports of each leaf", tree.nodes, each),
      fmt::format("write at least {} leaves", (all + port_count.most - 1) / port_count.most));
  return std::nullopt;
}

// Spines: as written, or so many that the uplinks of a leaf have the share of its ports that
// oversubscription says.
std::optional<std::int32_t> spines_of(Reader& keys, const LeafSpineKeys& tree, std::int32_t plugs,
                                      Bandwidth uplink) {
  if (tree.spines && tree.oversubscription) {
    keys.wrong("oversubscription", "it follows from plugs, spines and their bandwidths",
               "leave it out, or leave spines out");
    return std::nullopt;
  }
  if (tree.spines) return tree.spines;
  const double ratio = tree.oversubscription.value_or(1);
  const double down = static_cast<double>(plugs) * static_cast<double>(tree.wire.bandwidth.value);
  const double exact = down / ratio / static_cast<double>(uplink.value);
  const double whole = std::round(exact);
  if (std::abs(exact - whole) <= 1e-9 * whole && whole >= 1 && whole <= port_count.most)
    return static_cast<std::int32_t>(whole);
  keys.wrong_map(
      fmt::format("{} ports of {} at {}:1 need {:.4g} uplinks of {}", plugs,
                  to_text(tree.wire.bandwidth), ratio, exact, to_text(uplink)),
      fmt::format("write spines, from 1 to {}, or another number of leaves", port_count.most));
  return std::nullopt;
}

}  // namespace

void build(Reader& keys, const LeafSpineKeys& tree, TopologySpec& topology) {
  const Wire up{tree.uplink.value_or(tree.wire.bandwidth), tree.wire.latency};
  const std::optional<std::int32_t> plugs = plugs_of(keys, tree);
  if (!plugs) return;
  const std::optional<std::int32_t> spines = spines_of(keys, tree, *plugs, up.bandwidth);
  if (!spines) return;
  const TreeSpec spec{
      tree.node, {{"leaf", *plugs, *spines, tree.wire}, {"spine", tree.leaves, 1, up}}, tree.nodes};
  if (is_good(keys, spec)) topology = build_tree(spec);
}

void build(Reader& keys, const RailSpec& rail, TopologySpec& topology) {
  if (is_good(keys, rail)) topology = build_rail(rail);
}

void build(Reader& keys, const DragonflySpec& dragonfly, TopologySpec& topology) {
  if (is_good(keys, dragonfly)) topology = build_dragonfly(dragonfly);
}

void build(Reader& keys, const HyperxSpec& hyperx, TopologySpec& topology) {
  const OneOrMore<Wire> wires{hyperx.wires};
  if (fits(keys, "dimension_bandwidth", wires, hyperx.sizes.size(), "dimensions") &&
      is_good(keys, hyperx))
    topology = build_hyperx(hyperx);
}

void build(Reader& keys, const TorusKeys& torus, TopologySpec& topology) {
  const std::size_t dimensions = torus.sizes.size();
  if (dimensions > 6)
    return keys.wrong("sizes", fmt::format("{} dimensions", dimensions),
                      "write at most 6, or levels");
  bool good = fits(keys, "kinds", torus.kinds, dimensions, "dimensions");
  good &= fits(keys, "bandwidth", torus.bandwidth, dimensions, "dimensions");
  good &= fits(keys, "latency", torus.latency, dimensions, "dimensions");
  for (const LevelKind kind : torus.kinds.values) {
    if (kind == LevelKind::ring || kind == LevelKind::mesh) continue;
    keys.wrong("kinds", in_quotes(name_of(kind)) + " is no dimension of a torus",
               "write ring or mesh, or use levels");
    good = false;
  }
  std::int64_t npus = 1;
  for (const std::int32_t size : torus.sizes) npus = std::min(npus * size, npus_at_most + 1);
  if (good && npus > npus_at_most / static_cast<std::int64_t>(2 * dimensions)) {
    keys.wrong("sizes", fmt::format("so many NPUs in {} dimensions are too large", dimensions),
               "make a dimension smaller");
    good = false;
  }
  if (!good) return;
  for (std::size_t d = 0; d < dimensions; ++d)
    topology.levels.push_back({fmt::format("dimension {}", d + 1), value_at(torus.kinds, d),
                               torus.sizes[d], value_at(torus.bandwidth, d),
                               value_at(torus.latency, d), torus.scope});
}

namespace {

// The levels of a graph that only says how its NPUs are grouped: what an NPU can send, and the
// shortest of its links.
std::vector<LevelSpec> grouped(const GraphSpec& graph, std::int32_t npus,
                               std::vector<std::int32_t> groups) {
  std::vector<Bandwidth> out(graph.nodes.size());
  Duration least = graph.links.front().latency;
  for (const Link& link : graph.links) {
    out[link.from.value] += link.bandwidth;
    least = std::min(least, link.latency);
  }
  const Bandwidth most = *std::max_element(out.begin(), out.begin() + npus);
  if (groups.empty()) groups.push_back(npus);
  std::vector<LevelSpec> levels;
  for (std::size_t l = 0; l < groups.size(); ++l)
    levels.push_back({groups.size() == 1 ? "network" : fmt::format("level {}", l), LevelKind::graph,
                      groups[l], most, least,
                      l == 0 && groups.size() > 1 ? Scope::local : Scope::scale_out});
  return levels;
}

// Links count under the innermost level that holds both ends' NPUs, or else the outermost.
void assign_levels(GraphSpec& graph, std::int32_t npus, const std::vector<LevelSpec>& levels) {
  for (Link& link : graph.links) {
    link.level = static_cast<std::int32_t>(levels.size()) - 1;
    if (std::max(link.from.value, link.to.value) >= npus) continue;
    std::int32_t size = 1;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      size *= levels[l].size;
      if (link.from.value / size != link.to.value / size) continue;
      link.level = static_cast<std::int32_t>(l);
      break;
    }
  }
}

}  // namespace

void build(Reader& keys, const GraphKeys& keys_of_graph, TopologySpec& topology) {
  GraphSpec graph;
  graph.npus_forward = keys_of_graph.npus_forward;
  std::map<std::string, NodeId> by_name;
  std::vector<std::string_view> names;
  for (const orrery::NodeKind kind :
       {orrery::NodeKind::npu, orrery::NodeKind::nic, orrery::NodeKind::switched})
    for (std::size_t i = 0; i < keys_of_graph.nodes.size(); ++i) {
      const GraphNodeKeys& node = keys_of_graph.nodes[i];
      if (node.kind != kind) continue;
      const NodeId id{static_cast<std::int32_t>(graph.nodes.size())};
      if (!by_name.emplace(node.name, id).second)
        keys.wrong_item("nodes", i, "the name " + in_quotes(node.name) + " is taken",
                        "every node has its own");
      graph.nodes.push_back({node.kind, node.name});
      names.push_back(node.name);
    }
  const auto npus = static_cast<std::int32_t>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(),
                    [](const GraphNode& node) { return node.kind == orrery::NodeKind::npu; }));
  for (std::size_t i = 0; i < keys_of_graph.links.size(); ++i) {
    const GraphLinkKeys& link = keys_of_graph.links[i];
    const auto from = by_name.find(link.from), to = by_name.find(link.to);
    for (const auto& [found, name] : {std::pair{from, &link.from}, {to, &link.to}})
      if (found == by_name.end())
        keys.wrong_item("links", i, "there is no node " + in_quotes(*name),
                        suggestion(*name, names));
    if (from == by_name.end() || to == by_name.end()) continue;
    if (from == to) {
      keys.wrong_item("links", i, in_quotes(link.from) + " is joined to itself", "name two nodes");
      continue;
    }
    const Link made{from->second, to->second, 0, link.wire.bandwidth, link.wire.latency, link.cost};
    graph.links.push_back(made);
    if (link.one_way) continue;
    graph.links.push_back(made);
    std::swap(graph.links.back().from, graph.links.back().to);
  }
  if (npus < 2) keys.wrong("nodes", fmt::format("{} NPUs", npus), "a cluster has at least two");
  std::int64_t product = 1;
  for (const std::int32_t size : keys_of_graph.groups) product *= size;
  if (!keys_of_graph.groups.empty() && product != npus)
    keys.wrong("groups",
               fmt::format("the sizes multiply to {}, and there are {} NPUs", product, npus),
               "all NPUs are in groups of equal size");
  if (!keys.clean()) return;
  topology.levels = grouped(graph, npus, keys_of_graph.groups);
  assign_levels(graph, npus, topology.levels);
  topology.graph = std::make_shared<const GraphSpec>(std::move(graph));
}

void read_hpcc(Reader& topology, TopologySpec& spec) {
  const YamlNode* file = topology.find("hpcc");
  if (file == nullptr || file->kind != NodeKind::scalar || !topology.clean()) return;
  const std::string path = resolved_path(*file);
  spec = parse_hpcc_topology(topology.contents("hpcc", path), path);
}

}  // namespace orrery::yaml
