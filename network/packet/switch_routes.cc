#include "network/packet/switch_routes.h"

#include <algorithm>

namespace orrery {

bool SwitchRoutes::serves(RoutingPolicy policy) {
  return policy == RoutingPolicy::spray || needs_packets(policy);
}

SwitchRoutes::SwitchRoutes(EventQueue& queue, const Topology& topology, const RoutingSpec& spec,
                           Router& router, PacketFabric& fabric)
    : queue_(queue),
      topology_(topology),
      router_(router),
      fabric_(fabric),
      spec_(spec),
      random_(spec.seed, "choices of switches"),
      sees_(sees(router.policy())) {
  if (router.policy() == RoutingPolicy::conga)
    congestion_ = std::make_unique<PathCongestion>(topology);
  fabric.choose_by(*this);
}

SwitchRoutes::Sees SwitchRoutes::sees(RoutingPolicy policy) {
  switch (policy) {
    case RoutingPolicy::source:
    case RoutingPolicy::adaptive:
      return Sees::hash;
    case RoutingPolicy::letflow:
    case RoutingPolicy::conga:
      return Sees::number;
    default:
      return Sees::nothing;
  }
}

RouteIndex SwitchRoutes::route_to(NodeId to) {
  const auto [found, is_new] =
      route_to_.try_emplace(to.value, static_cast<RouteIndex>(routes_.size()));
  if (is_new) {
    routes_.emplace_back();
    targets_.push_back(to);
  }
  return found->second;
}

std::size_t SwitchRoutes::choices(RouteIndex route, NodeId here) {
  const std::uint32_t way = way_from(route, router_.core_of(here));
  return (way & only) != 0 ? 1 : groups_[way].all;
}

void SwitchRoutes::forget() {
  routes_.assign(routes_.size(), {});
  others_.clear();
  ways_.clear();
  groups_.clear();
  next_.clear();
  up_.clear();
  area_by_.clear();
  group_by_.clear();
}

// --- Groups ---

inline std::uint32_t SwitchRoutes::way_from(RouteIndex index, CoreNode here) {
  Route& route = routes_[index];
  if (route.area == none) find_area(index);
  std::uint32_t& way = known_way(route, here);
  if (way == none) way = find_way(targets_[index], router_.node_of(here));
  return way;
}

inline std::uint32_t& SwitchRoutes::known_way(Route& route, CoreNode here) {
  if (route.last.node == here) return route.last.way;
  if (route.others != none)
    for (Last& other : others_[route.others])
      if (other.node == here) return other.way;
  return ways_[route.area + here];
}

// Targets behind the same nodes share what leads to these.
void SwitchRoutes::find_area(RouteIndex index) {
  Route& route = routes_[index];
  std::vector<std::uint32_t> key;
  std::vector<Last> last;
  for (const auto& [node, cost] : router_.entrances(targets_[index])) {
    last.push_back({node, none});
    key.insert(key.end(), {node, cost});
  }
  if (!last.empty()) route.last = last.front();
  if (last.size() > 1) {
    route.others = static_cast<std::uint32_t>(others_.size());
    others_.emplace_back(last.begin() + 1, last.end());
  }
  const auto [found, is_new] = area_by_.try_emplace(key, static_cast<std::uint32_t>(ways_.size()));
  if (is_new) ways_.resize(ways_.size() + router_.core_size(), none);
  route.area = found->second;
}

std::uint32_t SwitchRoutes::find_way(NodeId to, NodeId here) {
  std::vector<NextLink> found;
  router_.next_links(here, to, found);
  Group group;
  const auto node = static_cast<std::uint32_t>(here.value);
  group.hash = mixed(node);
  group.first = static_cast<std::uint32_t>(next_.size());
  group.all = static_cast<std::uint32_t>(found.size());
  std::vector<std::uint32_t> key{node};
  std::vector<Next> next;
  for (const NextLink& one : found) {
    next.push_back(next_over(one, to));
    key.push_back(next.back().path);
  }
  if (next.size() == 1) return only | next.front().path;
  const auto [known, is_new] =
      group_by_.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
  if (!is_new) return known->second;
  // Switches do not begin their turns in step.
  if (!found.empty())
    group.turn =
        static_cast<std::uint32_t>(choice_of(mixed(mixed(spec_.seed) ^ group.hash), group.all));
  groups_.push_back(group);
  next_.insert(next_.end(), next.begin(), next.end());
  up_.resize(next_.size());
  return known->second;
}

// Behind the link the next switch chooses, or the path is known to its end.
SwitchRoutes::Next SwitchRoutes::next_over(const NextLink& link, NodeId to) {
  const bool chooses = !link.last && topology_.links()[link.link].to != to;
  std::vector<std::uint32_t> key{link.link};
  if (link.last) key.push_back(*link.last);
  if (chooses) key.push_back(none);
  const auto [path, is_new] = path_by_.try_emplace(key);
  if (is_new) path->second = chooses ? fabric_.add_open_path(link.link) : fabric_.add_path(key);
  return {.link = link.link, .path = path->second};
}

// The links that are up; all, if none is: then the packet is lost at one.
void SwitchRoutes::find_up(Group& group) {
  group.epoch = epoch_;
  group.up = 0;
  const std::span all(next_.data() + group.first, group.all);
  for (const Next& next : all)
    if (!fabric_.is_down(next.link)) up_[group.first + group.up++] = next;
  if (group.up > 0) return;
  std::copy(all.begin(), all.end(), up_.begin() + group.first);
  group.up = group.all;
}

// --- Choices ---

SwitchRoutes::Next SwitchRoutes::choose(RouteIndex route, CoreNode here, std::uint64_t seen,
                                        PacketIndex packet) {
  if (sees_ == Sees::number) flowlets_.fetch(here, static_cast<std::uint32_t>(seen));
  const std::uint32_t way = way_from(route, here);
  if ((way & only) != 0) return {.link = fabric_.first_link(way & ~only), .path = way & ~only};
  Group& group = groups_[way];
  if (group.all == 0) return {.path = no_path};
  if (group.epoch != epoch_) find_up(group);
  const Next* const up = &up_[group.first];
  if (measures()) return up[of_path(group, route, here, static_cast<std::uint32_t>(seen), packet)];
  return group.up == 1 ? up[0] : up[pick(group, here, seen)];
}

inline std::size_t SwitchRoutes::pick(Group& group, CoreNode here, std::uint64_t seen) {
  const auto hash = [&] { return mixed(seen ^ group.hash); };
  switch (router_.policy()) {
    case RoutingPolicy::drill:
      return shorter_of_two(group);
    case RoutingPolicy::adaptive:
      return shortest(group, hash());
    case RoutingPolicy::letflow:
      return of_flowlet(group, here, static_cast<std::uint32_t>(seen),
                        [&](LinkIndex) { return random_.uniform_int(group.up); });
    case RoutingPolicy::source:
      return choice_of(hash(), group.up);
    default:
      return spec_.spray == SprayOrder::random ? random_.uniform_int(group.up) : in_turn(group);
  }
}

std::size_t SwitchRoutes::in_turn(Group& group) {
  const std::size_t place = group.turn < group.up ? group.turn : 0;
  group.turn = static_cast<std::uint32_t>(place + 1 < group.up ? place + 1 : 0);
  return place;
}

// S. Ghorbani et al., "DRILL: micro load balancing for low-latency data center networks", SIGCOMM
// 2017, with d = 2 and m = 1: of two drawn queues and the one that was best last time.
std::size_t SwitchRoutes::shorter_of_two(Group& group) {
  std::size_t best = random_.uniform_int(group.up);
  const std::size_t second = random_.uniform_int(group.up);
  fabric_.fetch_backlog(up_[group.first + second].link);
  Duration least = backlog(group, best);
  const auto consider = [&](std::size_t place) {
    const Duration other = backlog(group, place);
    if (other >= least) return;
    least = other;
    best = place;
  };
  consider(second);
  if (group.turn < group.up) consider(group.turn);
  group.turn = static_cast<std::uint32_t>(best);
  return best;
}

// Of equal ones the first from where the hash says.
std::size_t SwitchRoutes::shortest(const Group& group, std::uint64_t hash) const {
  const std::size_t count = group.up, first = choice_of(hash, count);
  std::size_t best = first;
  Duration least = backlog(group, first);
  for (std::size_t i = 1; i < count && least > Duration{}; ++i) {
    const std::size_t place = first + i < count ? first + i : first + i - count;
    const Duration other = backlog(group, place);
    if (other >= least) continue;
    least = other;
    best = place;
  }
  return best;
}

// E. Vanini et al., "Let it flow: resilient asymmetric load balancing with flowlet switching", NSDI
// 2017: after a gap the next packets of the flow may overtake none, and go where `draw` sends them,
// which is told the link before (or one that is none).
template <class Draw>
std::size_t SwitchRoutes::of_flowlet(const Group& group, CoreNode here, std::uint32_t flow,
                                     const Draw& draw) {
  Flowlet& flowlet = flowlets_.of(here, flow);
  const bool is_new = flowlet.is_new();
  const bool goes_on = !is_new && queue_.now() - flowlet.last < spec_.flowlet_gap;
  flowlet.last = queue_.now();
  const std::span up(up_.data() + group.first, group.up);
  if (goes_on) {
    if (flowlet.place < up.size() && up[flowlet.place].link == flowlet.link) return flowlet.place;
    for (std::size_t i = 0; i < up.size(); ++i)
      if (up[i].link == flowlet.link) return i;
  }
  const std::size_t place = draw(is_new ? none : flowlet.link);
  flowlet.link = up[place].link;
  flowlet.place = static_cast<std::uint32_t>(place);
  return place;
}

// CONGA, 3.5: the least of the larger of what the switch sees of its own link and what it was told
// of the path behind it; of equal ones the link before, else a drawn one. A switch in the middle
// knows its own links only.
std::size_t SwitchRoutes::least_congested(const Group& group, RouteIndex route, CoreNode here,
                                          bool is_first, LinkIndex before) {
  std::uint8_t least = 0xff;
  std::vector<std::size_t> best;
  for (std::size_t place = 0; place < group.up; ++place) {
    const LinkIndex link = up_[group.first + place].link;
    std::uint8_t metric = congestion_->metric_of(link, router_.bandwidth(link), queue_.now());
    if (is_first)
      metric = std::max(metric, congestion_->told(here, last_of(route), link, queue_.now()));
    if (metric > least) continue;
    if (metric < least) best.clear();
    least = metric;
    best.push_back(place);
  }
  for (const std::size_t place : best)
    if (up_[group.first + place].link == before) return place;
  return best[random_.uniform_int(best.size())];
}

std::size_t SwitchRoutes::of_path(const Group& group, RouteIndex route, CoreNode here,
                                  std::uint32_t flow, PacketIndex packet) {
  const bool is_first = !congestion_->has_path(packet);
  const std::size_t place = of_flowlet(group, here, flow, [&](LinkIndex before) {
    return least_congested(group, route, here, is_first, before);
  });
  if (is_first)
    congestion_->begin_path(packet, here, last_of(route), up_[group.first + place].link,
                            queue_.now());
  return place;
}

}  // namespace orrery
