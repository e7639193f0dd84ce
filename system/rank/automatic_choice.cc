#include "system/rank/automatic_choice.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "core/units/range_error.h"
#include "system/collective/between_nodes.h"
#include "system/collective/capability.h"
#include "system/collective/chunk_orders.h"
#include "system/collective/phases.h"
#include "system/collective/piece_sizes.h"
#include "system/rank/chunk_line.h"
#include "system/rank/interleaved_orders.h"
#include "system/rank/level_cost.h"

namespace orrery {
namespace {

struct Candidate {
  HierarchicalSchedule schedule;
  Protocol protocol;
  std::int32_t chunks;
  bool one_by_one = false;
  std::vector<std::size_t> algorithms = {};
  Duration time = {}, held = {};
  Duration busy = {};  // the busiest links of all levels, where these are not ports of NPUs
  std::int64_t messages = 0;
  bool folds = true;
  Duration launch = {};
  std::vector<Duration> at_ports = {};
  // Of chunks that are yet to be followed: in one order of the levels, or in several.
  std::vector<PhaseInLine> line = {};
  std::vector<PhasesOfOrder> orders = {};
  std::vector<std::int32_t> order_of = {};
};

class Contest {
  // Too slow; does not fold; keeps links busy and holds up others so long; messages; time;
  // algorithms.
  using Standing =
      std::tuple<bool, bool, Duration, Duration, std::int64_t, Duration, std::vector<std::size_t>>;

 public:
  Contest(const Topology& topology, const SystemSpec& system, PhaseCosts& costs,
          const CollectiveSpec& rule, std::vector<PhaseLevel> group, Collective kind, Bytes size)
      : topology_(topology),
        system_(system),
        costs_(costs),
        rule_(rule),
        group_(std::move(group)),
        kind_(planned_as(kind)),
        size_(size) {
    for (const Collective part : {kind_, Collective::reduce_scatter, Collective::all_gather,
                                  Collective::scatter, Collective::gather})
      for (const std::string_view name : algorithms_tried(part))
        if (std::find(algorithms_.begin(), algorithms_.end(), NamedAlgorithm(name)) ==
            algorithms_.end())
          algorithms_.emplace_back(name);
    algorithms_.emplace_back("ring:2");
    for (const PhaseLevel& level : group_) members_.push_back(level.members);
  }

  std::optional<AutomaticChoice> winner() {
    std::exception_ptr beyond_clock;
    for (const HierarchicalSchedule schedule : schedules())
      for (const Protocol protocol : protocols_of(rule_, system_))
        for (const std::int32_t chunks : chunk_counts(schedule, protocol)) try {
            enter_all(schedule, protocol, chunks);
          } catch (const RangeError&) {  // other candidates may be within the clock
            if (!beyond_clock) beyond_clock = std::current_exception();
          }
    if (candidates_.empty() && beyond_clock) std::rethrow_exception(beyond_clock);
    if (candidates_.empty()) return std::nullopt;
    follow_chunks();
    least_ = Time::never().since_start;
    for (const Candidate& candidate : candidates_)
      if (is_near(candidate)) least_ = std::min(least_, candidate.time + candidate.held);
    const Candidate& best = *std::min_element(
        candidates_.begin(), candidates_.end(),
        [&](const Candidate& a, const Candidate& b) { return standing_of(a) < standing_of(b); });
    AutomaticChoice choice{.spec = rule_,
                           .predicted = best.time,
                           .messages = best.messages,
                           .candidates = static_cast<std::int64_t>(candidates_.size()),
                           .at_ports = best.at_ports};
    choice.spec.schedule = best.schedule;
    choice.spec.protocol = best.protocol;
    choice.spec.chunks = best.chunks;
    choice.spec.any_chunks = false;
    choice.spec.in_turn = goes_in_turn(best.protocol);
    choice.spec.one_by_one = best.one_by_one;
    choice.spec.algorithms.clear();
    for (const std::size_t index : best.algorithms)
      choice.spec.algorithms.push_back(algorithms_[index]);
    return choice;
  }

 private:
  int levels() const { return static_cast<int>(group_.size()); }

