#include "network/routing/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/base/log.h"
#include "core/units/unit_text.h"
#include "network/routing/alike_links.h"
#include "network/routing/flow_hash.h"
#include "network/routing/level_routes.h"

namespace orrery {
namespace {

RoutingPolicy resolved(RoutingPolicy policy, const Topology& topology) {
  if (policy != RoutingPolicy::automatic) return policy;
  return topology.structural() ? RoutingPolicy::dimension_order : RoutingPolicy::ecmp;
}

ShortestPaths::Choice choice_by(RoutingPolicy policy) {
  if (policy == RoutingPolicy::weighted_ecmp) return ShortestPaths::Choice::weighted;
  if (policy == RoutingPolicy::d_mod_k) return ShortestPaths::Choice::by_port;
  return ShortestPaths::Choice::hashed;
}

bool by_ends(const StaticRoute& a, const StaticRoute& b) {
  return std::pair{a.from, a.to} < std::pair{b.from, b.to};
}

}  // namespace

Router::Router(const Topology& topology, const RoutingSpec& spec)
    : topology_(topology),
      spec_(spec),
      policy_(resolved(spec.policy, topology)),
      states_(topology),
      whole_(topology) {
  CHECK(topology.structural() || policy_ != RoutingPolicy::dimension_order,
        "dimension order on a graph");
  CHECK(spec_.paths >= 1, "{} paths", spec_.paths);
  std::stable_sort(spec_.faults.begin(), spec_.faults.end(),
                   [](const Fault& a, const Fault& b) { return a.at < b.at; });
  std::sort(spec_.routes.begin(), spec_.routes.end(), by_ends);
}

ShortestPaths& Router::search() {
  if (search_ == nullptr)
    search_ = std::make_unique<ShortestPaths>(topology_, states_,
                                              ShortestPaths::Options{.choice = choice_by(policy_)});
  return *search_;
}

bool Router::path(NodeId from, NodeId to, std::uint64_t flow, std::vector<LinkIndex>& links) {
  DCHECK(from != to, "a path from node {} to itself", from.value);
  if (static_path(from, to, links)) return true;
  if (structural_path(from, to, links)) return true;
  const std::uint64_t hash = hash_of_flow(spec_.seed, from, to, flow);
  if (policy_ == RoutingPolicy::valiant) return valiant_path(from, to, hash, links);
  return search().path(from, to, hash, links) || relayed_path(from, to, hash, links);
}

void Router::shares(NodeId from, NodeId to, std::vector<LinkShare>& shares) {
  const std::size_t first = shares.size();
  std::vector<LinkIndex> links;
  if (!static_path(from, to, links) && !structural_path(from, to, links)) {
    search().shares(from, to, shares);
    if (shares.size() > first || !relayed_path(from, to, 0, links)) return;
  }
  std::sort(links.begin(), links.end());
  for (const LinkIndex link : links) shares.push_back({link, 1});
}

std::optional<CommonEnds> Router::common_ends(NodeId from, NodeId to) {
  if (policy_ == RoutingPolicy::dimension_order) return std::nullopt;
  if (!spec_.routes.empty() && has_static_route(from, to)) return std::nullopt;
  return search().common_ends(from, to);
}

std::vector<LinkIndex> Router::alike_links() {
  if (policy_ == RoutingPolicy::dimension_order || !spec_.routes.empty() || !spec_.faults.empty())
    return {};
  return find_alike_links(topology_, search());
}

std::size_t Router::ends_of_ways() {
  return orrery::ends_of_ways(topology_, search().core()).size();
}

// For two between which no path was found now.
bool Router::wires_join(NodeId from, NodeId to) {
  if (spec_.faults.empty()) return false;
  if (whole_search_ == nullptr)
    whole_search_ = std::make_unique<ShortestPaths>(topology_, whole_, ShortestPaths::Options{});
  std::vector<LinkIndex> links;
  return whole_search_->path(from, to, 0, links);
}

// PXN: "Doubling all2all performance with NVIDIA Collective Communication Library 2.12", NVIDIA
// developer blog, 2022. Servers are the groups of the innermost level.
bool Router::relayed_path(NodeId from, NodeId to, std::uint64_t hash,
                          std::vector<LinkIndex>& links) {
  const LevelSpec& server = topology_.levels().front();
  if (topology_.structural() || server.scope != Scope::local ||
      std::max(from, to).value >= topology_.npu_count() || wires_join(from, to))
    return false;
  const std::int32_t base = from.value - from.value % server.size;
  const std::size_t first = links.size();
  for (std::int32_t i = 0; i < server.size; ++i) {
    const NodeId relay{base + (to.value + i) % server.size};
    if (relay == from || relay == to) continue;
    if (search().path(from, relay, hash, links) && search().path(relay, to, hash, links)) {
      relays_ = true;
      return true;
    }
    links.resize(first);
  }
  return false;
}

// On levels, as long as no link on the way is down.
bool Router::structural_path(NodeId from, NodeId to, std::vector<LinkIndex>& links) const {
  if (policy_ != RoutingPolicy::dimension_order) return false;
  const std::size_t first = links.size();
  append_level_route(topology_, from, to, links);
  if (believed_up(std::span(links).subspan(first))) return true;
  links.resize(first);
  return false;
}

bool Router::has_static_route(NodeId from, NodeId to) const {
  std::vector<LinkIndex> links;
  return static_path(from, to, links);
}

bool Router::static_path(NodeId from, NodeId to, std::vector<LinkIndex>& links) const {
  const StaticRoute wanted{from, to, {}};
  const auto route = std::lower_bound(spec_.routes.begin(), spec_.routes.end(), wanted, by_ends);
  if (route == spec_.routes.end() || by_ends(wanted, *route) || !believed_up(route->links))
    return false;
  links.insert(links.end(), route->links.begin(), route->links.end());
  return true;
}

// L. Valiant, "A scheme for fast parallel communication", SIAM J. Computing 11(2), 1982: any load
// becomes two uniform ones. Where the two halves meet the same node twice, the loop is cut out.
bool Router::valiant_path(NodeId from, NodeId to, std::uint64_t hash,
                          std::vector<LinkIndex>& links) {
  const std::span<const NodeId> turns = search().core().access_nodes();
  const std::size_t first = links.size();
  if (turns.empty()) return search().path(from, to, hash, links);
  const NodeId turn = turns[choice_of(mixed(hash), turns.size())];
  if (turn == from || turn == to) return search().path(from, to, hash, links);
  if (!search().path(from, turn, hash, links)) return search().path(from, to, hash, links);
  if (!search().path(turn, to, mixed(~hash), links)) {
    links.resize(first);
    return search().path(from, to, hash, links);
  }
  cut_loops(from, first, links);
  return true;
}

void Router::cut_loops(NodeId from, std::size_t first, std::vector<LinkIndex>& links) const {
  NodeId here = from;
  for (std::size_t i = first; i < links.size(); ++i) {
    for (std::size_t j = links.size(); j > i; --j)
      if (topology_.links()[links[j - 1]].to == here) {
        links.erase(links.begin() + static_cast<std::ptrdiff_t>(i),
                    links.begin() + static_cast<std::ptrdiff_t>(j));
        break;
      }
    if (i < links.size()) here = topology_.links()[links[i]].to;
  }
}

std::uint64_t Router::next_flow(NodeId from) {
  if (has_one_flow()) return 0;
  if (sent_.empty()) sent_.resize(static_cast<std::size_t>(topology_.node_count()));
  const std::uint32_t number = sent_[from.value]++;
  if (policy_ == RoutingPolicy::qp_spread) return number % static_cast<std::uint32_t>(spec_.paths);
  return number;
}

// --- Links that fail ---

bool Router::believed_up(std::span<const LinkIndex> path) const {
  return std::all_of(path.begin(), path.end(),
                     [&](auto link) { return states_.believed_up(link); });
}

bool Router::carries(std::span<const LinkIndex> path) const {
  return std::all_of(path.begin(), path.end(),
                     [&](auto link) { return states_.bandwidth(link) > Bandwidth{}; });
}

void Router::schedule_changes(EventQueue& queue, RouteListener& listener) {
  changes_to_come_ = spec_.faults.size();
  for (const Fault& fault : spec_.faults)
    queue.schedule(fault.at - queue.now(),
                   [this, &fault, &queue, &listener] { apply(fault, queue, listener); });
}

void Router::apply(const Fault& fault, EventQueue& queue, RouteListener& listener) {
  const std::vector<LinkIndex> changed = states_.apply(fault);
  log::record(log::Level::info, log::Room::network, "{} links are {}", changed.size(),
              name_of(fault.condition));
  if (!changed.empty()) listener.links_changed(changed);
  if (spec_.reroute_delay == Duration{}) return learn(listener);
  queue.schedule(spec_.reroute_delay, [this, &listener] { learn(listener); });
}

void Router::learn(RouteListener& listener) {
  --changes_to_come_;
  states_.learn();
  if (search_) search_->forget();
  listener.routes_changed();
}

// Not from inside a send: who sends is in the middle of something, and keeps a partial result.
void Router::give_up(NodeId from, NodeId to, EventQueue& queue) {
  if (std::exchange(gave_up_, true)) return;
  const char* remedy =
      spec_.faults.empty()
          ? "join the two. Rails are joined by platform: {rail: {spines: 8}}, and by "
            "oversubscription: 1 beside nodes (orrery topo check shows what is not connected)"
          : "write in network.faults when it is up again, or a link that is degraded in place of "
            "down: {at: 1 ms, link: a - b, state: degraded, bandwidth: 10 Gb/s} (an NPU whose "
            "only NIC is down has no other way)";
  std::string text = fmt::format(
      "at {} there is no path from {} to {}, and no change of the links is to come: {}",
      to_text(queue.now().since_start), topology_.node_name(from), topology_.node_name(to), remedy);
  queue.schedule(Duration{}, [text = std::move(text)] { throw NoRouteError(text); });
}

std::string_view name_of(RoutingPolicy policy) {
  switch (policy) {
    case RoutingPolicy::automatic:
      return "automatic";
    case RoutingPolicy::dimension_order:
      return "dimension_order";
    case RoutingPolicy::ecmp:
      return "ecmp";
    case RoutingPolicy::ecmp_expected:
      return "ecmp_expected";
    case RoutingPolicy::weighted_ecmp:
      return "weighted_ecmp";
    case RoutingPolicy::d_mod_k:
      return "d_mod_k";
    case RoutingPolicy::qp_spread:
      return "qp_spread";
    case RoutingPolicy::spray:
      return "spray";
    case RoutingPolicy::valiant:
      return "valiant";
    case RoutingPolicy::letflow:
      return "letflow";
    case RoutingPolicy::conga:
      return "conga";
    case RoutingPolicy::drill:
      return "drill";
    case RoutingPolicy::adaptive:
      return "adaptive";
    case RoutingPolicy::source:
      return "source";
  }
  return "?";
}

std::string_view name_of(SprayOrder order) {
  return order == SprayOrder::round_robin ? "round_robin" : "random";
}

std::string_view name_of(LinkCondition condition) {
  switch (condition) {
    case LinkCondition::down:
      return "down";
    case LinkCondition::degraded:
      return "degraded";
    case LinkCondition::up:
      return "up";
  }
  return "?";
}

}  // namespace orrery
