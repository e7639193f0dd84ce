#include "simulation/result/needs.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace orrery {

std::vector<Needs> needs_of(const TrafficAccount& account) {
  const auto total = [](const CommunicationCost& cost) {
    TotalTime time;
    for (const auto& level : cost.levels()) time += level.carried + level.latency;
    return time;
  };
  CommunicationCost cost = account.collectives;
  cost += total(account.received) < total(account.sent) ? account.sent : account.received;
  std::vector<Needs> needs;
  for (std::size_t level = 0; level < cost.levels().size(); ++level) {
    const auto& on = cost.levels()[level];
    if (on.carried + on.latency > TotalTime())
      needs.push_back({static_cast<int>(level), on.carried.as_double(), on.latency.as_double()});
  }
  return needs;
}

namespace {

double share(const TrafficAccount& account, std::span<const TrafficAccount> all,
             const std::function<bool(int)>& counts) {
  const auto carried = [&](const TrafficAccount& one) {
    double sum = 0;
    for (const Needs& level : needs_of(one))
      if (counts(level.level)) sum += level.carried;
    return sum;
  };
  double sum = 0;
  for (const TrafficAccount& one : all) sum += carried(one);
  return sum > 0 ? carried(account) / sum : 1;
}

}  // namespace

double share_of(const TrafficAccount& account, std::span<const TrafficAccount> all) {
  return share(account, all, [](int) { return true; });
}

double share_at_port(const TrafficAccount& account, std::span<const TrafficAccount> all,
                     const Topology& topology, std::size_t level) {
  const int port = topology.port_level(static_cast<int>(level));
  return share(account, all, [&](int other) { return topology.port_level(other) == port; });
}

void count_each_link(std::vector<Needs>& levels, std::span<const LevelSpec> known,
                     std::span<const LinkRow> links, Duration finish, double share) {
  for (std::size_t level = 0; level < known.size(); ++level) {
    double busy = 0;
    for (const LinkRow& link : links)
      if (link.level == known[level].name)
        busy += link.utilisation * static_cast<double>(finish.value) * share;
    const auto found = std::ranges::find(levels, static_cast<int>(level), &Needs::level);
    if (found != levels.end())
      *found = {found->level, busy, found->latency};
    else if (busy > 0)
      levels.push_back({static_cast<int>(level), busy, 0});
  }
}

std::optional<DegradedLink> fullest_if_degraded(const NetworkSpec& network,
                                                const Topology& topology,
                                                std::span<const LinkRow> links, Duration finish) {
  const auto is = [&](LinkCondition condition, const LinkRow& row) {
    return std::ranges::any_of(network.routing.faults, [&](const Fault& fault) {
      return fault.condition == condition && fault.link &&
             topology.link_name(*fault.link) == row.name();
    });
  };
  if (network.routing.faults.empty()) return {};
  const auto fullest = std::ranges::find_if(
      links, [&](const LinkRow& row) { return !is(LinkCondition::down, row); });
  if (fullest == links.end() || !is(LinkCondition::degraded, *fullest)) return {};
  const auto level = std::ranges::find(topology.levels(), fullest->level, &LevelSpec::name);
  return DegradedLink{fullest->name(), static_cast<int>(level - topology.levels().begin()),
                      fullest->utilisation * static_cast<double>(finish.value)};
}

bool count_degraded_link(std::vector<Needs>& levels, const DegradedLink& link,
                         std::span<const TrafficAccount> all, double under_way) {
  const auto found = std::ranges::find(levels, link.level, &Needs::level);
  if (found == levels.end()) return false;
  double carried = 0;
  for (const TrafficAccount& account : all)
    for (const Needs& level : needs_of(account))
      if (level.level == link.level) carried += level.carried;
  const double busy = link.busy * std::min(1.0, found->carried / carried);
  if (carried <= 0 || busy <= found->carried || busy < under_way / 2) return false;
  *found = {found->level, busy, found->latency};
  return true;
}

const Needs* works_beside(const std::vector<Needs>& levels, const Needs& level, double under_way,
                          const Topology& topology) {
  constexpr double about = 0.8, beside = 1.2;
  const Needs* most = nullptr;
  for (const Needs& other : levels) {
    if (level.level < 0 || other.level < 0 || other.level == level.level) continue;
    const auto [less, more] = std::minmax(level.in_all, other.in_all);
    if (less < about * more || less + more < beside * under_way) continue;
    if (topology.port_level(other.level) == topology.port_level(level.level)) continue;
    if (most == nullptr || other.in_all > most->in_all) most = &other;
  }
  return most;
}

void fill(std::vector<Needs>& levels, double& left, double Needs::*need) {
  std::ranges::stable_sort(levels, std::ranges::greater{}, need);
  for (Needs& level : levels) {
    level.*need = std::min(level.*need, left);
    left -= level.*need;
  }
}

}  // namespace orrery