  std::vector<HierarchicalSchedule> schedules() const {
    std::vector<LevelSpec> levels;
    for (const PhaseLevel& level : group_) levels.push_back(topology_.levels()[level.level]);
    if (rule_.any_schedule && levels.size() == 1) return {HierarchicalSchedule::baseline};
    if (rule_.any_schedule) return schedules_tried(kind_, levels);
    std::vector<HierarchicalSchedule> tried = {rule_.schedule};
    // What is too small to be cut by the inner levels goes whole.
    std::int64_t parts = 1;
    for (std::size_t i = 0; i + 1 < group_.size(); ++i) parts *= group_[i].members;
    if (size_.value < system_.minimum_chunk.value * parts)
      tried.push_back(HierarchicalSchedule::baseline);
    return tried;
  }

  bool goes_in_turn(Protocol protocol) const {
    return protocol != Protocol::none && !has_root(kind_);
  }

  std::vector<std::int32_t> chunk_counts(HierarchicalSchedule schedule, Protocol protocol) const {
    if (!rule_.any_chunks) return {chunk_count(size_, rule_.chunks, system_.minimum_chunk)};
    if (goes_in_turn(protocol) && levels() == 1) return {1};
    std::vector<std::int32_t> counts =
        chunk_counts_tried(schedule, levels(), kMostChunks, kMostChunksInOrders);
    std::erase_if(counts, [&](std::int32_t count) {
      return chunk_count(size_, count, system_.minimum_chunk) != count;
    });
    return counts;
  }

  // ---- the algorithms of one level -------------------------------------------------------------

  std::vector<LevelCost> costs_on(int level, HierarchicalSchedule schedule, Protocol protocol,
                                  std::int32_t chunks) {
    std::vector<LevelCost> found;
    for (std::size_t index = 0; index < algorithms_.size(); ++index)
      if (const auto cost = cost_on(level, index, schedule, protocol, chunks))
        found.push_back(*cost);
    return found;
  }

  // None if the algorithm cannot do all that is asked of the level.
  std::optional<LevelCost> cost_on(int level, std::size_t index, HierarchicalSchedule schedule,
                                   Protocol protocol, std::int32_t chunks) {
    const NamedAlgorithm& algorithm = algorithms_[index];
    const ProtocolCost* const row = find_cost(system_.protocols, protocol, algorithm.name,
                                              place_of(topology_.levels(), on_platform(level)));
    if (protocol != Protocol::none && !is_paid(row, algorithm, level)) return std::nullopt;
    // Where it is not known what links carry, rings and pat send most bytes to neighbours. What has
    // a root is cut on the inner levels by nothing else.
    if (algorithm.name == "direct" && kind_ <= Collective::all_gather &&
        !costs_.knows_links(group_[level]))
      return std::nullopt;
    if (algorithm.name == "ring" && uses_all_links(level) && !is_few_bytes(level))
      return std::nullopt;
    if (protocol == Protocol::nvls &&
        !switch_may_add(kind_, group_.size(), costs_.alone(group_[level]),
                        place_of(topology_.levels(), on_platform(level)), group_[level].members))
      return std::nullopt;
    const PieceSizes sizes(size_, chunks);
    const auto orders = orders_of(schedule, levels());
    LevelCost sum;
    sum.algorithm = index;  // in algorithms_
    sum.port = port_of(static_cast<std::size_t>(level));
    if (row != nullptr) sum.launch = row->launch;
    sum.orders.resize(orders.size());
    for (std::size_t order = 0; order < orders.size(); ++order) {
      // Chunks take the orders in turn; the first one's phases follow each other.
      const std::int64_t others = chunks - 1 - static_cast<std::int64_t>(order);
      const std::int64_t turns =
          others < 0 ? 0 : others / static_cast<std::int64_t>(orders.size()) + (order == 0 ? 0 : 1);
      for (const Phase& phase : make_phases(kind_, schedule, orders[order])) {
        std::vector<TimedStage>& stages = sum.orders[order].emplace_back();
        if (phase.dimension != level && phase.dimension != kWhole) continue;
        const ProtocolCost in_phase = cost_in(phase, row);
        const ProtocolCost* const paid = row == nullptr ? nullptr : &in_phase;
        std::int64_t parts = 1;
        for (const int d : phase.scattered) parts *= group_[d].members;
        const Bytes part = equal_part(sizes.size(0), parts);
        const PhaseCost* cost = costs_.of(algorithm, phase.kind, group_[level]);
        if (cost == nullptr || cuts_small(algorithm, group_[level].members, part))
          return std::nullopt;
        if (order == 0) sum.time += cost->time(part, system_, paid);
        stages = cost->timed(part, system_, paid);
        if (order == 0) {
          for (const TimedStage& stage : stages) sum.held = std::max(sum.held, stage.sending);
          const Bandwidth link = topology_.levels()[on_platform(level)].bandwidth;
          sum.rate = {group_[level].members, link * cost->ports};
        }
        const PhaseCost::Load load = cost->load(part, paid);
        sum.load.shared += load.shared * turns;
        sum.load.port += load.port * turns;
        sum.busy += load.shared * (turns + 1);
        sum.at_port += load.port * (turns + (order == 0 ? 1 : 0));
        sum.messages += order == 0 ? cost->messages * chunks : 0;
        sum.folds = sum.folds && cost->folds;
      }
    }
    return sum;
  }

