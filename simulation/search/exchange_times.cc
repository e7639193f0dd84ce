#include "simulation/search/exchange_times.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "system/collective/between_nodes.h"
#include "system/collective/group.h"
#include "system/rank/prediction.h"
#include "system/rank/taken_processor.h"

namespace orrery {

namespace {

// One group stands for all, and lists of ranks may be long.
Communicator first_group(const Communicator& communicator) {
  const auto* lists = std::get_if<RankLists>(&communicator.groups);
  return lists == nullptr ? communicator
                          : Communicator{communicator.name, RankLists{lists->front()}};
}

// Between two that are known, where a share of their distance lies below.
PortUse between(const PortUse& below, const PortUse& above, double share) {
  const auto at = [&](Duration low, Duration high) {
    return low + Duration{std::llround(share * static_cast<double>((high - low).value))};
  };
  std::vector<Duration> at_ports;
  for (std::size_t i = 0; i < std::max(below.at_ports.levels(), above.at_ports.levels()); ++i)
    at_ports.push_back(at(below.at_ports[i], above.at_ports[i]));
  return {at(below.time, above.time), PortTimes(std::move(at_ports))};
}

}  // namespace

const EstimatedExchangeTimes::Layout& EstimatedExchangeTimes::layout_of(
    const Communicator& communicator) {
  Members members;
  if (const auto* extents = std::get_if<std::vector<Extent>>(&communicator.groups))
    for (const Extent& extent : *extents) members.emplace_back(extent.count, extent.stride);
  if (const auto* lists = std::get_if<RankLists>(&communicator.groups))
    for (const Rank rank : lists->front()) members.emplace_back(rank, 0);
  const auto [found, is_new] = layouts_.try_emplace(std::move(members));
  if (is_new) {
    const GroupFamily family(topology_, first_group(communicator));
    found->second = family.layouts().front().along;
  }
  return found->second;
}

const PortUse& EstimatedExchangeTimes::collective(const Communicator& communicator, Collective kind,
                                                  Bytes size) {
  return known(layout_of(communicator), kind, size);
}

const PortUse& EstimatedExchangeTimes::known(const Layout& layout, Collective kind, Bytes size) {
  const auto [found, is_new] = known_.try_emplace({layout, kind, size});
  if (is_new) found->second = estimate(layout, kind, size);
  return found->second;
}

double EstimatedExchangeTimes::taken(const Communicator& communicator, Bytes size) {
  const std::int64_t whole = taken_of(system_);
  if (whole == 0) return 0;
  const std::int64_t in_node = ranks_in_node(topology_.levels(), layout_of(communicator));
  return static_cast<double>(taken_by_collective(system_, in_node, size)) /
         static_cast<double>(whole);
}

PortUse EstimatedExchangeTimes::estimate(const Layout& layout, Collective kind, Bytes size) {
  constexpr Bytes small{16};
  if (system_.protocols.empty() || size < small) return exactly(layout, kind, size);
  const auto power =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(size.value)));
  const bool is_upper = size.value >= power + power / 2;
  const Bytes below{is_upper ? power + power / 2 : power};
  if (size == below) return exactly(layout, kind, size);
  const Bytes above{is_upper ? power * 2 : power + power / 2};
  return between(
      known(layout, kind, below), known(layout, kind, above),
      static_cast<double>((size - below).value) / static_cast<double>((above - below).value));
}

PortUse EstimatedExchangeTimes::exactly(const Layout& layout, Collective kind, Bytes size) {
  CollectiveSpec spec =
      rule_for(system_.collectives[static_cast<std::size_t>(planned_as(kind))], size);
  const bool whole = spec.schedule == HierarchicalSchedule::flat && layout.size() > 1;
  if (is_automatic(spec.algorithms) && whole) spec.algorithms = {"ring"};
  if (is_automatic(spec.algorithms)) {
    auto fastest = choose_automatically(topology_, system_, costs_, spec, layout, kind, size);
    if (!fastest) return {};
    return {fastest->predicted, PortTimes(std::move(fastest->at_ports))};
  }
  std::vector<LevelSpec> levels;
  std::vector<NamedAlgorithm> own;
  for (const PhaseLevel& level : costs_.levels_of(layout, kind)) {
    levels.push_back(costs_.alone(level));
    if (spec.algorithms.size() > 1) own.push_back(algorithm_on(spec, level.level));
  }
  if (!own.empty()) spec.algorithms = own;
  return {estimated_time(levels, system_, spec, kind, size), {}};
}

// Of the NPUs of a group of the level below, so many of the last ones as the distance send out of
// it.
Bandwidth EstimatedExchangeTimes::while_all_send(Rank from, Rank to, Rank distance) const {
  Bandwidth least{std::numeric_limits<std::int64_t>::max()};
  for (int level = 0; level < static_cast<int>(topology_.levels().size()); ++level) {
    if (topology_.coordinate({from}, level) == topology_.coordinate({to}, level)) continue;
    const std::int64_t below = topology_.stride(level),
                       crossing = std::min<std::int64_t>(below, distance);
    const std::int64_t of_each =
        costs_.crossing()[static_cast<std::size_t>(level)].value / crossing;
    if (of_each <= least.value / below) least = Bandwidth{of_each * below};  // no product wraps
  }
  return least;
}

void EstimatedExchangeTimes::take_longer(Message& longest, Rank from, Rank to, Rank distance,
                                         Bytes size) const {
  const PathBetween path = path_between(topology_, system_, from, to);
  const Duration sending =
      transfer_time(size, std::min(path.bandwidth, while_all_send(from, to, distance)));
  longest.sending = std::max(longest.sending, sending);
  longest.arrival = std::max(longest.arrival, sending + path.latency);
}

ExchangeTimes::Message EstimatedExchangeTimes::message(Rank distance, Bytes size) {
  const auto [found, is_new] = messages_.try_emplace({distance, size});
  if (is_new)
    for (Rank from = 0; from + distance < topology_.npu_count(); from += distance)
      take_longer(found->second, from, from + distance, distance, size);
  return found->second;
}

ExchangeTimes::Message EstimatedExchangeTimes::shift(Rank distance, std::int32_t ranks,
                                                     Bytes size) {
  const auto [found, is_new] = shifts_.try_emplace({distance, ranks, size});
  if (is_new)
    for (Rank place = 0; place < ranks; ++place)
      take_longer(found->second, place * distance, (place + 1) % ranks * distance, distance, size);
  return found->second;
}

}  // namespace orrery
