#include "network/packet/flow_paths.h"

#include <algorithm>

namespace orrery {
namespace {

// Packets take at most this many different paths in turn, or first parts of paths.
constexpr std::uint64_t most_paths = 32;

}  // namespace

FlowPaths::FlowPaths(EventQueue& queue, const Topology& topology, const RoutingSpec& spec,
                     PacketFabric& fabric, RouteListener& listener)
    : queue_(queue),
      topology_(topology),
      fabric_(fabric),
      listener_(listener),
      router_(topology, spec) {
  if (SwitchRoutes::serves(router_.policy()))
    routes_.emplace(queue, topology, spec, router_, fabric);
  router_.schedule_changes(queue, *this);
}

PathChoice FlowPaths::choose(NodeId from, NodeId to, std::uint32_t connection) {
  const bool chosen_by_switches = routes_ && !router_.has_static_route(from, to);
  const bool several = router_.policy() == RoutingPolicy::valiant ||
                       (chosen_by_switches && router_.links_from(from) > 1);
  std::vector<std::vector<LinkIndex>> found;
  PathChoice choice;
  for (std::uint64_t i = 0; i < (several ? most_paths : 1); ++i) {
    std::vector<LinkIndex> links;
    if (!router_.path(from, to, connection * most_paths + i, links)) break;
    const std::size_t all = links.size();
    if (chosen_by_switches) links.resize(fixed_part(links, to));
    if (std::find(found.begin(), found.end(), links) != found.end()) continue;
    choice.paths.push_back(links.size() == all ? fabric_.add_path(links)
                                               : fabric_.add_path(links, routes_->route_to(to)));
    found.push_back(std::move(links));
  }
  return choice;
}

// The links up to the first node that has a choice.
std::size_t FlowPaths::fixed_part(std::span<const LinkIndex> links, NodeId to) {
  for (std::size_t i = 0; i + 1 < links.size(); ++i) {
    const NodeId here = topology_.links()[links[i]].to;
    if (router_.parts_at(here) && routes_->choices(routes_->route_to(to), here) > 1) return i + 1;
  }
  return links.size();
}

bool FlowPaths::reorders() const {
  switch (router_.policy()) {
    case RoutingPolicy::spray:
    case RoutingPolicy::valiant:
    case RoutingPolicy::drill:
    case RoutingPolicy::adaptive:
      return true;
    default:
      return false;
  }
}

void FlowPaths::links_changed(std::span<const LinkIndex> links) {
  listener_.links_changed(links);
  if (routes_) routes_->links_changed();
}

void FlowPaths::routes_changed() {
  if (routes_) routes_->forget();
  listener_.routes_changed();
}

void FlowPaths::require_paths(NodeId from, NodeId to, const PathChoice& forward,
                              const PathChoice& backward) {
  if (router_.changes_to_come()) return;
  if (forward.paths.empty()) router_.give_up(from, to, queue_);
  if (backward.paths.empty()) router_.give_up(to, from, queue_);
}

std::vector<LinkIndex> FlowPaths::links(NodeId from, NodeId to, std::uint32_t connection) {
  std::vector<LinkIndex> links;
  router_.path(from, to, connection * most_paths, links);
  return links;
}

}  // namespace orrery