  // Whether libraries do it so on the level, or a row says what it costs.
  bool is_paid(const ProtocolCost* row, const NamedAlgorithm& algorithm, int level) const {
    return row != nullptr &&
           (!row->algorithm.empty() ||
            (algorithm.name == "direct" && (uses_all_links(level) || crosses_routers(level))) ||
            is_in_libraries(algorithm, kind_, is_inside_server(level)));
  }

  bool is_inside_server(int level) const {
    return place_of(topology_.levels(), on_platform(level)) == Scope::local &&
           group_[level].members <= kLargestServer;
  }

  // Where each pair has a link of its own, libraries lay rings over all of them. `direct` stands
  // for these; one ring would leave all links but one idle.
  bool uses_all_links(int level) const {
    const std::size_t here = on_platform(level);
    return kind_ <= Collective::all_gather && group_[level].members <= kMostPeers &&
           (topology_.levels()[here].kind == LevelKind::fully_connected ||
            topology_.direct_bandwidth(static_cast<int>(here)));
  }

  // Between routers that are wired to each other, too.
  bool crosses_routers(int level) const {
    return kind_ <= Collective::all_gather && costs_.knows_links(group_[level]) &&
           costs_.depends_on_distance() &&
           place_of(topology_.levels(), on_platform(level)) == Scope::scale_out;
  }

  // The buffer into pieces that `direct` would not send.
  bool is_few_bytes(int level) const {
    return kind_ == Collective::all_reduce && size_ < kLeastPiece * group_[level].members;
  }

  ProtocolCost cost_in(const Phase& phase, const ProtocolCost* row) const {
    if (row == nullptr) return {};
    ProtocolCost cost = *row;
    cost.efficiency = data_share(cost, goes_in_turn(row->protocol), phase, members_);
    return cost;
  }

  std::size_t on_platform(int level) const { return static_cast<std::size_t>(group_[level].level); }

  bool cuts_small(const NamedAlgorithm& algorithm, std::int32_t members, Bytes part) const {
    return algorithm.name == "direct" && kind_ == Collective::all_reduce &&
           part < kLeastPiece * members;
  }

  // ---- all combinations ------------------------------------------------------------------------

  void enter_all(HierarchicalSchedule schedule, Protocol protocol, std::int32_t chunks) {
    std::vector<std::vector<LevelCost>>& choices = choices_.emplace_back();
    for (int level = 0; level < levels(); ++level) {
      choices.push_back(costs_on(level, schedule, protocol, chunks));
      if (choices.back().empty()) return;
      // Of many levels, those that are fast by themselves.
      auto& here = choices.back();
      std::stable_sort(here.begin(), here.end(), [](const LevelCost& a, const LevelCost& b) {
        return a.time + a.load.shared < b.time + b.load.shared;
      });
      const bool many = levels() > 3 || orders_of(schedule, levels()).size() > 1;
      const std::size_t most = many ? 2 : here.size();
      here.resize(std::min(here.size(), most));
    }
    std::vector<std::size_t> at(choices.size(), 0);
    while (true) {
      enter(choices, at, Candidate{.schedule = schedule, .protocol = protocol, .chunks = chunks});
      std::size_t level = 0;
      while (level < at.size() && ++at[level] == choices[level].size()) at[level++] = 0;
      if (level == at.size()) return;
    }
  }

