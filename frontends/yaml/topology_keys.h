// What the keys of `platform.topology` and of `network` say of nodes and links, and what they
// become.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/yaml/reader.h"
#include "network/network_spec.h"
#include "network/topology/builders/dragonfly.h"
#include "network/topology/builders/hyperx.h"
#include "network/topology/builders/rail.h"
#include "network/topology/builders/torus.h"
#include "network/topology/builders/tree.h"
#include "network/topology/builders/written_graph.h"
#include "network/topology/topology.h"

namespace orrery::yaml {

// Reports what is wrong with what is below the key, or makes `topology` of it.
template <class Spec>
void build(Reader& keys, const Spec& spec, TopologySpec (*make)(const Spec&),
           TopologySpec& topology) {
  if constexpr (requires { problems_of(spec); }) {
    keys.report(problems_of(spec));
  } else if (const auto problem = problem_of(spec)) {
    keys.report(*problem);
  }
  if (keys.clean()) topology = make(spec);
}

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

struct LossyLinkKeys {
  std::string link;
  Fraction loss;
};
void resolve_lossy(Reader& switches, const std::vector<LossyLinkKeys>& links,
                   const TopologySpec& topology, SwitchSpec& spec);

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
