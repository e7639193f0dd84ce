// The keys of `platform.topology` but `levels`, and of `network.routing` and `network.faults`.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "formats/hpcc/hpcc_format.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/topology_keys.h"
#include "network/problems.h"
#include "network/topology/builders/server_presets.h"
#include "network/written_links.h"

namespace orrery::yaml {

inline constexpr Limits port_count = between(1, ports_at_most), node_count = between(1, 1 << 20);

// Of a link, with the switch or NIC at its end: what the bundled platforms estimate.
inline constexpr Duration usual_latency = nanoseconds(500);
// Likewise, of a link inside a server and of one between an NPU and its NIC.
inline constexpr Duration latency_in_server = nanoseconds(200), latency_of_bus = nanoseconds(400);

// A bandwidth that the NICs of a named server decide, where the file does not.
template <class T>
void describe_bandwidth(Keys& keys, T& bandwidth, const ServerPreset* server,
                        const std::string& help) {
  const bool known = server != nullptr && server->nic;
  keys.optional("bandwidth", bandwidth, help + "; without it that of the NICs of a named server",
                positive, known ? fmt::format("preset {}", server->name) : "");
  keys.check([&](Reader& reader) {
    const YamlNode* node = reader.find("node");
    const bool unknown_server =
        server == nullptr && node != nullptr && node->find("preset") != nullptr;
    if (!known && !unknown_server && !reader.given("bandwidth"))
      reader.wrong_map("the key \"bandwidth\" is missing",
                       help + " (or name a server with NICs, such as node: hgx-h100)");
  });
}

inline void describe_wire(Keys& keys, Wire& wire, const ServerPreset* server) {
  if (server != nullptr && server->nic) wire.bandwidth = *server->nic;
  describe_bandwidth(keys, wire.bandwidth, server,
                     "bandwidth of a link into the network, in each direction");
  wire.latency = usual_latency;
  keys.optional("latency", wire.latency, "latency of each link of the network", not_negative);
}

// Returns the server that is named, nullptr if none is.
inline const ServerPreset* describe_node(Keys& keys, NodeSpec& node) {
  const ServerPreset* preset = nullptr;
  keys.preset(server_presets(), preset, "a server whose data sheet gives the other values");
  if (preset != nullptr) node = preset->server;
  keys.from_preset("npus", node.npus, "NPUs of a server", between(1, 4096));
  if (preset != nullptr) node.nics = preset->nics_for(node.npus);
  if (preset == nullptr) {
    node.inside = node.npus > 1 ? NodeInside::switched : NodeInside::none;
    node.link.latency = latency_in_server;
    node.bus.latency = latency_of_bus;
  }
  std::optional<NodeInside> inside;
  if (preset != nullptr) inside = node.inside;
  keys.optional("inside", inside,
                "how the NPUs of a server are joined; without it several by a switch");
  node.inside = inside.value_or(node.inside);
  const auto given_wire = [&](Wire& wire, std::string_view bandwidth_key,
                              std::string_view latency_key, std::string_view which) {
    std::optional<Bandwidth> bandwidth;
    if (preset != nullptr && wire.bandwidth > Bandwidth{}) bandwidth = wire.bandwidth;
    keys.optional(bandwidth_key, bandwidth, std::string("bandwidth of a link ").append(which),
                  positive);
    keys.optional(latency_key, wire.latency, std::string("latency of a link ").append(which),
                  not_negative);
    if (bandwidth) wire.bandwidth = *bandwidth;
  };
  given_wire(node.link, "bandwidth", "latency", "inside the server");
  keys.optional("nics", node.nics, "NICs of a server; 0: NPUs are plugged in themselves",
                between(0, 4096));
  given_wire(node.bus, "bus_bandwidth", "bus_latency", "between an NPU and its NIC");
  keys.optional("affinity", node.affinity, "the NIC of each NPU; without it, neighbours share",
                not_negative);
  return preset;
}

// What is plugged in, and how many. Returns the server that is named, nullptr if none is.
inline const ServerPreset* describe_servers(Keys& keys, NodeSpec& node) {
  const ServerPreset* preset = nullptr;
  if (!keys.given("node")) node = {};
  keys.optional_named_map("node", "what is plugged in: a server; without it, single NPUs",
                          [&](Keys& server) {
                            preset = describe_node(server, node);
                            server.check([&](Reader& reader) {
                              if (const auto problem = problem_of(node); problem && reader.clean())
                                reader.wrong(problem->key, problem->what, problem->remedy);
                            });
                          });
  return preset;
}

inline void describe_fat_tree(Keys& keys, FatTreeSpec& tree) {
  keys.optional("radix", tree.radix, "ports of a switch", between(2, ports_at_most));
  keys.optional("tiers", tree.tiers, "tiers of switches", between(1, 6));
  keys.optional("oversubscription", tree.oversubscription,
                "ports down for each port up, for each tier from the NPUs upwards; without it 1",
                port_count);
  const ServerPreset* server = describe_servers(keys, tree.node);
  OneOrMore<Bandwidth> bandwidth;
  if (server != nullptr && server->nic) bandwidth.values = {*server->nic};
  describe_bandwidth(
      keys, bandwidth, server,
      "bandwidth of a link: one for all tiers, or one for each from the NPUs upwards");
  tree.bandwidth = bandwidth.values;
  tree.latency = usual_latency;
  keys.optional("latency", tree.latency, "latency of each link", not_negative);
  std::optional<std::int32_t> nodes;
  keys.optional("nodes", nodes, "servers; without it as many as fit", node_count);
  tree.nodes = nodes.value_or(0);
}

inline void describe_leaf_spine(Keys& keys, LeafSpineSpec& tree) {
  keys.optional(
      "leaves", tree.leaves,
      "leaf switches; without it the fewest with ports for whole servers whose uplinks come out "
      "whole, or up to twice as many that have equally many servers",
      node_count);
  keys.optional("radix", tree.radix, "ports of a leaf, where `leaves` is not given",
                between(2, ports_at_most));
  keys.optional("plugs", tree.plugs,
                "ports of a leaf towards servers; without it as many as `nodes` need", port_count);
  keys.optional("spines", tree.spines,
                "spines, each joined to every leaf; without it as many as oversubscription needs",
                port_count);
  keys.optional("oversubscription", tree.oversubscription,
                "bandwidth of a leaf towards servers for each towards the spines; without it 1",
                between(1, 4096));
  const ServerPreset* server = describe_servers(keys, tree.node);
  describe_wire(keys, tree.wire, server);
  keys.optional("uplink_bandwidth", tree.uplink,
                "bandwidth of a link between leaf and spine; without it that of the other links",
                positive);
  std::optional<std::int32_t> nodes;
  keys.optional("nodes", nodes, "servers; without it as many as fit", node_count);
  tree.nodes = nodes.value_or(0);
}

inline void describe_rail(Keys& keys, RailSpec& rail) {
  keys.required("nodes", rail.nodes, "servers", node_count);
  std::optional<std::int32_t> unit;
  keys.optional("nodes_per_leaf", unit, "servers of a leaf; without it, all servers", node_count);
  rail.nodes_per_leaf = unit.value_or(0);
  keys.optional("spines", rail.spines,
                "switches that join all leaves; 0: rails are planes of their own",
                between(0, 4096));
  const ServerPreset* server = describe_servers(keys, rail.node);
  describe_wire(keys, rail.wire, server);
  std::optional<Bandwidth> spine;
  keys.optional("spine_bandwidth", spine,
                "bandwidth of a link between leaf and spine; without it that of the other links",
                positive);
  rail.spine_wire = {spine.value_or(rail.wire.bandwidth), rail.wire.latency};
}

inline void describe_dragonfly(Keys& keys, DragonflySpec& dragonfly) {
  keys.required("plugs", dragonfly.plugs, "ports of a router towards servers", port_count);
  keys.required("routers", dragonfly.routers, "routers of a group, all joined to each other",
                port_count);
  keys.required("globals", dragonfly.globals, "links of a router to other groups", port_count);
  std::optional<std::int32_t> groups;
  keys.optional("groups", groups, "groups; without it routers x globals + 1", node_count);
  dragonfly.groups = groups.value_or(0);
  const ServerPreset* server = describe_servers(keys, dragonfly.node);
  describe_wire(keys, dragonfly.plug_wire, server);
  std::optional<Bandwidth> local, global;
  std::optional<Duration> global_latency;
  keys.optional("local_bandwidth", local, "of a link inside a group", positive);
  keys.optional("global_bandwidth", global, "of a link between groups", positive);
  keys.optional("global_latency", global_latency, "of a link between groups", not_negative);
  const Wire plug = dragonfly.plug_wire;
  dragonfly.local_wire = {local.value_or(plug.bandwidth), plug.latency};
  dragonfly.global_wire = {global.value_or(plug.bandwidth), global_latency.value_or(plug.latency)};
}

inline void describe_hyperx(Keys& keys, HyperxSpec& hyperx) {
  keys.required("sizes", hyperx.sizes, "switches in each dimension", between(2, 4096));
  keys.required("plugs", hyperx.plugs, "ports of a switch towards servers", port_count);
  const ServerPreset* server = describe_servers(keys, hyperx.node);
  describe_wire(keys, hyperx.plug_wire, server);
  OneOrMore<Bandwidth> given{{hyperx.plug_wire.bandwidth}};
  keys.optional("dimension_bandwidth", given,
                "bandwidth of a link between switches: one for all dimensions, or one for each",
                positive);
  hyperx.wires.clear();
  for (const Bandwidth bandwidth : given.values)
    hyperx.wires.push_back({bandwidth, hyperx.plug_wire.latency});
}

inline void describe_torus(Keys& keys, TorusSpec& torus) {
  keys.required("sizes", torus.sizes, "NPUs in each dimension, 1 to 6 of them",
                between(2, 1 << 20));
  OneOrMore<LevelKind> kinds{torus.kinds};
  keys.optional("kinds", kinds,
                "ring (wraps around) or mesh (does not), for all dimensions or for each");
  constexpr const char* bandwidth_help =
      "bandwidth of a link in one direction: one for all dimensions, or one for each";
  OneOrMore<Bandwidth> bandwidth;
  keys.optional("bandwidth", bandwidth,
                std::string(bandwidth_help) + "; without it that of a named TPU", positive);
  keys.check([&](Reader& reader) {
    if (!reader.given("bandwidth"))
      reader.wrong_map("the key \"bandwidth\" is missing",
                       std::string(bandwidth_help) + " (or name a TPU, such as npu: tpu-v5p)");
  });
  OneOrMore<Duration> latency{{usual_latency}};
  keys.optional("latency", latency, "latency of a link: one for all dimensions, or one for each",
                not_negative);
  torus.kinds = kinds.values;
  torus.bandwidth = bandwidth.values;
  torus.latency = latency.values;
  keys.optional("scope", torus.scope,
                "local (inside a node) or scale_out: decides the injection latency");
}

inline void describe_graph(Keys& keys, WrittenGraph& graph) {
  keys.items("nodes", graph.nodes, "the NPUs, in the order of their ranks, NICs and switches",
             [](Keys& node, WrittenNode& spec, std::size_t) {
               node.required("name", spec.name, "what links, reports and faults call it");
               node.required("kind", spec.kind, "npu, nic or switch");
             });
  keys.items(
      "links", graph.links, "the links between the nodes",
      [](Keys& link, WrittenLink& spec, std::size_t) {
        link.required("from", spec.from, "the name of a node");
        link.required("to", spec.to, "the name of another one");
        link.required("bandwidth", spec.wire.bandwidth, "bandwidth in one direction", positive);
        spec.wire.latency = usual_latency;
        link.optional("latency", spec.wire.latency, "latency of the link", not_negative);
        link.optional("cost", spec.cost, "cost of the link; routes minimise the sum of the costs",
                      between(1, 1000));
        link.optional("one_way", spec.one_way, "true: there is no link in the other direction");
      });
  keys.optional("groups", graph.groups,
                "how the NPUs are grouped into levels, innermost first: sizes that multiply to "
                "their number; without it one level",
                between(2, 1 << 24));
  keys.optional("npus_forward", graph.npus_forward, "NPUs forward messages of others");
}

// All but `levels`. Of several ways to say it, exactly one is there.
inline void describe_built_topology(Keys& keys, TopologySpec& topology) {
  const auto one = [&](std::string_view key, std::string_view help, auto spec, auto describe,
                       TopologySpec (*make)(const decltype(spec)&)) {
    if (!keys.given(key)) return;
    const auto describe_one = [&](Keys& inner) {
      describe(inner, spec);
      inner.check([&](Reader& reader) {
        if (reader.clean()) build(reader, spec, make, topology);
      });
    };
    if (key == "torus")
      keys.optional_sized_map(key, help, describe_one);
    else
      keys.optional_map(key, help, describe_one);
  };
  one("fat_tree", "a folded Clos of switches with so many ports", FatTreeSpec{}, describe_fat_tree,
      build_fat_tree);
  one("leaf_spine", "two tiers, every leaf joined to every spine", LeafSpineSpec{},
      describe_leaf_spine, build_leaf_spine);
  one("rail", "a leaf for each local index: rail-optimised", RailSpec{}, describe_rail, build_rail);
  one("dragonfly", "groups of routers, all joined to each other", DragonflySpec{},
      describe_dragonfly, build_dragonfly);
  one("hyperx", "a grid of switches, rows all joined", HyperxSpec{}, describe_hyperx, build_hyperx);
  one("torus", "a torus or mesh of 1 to 6 dimensions, short for levels", TorusSpec{},
      describe_torus, build_torus);
  one("graph", "nodes and links, written out", WrittenGraph{}, describe_graph, build_graph);
  if (keys.given("hpcc")) {
    std::optional<std::string> file;
    keys.optional("hpcc", file, "a file in the topology format of ns-3's HPCC simulator");
    keys.check([&](Reader& reader) {
      const YamlNode* node = reader.find("hpcc");
      if (node->kind != NodeKind::scalar || !reader.clean()) return;
      const std::string path = resolved_path(*node);
      if (const std::string* text = reader.contents("hpcc", path))
        topology = parse_hpcc_topology(*text, path);
    });
  }
}

inline void describe_routing(Keys& keys, RoutingSpec& routing, const TopologySpec& topology,
                             bool topology_known) {
  keys.optional("policy", routing.policy,
                "how a path is chosen; automatic: dimension_order on levels; on graphs "
                "ecmp_expected, or ecmp if the backend has packets");
  keys.optional("paths", routing.paths, "connections between two nodes, for qp_spread", port_count);
  keys.optional("spray", routing.spray,
                "how a switch sprays packets over its equal links, for spray on packet backends");
  keys.optional("flowlet_gap", routing.flowlet_gap,
                "a flow that paused for so long at a switch may take another link, for letflow "
                "and conga",
                positive);
  keys.optional("seed", routing.seed, "seed of the hash that chooses between equal paths",
                any_value, "the experiment's seed");
  keys.optional("reroute_delay", routing.reroute_delay,
                "time from a change of the links until routes take it into account", not_negative);
  std::optional<std::string> file;
  keys.optional("routes", file, "CSV with a static route in each line: from,to,via,via,...");
  keys.check([&](Reader& reader) {
    if (!reader.clean() || !topology_known) return;
    reader.report(problems_of(routing, topology));
    if (file) read_routes(reader, topology, routing);
  });
}

inline void describe_faults(Keys& keys, RoutingSpec& routing, const TopologySpec& topology,
                            bool topology_known) {
  std::vector<WrittenFault> faults;
  keys.optional_items(
      "faults", faults, "links and nodes that fail, recover or slow down",
      [](Keys& fault, WrittenFault& spec, std::size_t) {
        fault.required("at", spec.at, "simulated time", not_negative);
        fault.optional("link", spec.link, "\"a -> b\", \"a - b\" (both ways), or its index");
        fault.optional("node", spec.node,
                       "a node, by name or index: the change applies to all its links");
        fault.exactly_one({"link", "node"}, "say what it befalls");
        fault.required("state", spec.state, "new state of the link or node");
        fault.optional("bandwidth", spec.bandwidth, "bandwidth of a degraded link", positive);
      });
  keys.check([&](Reader& reader) {
    if (reader.clean() && topology_known && !faults.empty())
      reader.report(add_faults(routing, faults, topology));
  });
}

}  // namespace orrery::yaml