  void enter(const std::vector<std::vector<LevelCost>>& choices, const std::vector<std::size_t>& at,
             Candidate candidate) {
    candidate.at_ports.resize(topology_.levels().size());
    std::vector<const LevelCost*> taken;
    for (std::size_t level = 0; level < at.size(); ++level)
      taken.push_back(&choices[level][at[level]]);
    for (const LevelCost* cost : taken) {
      candidate.at_ports[cost->port] += cost->at_port;
      candidate.algorithms.push_back(cost->algorithm);
      candidate.time += cost->time;
      candidate.messages += cost->messages;
      candidate.folds = candidate.folds && cost->folds;
      candidate.launch = std::max(candidate.launch, cost->launch);
      if (costs_.depends_on_distance()) candidate.busy += cost->busy;
      if (kind_ <= Collective::all_gather) candidate.held = std::max(candidate.held, cost->held);
    }
    const bool in_turn = goes_in_turn(candidate.protocol);
    const bool several = orders_of(candidate.schedule, levels()).size() > 1;
    if (several && !in_turn) return enter_in_orders(choices, at, candidate);
    candidate.held = candidate.held * (in_turn ? 1 : at_once(candidate));
    candidate.time +=
        in_turn ? wait_in_turn(taken, candidate.chunks) : wait_beside(taken, has_root(kind_));
    candidate.time += candidate.launch;
    const bool alone = in_turn && candidate.chunks == 1;  // it waits for nothing
    if (!several && !alone) candidate.line = line_of(choices, at, candidate);
    candidates_.push_back(std::move(candidate));
  }

  std::int32_t at_once(const Candidate& candidate) const {
    return std::min(candidate.chunks, system_.queue_limit);
  }

  // All chunks beside each other, or one by one in the queue of each level, order and way.
  void enter_in_orders(const std::vector<std::vector<LevelCost>>& choices,
                       const std::vector<std::size_t>& at, const Candidate& candidate) {
    std::vector<PhasesOfOrder> orders;
    std::vector<DimensionRate> rates;
    for (std::size_t level = 0; level < at.size(); ++level)
      rates.push_back(choices[level][at[level]].rate);
    std::size_t ways = 0;
    for (const DimensionOrder& order : orders_of(candidate.schedule, levels())) {
      PhasesOfOrder& phases = orders.emplace_back();
      for (const Phase& phase : make_phases(kind_, candidate.schedule, order)) {
        const auto level = static_cast<std::size_t>(phase.dimension);
        const LevelCost& cost = choices[level][at[level]];
        const std::size_t way = ways + (phase.back ? 1 : 0);
        phases.push_back({.level = level,
                          .queue = way * at.size() + level,
                          .stages = cost.orders[orders.size() - 1][phases.size()]});
      }
      ways += 2;
    }
    Candidate entered = candidate;
    entered.order_of = orders_of_chunks(kind_, candidate.schedule, size_, candidate.chunks, rates);
    entered.time = busiest_level(orders, entered.order_of) + candidate.launch;
    entered.orders = std::move(orders);
    entered.held = candidate.held * at_once(candidate);
    candidates_.push_back(entered);
    // Of written chunks, a part of the schedule.
    if (!rule_.any_chunks && !rule_.any_schedule) return;
    entered.one_by_one = true;
    entered.held = candidate.held * static_cast<std::int32_t>(entered.orders.size());
    candidates_.push_back(std::move(entered));
  }

  std::size_t port_of(std::size_t level) const {
    return static_cast<std::size_t>(group_[level].port);
  }

  // The levels of a phase that is not theirs have no stages.
  std::vector<PhaseInLine> line_of(const std::vector<std::vector<LevelCost>>& choices,
                                   const std::vector<std::size_t>& at,
                                   const Candidate& candidate) const {
    const auto order = orders_of(candidate.schedule, levels()).front();
    const std::vector<Phase> phases = make_phases(kind_, candidate.schedule, order);
    std::vector<PhaseInLine> line;
    for (std::size_t phase = 0; phase < phases.size(); ++phase)
      for (std::size_t level = 0; level < at.size(); ++level)
        line.push_back({.level = level,
                        .port = port_of(level),
                        .stages = choices[level][at[level]].orders.front()[phase],
                        .queue = level * 2 + (phases[phase].back ? 1 : 0),
                        .places = goes_in_turn(candidate.protocol) ? 1 : 0});
    return line;
  }

