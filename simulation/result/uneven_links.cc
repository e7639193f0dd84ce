#include "simulation/result/uneven_links.h"

#include <algorithm>
#include <cstdint>

#include "network/backends.h"

namespace orrery {

namespace {

constexpr double considerable = 0.2;

// Of each node, over how many links the nearest NPU is reached.
std::vector<std::int32_t> heights_of(const Topology& topology) {
  std::vector<std::vector<std::int32_t>> next(static_cast<std::size_t>(topology.node_count()));
  for (const Link& link : topology.links())
    next[static_cast<std::size_t>(link.to.value)].push_back(link.from.value);
  std::vector<std::int32_t> height(next.size(), -1), reached;
  for (std::int32_t npu = 0; npu < topology.npu_count(); ++npu) {
    height[static_cast<std::size_t>(npu)] = 0;
    reached.push_back(npu);
  }
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (const std::int32_t node : next[static_cast<std::size_t>(reached[i])]) {
      if (height[static_cast<std::size_t>(node)] >= 0) continue;
      height[static_cast<std::size_t>(node)] = height[static_cast<std::size_t>(reached[i])] + 1;
      reached.push_back(node);
    }
  return height;
}

class SameWay {
 public:
  SameWay(const FinishedRun& run)
      : topology_(run.topology),
        faults_(run.experiment.network.routing.faults),
        height_(heights_of(run.topology)),
        carried_(run.network.statistics().links) {}

  double even_part(const LinkRow& row) const {
    const auto links = topology_.links();
    for (LinkIndex link = 0; link < links.size(); ++link)
      if (carried_[link] == row.bytes && topology_.link_name(link) == row.name())
        return even_part(link);
    return 1;
  }

 private:
  std::int32_t height(NodeId node) const { return height_[static_cast<std::size_t>(node.value)]; }
  bool is_switch(NodeId node) const { return topology_.node_kind(node) == NodeKind::switched; }
  bool fails(LinkIndex link) const {
    return std::ranges::any_of(faults_, [&](const Fault& fault) {
      return fault.condition == LinkCondition::down && fault.link == link;
    });
  }

  double even_part(LinkIndex index) const {
    const Link& full = topology_.links()[index];
    const std::int32_t up = height(full.to) - height(full.from);
    if (!is_switch(full.from) || !is_switch(full.to) || up == 0) return 1;
    TotalBytes sum;
    std::int32_t count = 0;
    for (LinkIndex other = 0; other < topology_.links().size(); ++other) {
      const Link& link = topology_.links()[other];
      const bool together = up > 0 ? link.from == full.from : link.to == full.to;
      if (!together || !is_switch(link.from) || !is_switch(link.to) ||
          height(link.to) - height(link.from) != up || fails(other))
        continue;
      sum += carried_[other];
      ++count;
    }
    return count == 0 ? 1 : sum.as_double() / (count * carried_[index].as_double());
  }

  const Topology& topology_;
  const std::vector<Fault>& faults_;
  std::vector<std::int32_t> height_;
  std::vector<TotalBytes> carried_;
};

}  // namespace

bool takes_one_path(const Experiment& experiment) {
  const NetworkSpec& network = experiment.network;
  const BackendTraits& traits = *find_backend(network.backend)->traits;
  if (experiment.topology.graph == nullptr || !traits.shares_links) return false;
  const TransportKind transport = network.transport.kind.value_or(traits.transport);
  if (traits.has_packets && transport != TransportKind::roce) return false;
  switch (network.routing.policy) {
    case RoutingPolicy::automatic:
      return !traits.has_flows;  // else what all hashes give on average
    case RoutingPolicy::ecmp:
    case RoutingPolicy::weighted_ecmp:
    case RoutingPolicy::d_mod_k:
    case RoutingPolicy::qp_spread:
      return true;
    default:
      return false;
  }
}

std::vector<UnevenLink> uneven_links(const FinishedRun& run,
                                     std::span<const LinkRow* const> fullest, Duration finish) {
  std::vector<UnevenLink> found;
  if (!takes_one_path(run.experiment)) return found;
  const SameWay ways(run);
  for (const LinkRow* link : fullest)
    if (link != nullptr)
      found.push_back({link->level, link->utilisation * static_cast<double>(finish.value),
                       ways.even_part(*link)});
  return found;
}

bool collides(std::span<const UnevenLink> links, std::string_view level) {
  const auto found = std::ranges::find(links, level, &UnevenLink::level);
  return found != links.end() && found->even < 1 - considerable;
}

double lost_to_collisions(std::span<const UnevenLink> links, std::span<const Needs> levels,
                          const TrafficAccount& account, std::span<const TrafficAccount> all,
                          const Topology& topology, double under_way) {
  double needed = 0, lost = 0;
  for (const Needs& level : levels) needed = std::max(needed, level.in_all);
  for (const UnevenLink& link : links) {
    const auto level = std::ranges::find(topology.levels(), link.level, &LevelSpec::name);
    const auto index = static_cast<std::size_t>(level - topology.levels().begin());
    const double busy = link.busy * share_at_port(account, all, topology, index);
    const double more = busy - std::max(needed, link.even * busy);
    if (busy >= under_way / 2 && more > considerable * busy) lost = std::max(lost, more);
  }
  return lost;
}

}  // namespace orrery
