// What the keys of `platform.topology` and of `network.routing` become.
#pragma once

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

// Routes of the CSV file under `routes`.
void read_routes(Reader& keys, const TopologySpec& topology, RoutingSpec& routing);

}  // namespace orrery::yaml