  // Estimates so far are too low where chunks go in a line. Those are followed of which one may be
  // near the fastest and stand: the others are out.
  void follow_chunks() {
    std::vector<Candidate*> ascending;
    for (Candidate& candidate : candidates_) ascending.push_back(&candidate);
    std::ranges::stable_sort(ascending, {}, &Candidate::time);
    for (Candidate* candidate : ascending) {
      if (!is_near(*candidate)) break;
      if (!is_close(*candidate)) {
        candidate->time = Time::never().since_start;
        continue;
      }
      candidate->time = std::max(candidate->time, followed(*candidate));
      fastest_ = std::min(fastest_, candidate->time);
      if (is_near(*candidate)) least_ = std::min(least_, candidate->time + candidate->held);
    }
  }

  // None: nothing to follow.
  Duration followed(const Candidate& candidate) const try {
    const std::int32_t in_queue = candidate.one_by_one ? 1 : system_.queue_limit;
    if (!candidate.line.empty())
      return time_in_line(candidate.line, candidate.chunks) + candidate.launch;
    if (!candidate.orders.empty())
      return time_of_orders(candidate.orders, candidate.order_of,
                            {in_queue, system_.first_phase_limit}) +
             candidate.launch;
    return {};
  } catch (const RangeError&) {  // other candidates may be within the clock
    return Time::never().since_start;
  }

  // A tenth of its own time is the most that a call gives for other traffic.
  bool is_near(const Candidate& candidate) const {
    return candidate.time - fastest_ <= Duration{fastest_.value / 10};
  }

  // Where levels share links, what keeps them busy may decide instead, but for few ranks at a root.
  bool is_close(const Candidate& candidate) const {
    return is_near(candidate) &&
           ((costs_.depends_on_distance() && !has_root(kind_)) ||
            candidate.time + candidate.held - least_ <= Duration{least_.value / 100});
  }

  // The smallest wins.
  Standing standing_of(const Candidate& candidate) const {
    return Standing(!is_close(candidate), !candidate.folds, candidate.busy, candidate.held,
                    candidate.messages, candidate.time, candidate.algorithms);
  }

  const Topology& topology_;
  const SystemSpec& system_;
  PhaseCosts& costs_;
  const CollectiveSpec& rule_;
  std::vector<PhaseLevel> group_;
  Collective kind_;
  Bytes size_;
  std::vector<NamedAlgorithm> algorithms_;
  std::vector<std::int32_t> members_;                        // of the levels of the group
  std::deque<std::vector<std::vector<LevelCost>>> choices_;  // that candidates are made of
  std::vector<Candidate> candidates_;
  Duration fastest_ = Time::never().since_start;
  Duration least_ = Time::never().since_start;  // time and what is held up
};

}  // namespace

std::vector<Protocol> protocols_of(const CollectiveSpec& rule, const SystemSpec& system) {
  if (rule.protocol != Protocol::automatic) return {rule.protocol};
  std::vector<Protocol> with_costs;
  for (const Protocol protocol : {Protocol::simple, Protocol::ll, Protocol::ll128, Protocol::nvls})
    if (std::any_of(system.protocols.begin(), system.protocols.end(),
                    [&](const ProtocolCost& cost) { return cost.protocol == protocol; }))
      with_costs.push_back(protocol);
  return with_costs;
}

std::optional<AutomaticChoice> choose_automatically(const Topology& topology,
                                                    const SystemSpec& system, PhaseCosts& costs,
                                                    const CollectiveSpec& rule,
                                                    const GroupAlongLevels& group, Collective kind,
                                                    Bytes size) {
  const auto choice_over = [&](std::vector<PhaseLevel> levels) {
    return Contest(topology, system, costs, rule, std::move(levels), kind, size).winner();
  };
  auto by_level = choice_over(costs.levels_of(group, kind));
  const bool sends_parts = kind == Collective::gather || kind == Collective::scatter;
  if (!rule.any_schedule || (kind > Collective::all_gather && !sends_parts) ||
      !costs.has_one_port(group))
    return by_level;
  auto flat = choice_over({costs.whole(group)});
  if (!flat || (by_level && by_level->predicted < flat->predicted)) return by_level;
  flat->spec.schedule = HierarchicalSchedule::flat;
  if (by_level) flat->candidates += by_level->candidates;
  return flat;
}

}  // namespace orrery
