// A topology as a picture, or for Graphviz to make one.
#pragma once

#include <string>

#include "network/topology/topology.h"

namespace orrery {

// An undirected graph; links that are not matched by an equal one back are arrows.
std::string dot_text(const Topology& topology);

// NPUs at the bottom, inner levels boxed together; switches above by their distance from the NPUs.
// Above 64 NPUs equal nodes are one box with their number; a torus or mesh is a grid of planes.
// Up to 4,096 nodes it is drawn at all.
inline constexpr int most_nodes_drawn = 4096, most_npus_drawn_alone = 64;
std::string svg_text(const Topology& topology, const std::string& title);

}  // namespace orrery
