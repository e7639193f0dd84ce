// What the keys of `platform.topology` say before it is built, and the building.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/yaml/reader.h"
#include "network/network_spec.h"
#include "network/topology/builders/cluster_graph.h"
#include "network/topology/builders/dragonfly.h"
#include "network/topology/builders/hyperx.h"
#include "network/topology/builders/rail.h"
#include "network/topology/builders/tree.h"
#include "network/topology/topology.h"

namespace orrery::yaml {

struct FatTreeKeys {
  NodeSpec node;
  std::int32_t radix = 0, tiers = 3, nodes = 0;
  std::vector<std::int32_t> oversubscription;
  OneOrMore<Bandwidth> bandwidth;
  Duration latency;
};

struct LeafSpineKeys {
  NodeSpec node;
  std::int32_t leaves = 0, nodes = 0;
  std::optional<std::int32_t> plugs, spines;
  std::optional<double> oversubscription;
  Wire wire;
  std::optional<Bandwidth> uplink;
};

struct TorusKeys {
  std::vector<std::int32_t> sizes;
  OneOrMore<LevelKind> kinds{{LevelKind::ring}};
  OneOrMore<Bandwidth> bandwidth;
  OneOrMore<Duration> latency;
  Scope scope = Scope::scale_out;
};

struct GraphNodeKeys {
  std::string name;
  orrery::NodeKind kind = orrery::NodeKind::switched;  // not that of YAML
};
struct GraphLinkKeys {
  std::string from, to;
  Wire wire;
  std::int32_t cost = 1;
  bool one_way = false;
};
struct GraphKeys {
  std::vector<GraphNodeKeys> nodes;
  std::vector<GraphLinkKeys> links;
  std::vector<std::int32_t> groups;
  bool npus_forward = false;
};

// Each reports what is wrong with the keys under `key`, or fills `topology`.
void build(Reader& keys, const FatTreeKeys& tree, TopologySpec& topology);
void build(Reader& keys, const LeafSpineKeys& tree, TopologySpec& topology);
void build(Reader& keys, const RailSpec& rail, TopologySpec& topology);
void build(Reader& keys, const DragonflySpec& dragonfly, TopologySpec& topology);
void build(Reader& keys, const HyperxSpec& hyperx, TopologySpec& topology);
void build(Reader& keys, const TorusKeys& torus, TopologySpec& topology);
void build(Reader& keys, const GraphKeys& graph, TopologySpec& topology);
// `hpcc: FILE`, a key of `topology` itself.
void read_hpcc(Reader& topology, TopologySpec& spec);

// --- network.routing and network.faults ---

struct FaultKeys {
  Duration at;
  std::string link, node;
  LinkCondition state = LinkCondition::down;
  std::optional<Bandwidth> bandwidth;
};
// Finds the links and nodes by name or index.
void resolve_faults(Reader& network, const std::vector<FaultKeys>& faults,
                    const TopologySpec& topology, RoutingSpec& routing);

struct CaptureKeys {
  std::string link;
  std::vector<std::int32_t> between;
};
void resolve_captures(Reader& transport, const std::vector<CaptureKeys>& captures,
                      const TopologySpec& topology, NetworkSpec& network);
void resolve_watched(Reader& switches, const std::vector<std::string>& links,
                     const TopologySpec& topology, SwitchSpec& spec);
// Routes of the CSV file under `routes`.
void read_routes(Reader& keys, const TopologySpec& topology, RoutingSpec& routing);

}  // namespace orrery::yaml
