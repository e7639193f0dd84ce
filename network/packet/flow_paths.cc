#include "network/packet/flow_paths.h"

#include <algorithm>

namespace orrery {
namespace {

// Sprayed packets take at most this many of the equal paths between two nodes, in turn.
constexpr std::uint64_t sprayed_paths = 32;

}  // namespace

FlowPaths::FlowPaths(EventQueue& queue, const Topology& topology, const RoutingSpec& spec,
                     PacketFabric& fabric, RouteListener& listener)
    : queue_(queue), fabric_(fabric), router_(topology, spec) {
  router_.schedule_changes(queue, listener);
}

PathChoice FlowPaths::choose(NodeId from, NodeId to, std::uint32_t connection) {
  const bool sprays =
      router_.policy() == RoutingPolicy::spray || router_.policy() == RoutingPolicy::valiant;
  std::vector<std::vector<LinkIndex>> found;
  for (std::uint64_t i = 0; i < (sprays ? sprayed_paths : 1); ++i) {
    std::vector<LinkIndex> links;
    if (!router_.path(from, to, connection * sprayed_paths + i, links)) break;
    if (std::find(found.begin(), found.end(), links) == found.end())
      found.push_back(std::move(links));
  }
  PathChoice choice;
  for (const std::vector<LinkIndex>& links : found) choice.paths.push_back(fabric_.add_path(links));
  return choice;
}

void FlowPaths::require_paths(NodeId from, NodeId to, const PathChoice& forward,
                              const PathChoice& backward) {
  if (router_.changes_to_come()) return;
  if (forward.paths.empty()) router_.give_up(from, to, queue_);
  if (backward.paths.empty()) router_.give_up(to, from, queue_);
}

std::vector<LinkIndex> FlowPaths::links(NodeId from, NodeId to, std::uint32_t connection) {
  std::vector<LinkIndex> links;
  router_.path(from, to, connection * sprayed_paths, links);
  return links;
}

}  // namespace orrery
