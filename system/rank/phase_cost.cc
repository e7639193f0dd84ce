#include "system/rank/phase_cost.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "network/flow_loads.h"
#include "network/nic_shares.h"
#include "system/collective/between_nodes.h"
#include "system/collective/capability.h"
#include "system/rank/busiest_link.h"
#include "system/rank/prediction.h"
#include "system/rank/stage_walk.h"

namespace orrery {
namespace {

// parts / whole of a size, rounded up.
Bytes portion(Bytes size, std::int64_t parts, std::int64_t whole) {
  const auto product = static_cast<units_internal::Unsigned128>(size.value) *
                       static_cast<units_internal::Unsigned128>(parts);
  const auto divisor = static_cast<units_internal::Unsigned128>(whole);
  const auto value = (product + divisor - 1) / divisor;
  if (value > static_cast<units_internal::Unsigned128>(std::numeric_limits<std::int64_t>::max()))
    units_internal::leave_range(BytesTag::beyond);
  return {static_cast<std::int64_t>(value)};
}

// Of so many messages after each other.
Bytes on_wire(Bytes data, const ProtocolCost* protocol, std::int64_t messages = 1) {
  if (protocol == nullptr || data == Bytes{}) return data;
  return std::max(whole_of(data, protocol->efficiency), protocol->least * messages);
}

constexpr std::int32_t kMostDistances = 64;  // of a plan's sends: each costs a search

// Whether all parts of a level have one member each, or, of several levels as one, all NPUs do.
enum class Filled : std::uint8_t { no, by_parts, by_npus };
Filled filled(const Topology& topology, const PhaseLevel& level) {
  const std::int32_t parts = topology.levels()[static_cast<std::size_t>(level.level)].size;
  if (level.members == parts) return Filled::by_parts;
  return level.members == parts * topology.stride(level.level) ? Filled::by_npus : Filled::no;
}

void add_step(std::vector<PhaseCost::Step>& steps, PhaseCost::Step step) {
  const bool again = !steps.empty() && steps.back().latency == step.latency &&
                     steps.back().sending == step.sending && steps.back().added == step.added &&
                     steps.back().on_link == step.on_link &&
                     steps.back().connection == step.connection;
  if (again)
    ++steps.back().count;
  else
    steps.push_back(step);
}

// Sent in all stages; as many come to it where it collects.
std::int64_t messages_of_root(const Plan& plan) {
  std::int64_t sent = 0, received = 0;
  for (int lane = 0; lane < plan.lanes(); ++lane)
    for (int index = 0;; ++index) {
      const Stage stage = plan.stage(0, lane, index);
      sent += stage.sends;
      received += stage.receives;
      if (stage.last) break;
    }
  return std::max<std::int64_t>({sent, received, 1});
}

bool has_inner_links(const Topology& topology) {
  return !topology.structural() && std::ranges::any_of(topology.links(), [&](const Link& link) {
    return topology.node_kind(link.from) == NodeKind::switched &&
           topology.node_kind(link.to) == NodeKind::switched;
  });
}

// The first that a stage sends to, of not too many.
std::int32_t connection_to(const Shift& shift, const PhaseCost& so_far) {
  constexpr std::size_t most = 64;
  return shift.empty() || so_far.steps.size() >= most ? 0 : shift.begin()->first;
}

bool folds_on(const Plan& plan, const LevelSpec& level, std::int32_t members) {
  if (plan.symmetry() == Symmetry::none || level.kind == LevelKind::mesh) return false;
  if (level.kind == LevelKind::switched || level.kind == LevelKind::graph) return true;
  return plan.symmetry() == Symmetry::rotation && members == level.size;
}

}  // namespace

Duration PhaseCost::time(Bytes size, const SystemSpec& system, const ProtocolCost* protocol) const {
  const Bytes bytes = on_wire(portion(size, in_turn, pieces), protocol, stages * in_stage);
  Duration sum = latency;
  if (protocol != nullptr) sum += protocol->step * stages;
  sum = std::max(transfer_time(bytes, bandwidth),
                 sum + transfer_time(bytes, on_the_way.value_or(bandwidth)));
  if (system.reduction_bandwidth)
    sum += transfer_time(portion(size, added, pieces), *system.reduction_bandwidth);
  return sum;
}

PhaseCost::Load PhaseCost::load(Bytes size, const ProtocolCost* protocol) const {
  const Bytes bytes = on_wire(portion(size, at_port, pieces), protocol, stages * in_stage);
  return {std::max(processing, transfer_time(bytes, bandwidth)),
          std::max(processing, transfer_time(bytes, at_port_rate))};
}

PhaseCosts::PhaseCosts(const Topology& topology, const SystemSpec& system)
    : topology_(topology),
      system_(system),
      crossing_(crossing_bandwidths(topology)),
      spread_(spread_bandwidths(topology)),
      shifts_differ_(shifts_differ(topology)),
      shares_links_(has_inner_links(topology)) {
  for (const LevelSpec& level : topology.levels()) ports_.push_back(level.bandwidth);
  if (topology.structural()) return;
  const NicShares nics(topology);
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    Bandwidth& port = ports_[static_cast<std::size_t>(level)];
    if (nics.serves(level)) port = std::min(port, nics.least(level));
    latencies_.push_back(latency_across(topology, level));
  }
}

// A part (n - m) / n of what is exchanged among n leaves groups of m; at the port m is 1.
PhaseLevel PhaseCosts::joined(std::span<const std::pair<int, std::int32_t>> levels) const {
  const auto [innermost, first_members] = levels.front();
  const int port = topology_.port_level(innermost);
  const Bandwidth at_port = ports_[static_cast<std::size_t>(innermost)];
  PhaseLevel joined{levels.back().first, 1, port, at_port, at_port};
  for (const auto& [level, members] : levels) joined.members *= members;
  std::int32_t inside = 1;
  for (const auto& [level, members] : levels) {
    const double leaves = static_cast<double>(joined.members - inside) / (joined.members - 1);
    const auto crossing = static_cast<double>(crossing_[static_cast<std::size_t>(level)].value);
    const double rate = crossing / leaves;
    if (rate < static_cast<double>(joined.bandwidth.value))
      joined.bandwidth = Bandwidth{static_cast<std::int64_t>(rate)};
    inside *= members;
  }
  return joined;
}

std::vector<PhaseLevel> PhaseCosts::levels_of(const GroupAlongLevels& group,
                                              Collective kind) const {
  const bool exchange = planned_as(kind) == Collective::all_to_all;
  std::vector<PhaseLevel> levels;
  for (std::size_t i = 0; i < group.size();) {
    std::size_t end = i + 1;
    const int port = topology_.port_level(group[i].first);
    while (exchange && end < group.size() && topology_.port_level(group[end].first) == port) ++end;
    levels.push_back(joined(std::span(group).subspan(i, end - i)));
    i = end;
  }
  return levels;
}

bool PhaseCosts::has_one_port(const GroupAlongLevels& group) const {
  if (group.size() < 2 || topology_.structural()) return false;
  const int port = topology_.port_level(group.front().first);
  return place_of(topology_.levels(), 0) == Scope::scale_out &&
         std::ranges::all_of(
             group, [&](const auto& along) { return topology_.port_level(along.first) == port; });
}

std::int32_t PhaseCosts::members_together(const PhaseLevel& level) const {
  const std::int32_t parts = topology_.levels()[static_cast<std::size_t>(level.level)].size;
  return level.members / parts + (level.members % parts != 0 ? 1 : 0);
}

LevelSpec PhaseCosts::alone(const PhaseLevel& level) const {
  LevelSpec spec = level_alone(topology_, level.level, level.members);
  if (spec.kind == LevelKind::switched && !topology_.structural()) {
    spec.bandwidth = level.bandwidth;
    const Duration across = latencies_[static_cast<std::size_t>(level.level)];
    spec.latency = Duration{(across.value + 1) / 2};
  }
  return spec;
}

bool PhaseCosts::knows_links(const PhaseLevel& level) const {
  return !shifts_differ_ ||
         (filled(topology_, level) != Filled::no && level.members <= kMostDistances);
}

bool PhaseCosts::is_uneven(const PhaseLevel& level) const {
  const std::int32_t near = spread_[static_cast<std::size_t>(level.level)].npus;
  const std::int32_t stride = topology_.stride(level.level);
  return stride < near && near < stride * level.members;
}

bool PhaseCosts::is_candidate(const NamedAlgorithm& algorithm, Collective kind,
                              const PhaseLevel& at) const {
  const auto [level, members] = std::pair(at.level, at.members);
  const LevelSpec& spec = topology_.levels()[static_cast<std::size_t>(level)];
  const auto tried = algorithms_tried(kind);
  const bool passes_on =
      kind <= Collective::all_gather || kind == Collective::broadcast || kind == Collective::reduce;
  const bool both_ways =
      algorithm.name == "ring:2" && spec.kind == LevelKind::ring && members > 2 && passes_on;
  // In pairs, messages meet on the links of a ring, and ranks do not fold there.
  if (spec.kind == LevelKind::ring && algorithm.name == "recursive_doubling") return false;
  if (!both_ways && std::find(tried.begin(), tried.end(), algorithm.name) == tried.end())
    return false;
  return is_tried(algorithm, kind, members);
}

std::vector<TimedStage> PhaseCost::timed(Bytes size, const SystemSpec& system,
                                         const ProtocolCost* protocol) const {
  const auto carried = [&](std::int64_t count, Bandwidth rate) {
    return transfer_time(on_wire(portion(size, count, pieces), protocol, in_stage), rate);
  };
  std::vector<TimedStage> timed;
  for (const Step& step : steps) {
    TimedStage stage{step.count,
                     step.latency + carried(step.beside, bandwidth),
                     carried(step.sending, bandwidth),
                     carried(step.sending, at_port_rate),
                     carried(step.on_link, bandwidth),
                     step.connection};
    if (protocol != nullptr) stage.latency += protocol->step;
    if (on_the_way)
      stage.latency =
          std::max(Duration{}, stage.latency + carried(step.sending, *on_the_way) - stage.sending);
    if (system.reduction_bandwidth)
      stage.latency +=
          transfer_time(portion(size, step.added, pieces), *system.reduction_bandwidth);
    stage.sending = std::max(stage.sending, Duration{processing.value / stages});
    stage.at_port = std::max(stage.at_port, Duration{processing.value / stages});
    timed.push_back(stage);
  }
  return timed;
}

const PhaseCost* PhaseCosts::of(const NamedAlgorithm& algorithm, Collective kind,
                                const PhaseLevel& level) {
  const auto [found, is_new] = known_.try_emplace({algorithm.name, kind, level});
  std::optional<PhaseCost>& cost = found->second;
  const LevelSpec& spec = topology_.levels()[static_cast<std::size_t>(level.level)];
  if (is_new && is_candidate(algorithm, kind, level)) {
    if (has_root(kind)) {
      cost = fitted(algorithm, kind, level);
    } else {
      const auto plan = algorithm.algorithm->plan(kind, level.members, 0);
      cost = closed_form(*plan, level);
      cost->folds = folds_on(*plan, spec, level.members);
    }
  }
  return cost ? &*cost : nullptr;
}

// Where links between parts of the level carry less than the parts send: between routers, and of
// leaves that are not equally full, for what goes further than to neighbours. Chunks that follow
// each other may use the links of several distances at once; the stages of one wait for each other.
void PhaseCosts::slow_down(PhaseCost& cost, const std::map<Shift, std::int64_t>& stages,
                           const PhaseLevel& level, bool has_far) const {
  const SpreadBandwidth& spread = spread_[static_cast<std::size_t>(level.level)];
  const bool uneven = is_uneven(level);
  std::size_t sends = 0;
  for (const auto& [stage, count] : stages) sends += stage.size();
  if (sends == 0 || (!shifts_differ_ && !uneven)) return;
  std::optional<ShiftBandwidths> rates;
  const Filled where = filled(topology_, level);
  if (sends <= kMostDistances && where != Filled::no)
    rates = shift_bandwidths(topology_, level.level, stages, where == Filled::by_npus);
  if (!rates && uneven && has_far) cost.bandwidth = std::min(cost.bandwidth, spread.bandwidth);
  if (!rates || rates->in_turn >= cost.bandwidth) return;
  if (uneven && !has_far && !shifts_differ_) {  // a ring crosses from leaf to leaf
    const auto in_leaf = static_cast<double>(spread.npus / topology_.stride(level.level));
    const double port = 1 / static_cast<double>(cost.bandwidth.value),
                 slow = 1 / static_cast<double>(rates->in_turn.value);
    cost.on_the_way = Bandwidth{static_cast<std::int64_t>(in_leaf / (slow + (in_leaf - 1) * port))};
  }
  cost.bandwidth = std::min(cost.bandwidth, rates->together);
  constexpr std::int64_t parts = 1024;  // of a piece
  const auto beside = [&](std::int64_t pieces) {
    return static_cast<std::int64_t>(
        static_cast<double>(pieces * parts) *
        (static_cast<double>(cost.bandwidth.value) / static_cast<double>(rates->in_turn.value) -
         1));
  };
  cost.pieces *= parts;
  cost.in_turn = cost.in_turn * parts + beside(cost.in_turn);
  cost.at_port *= parts;
  cost.added *= parts;
  for (PhaseCost::Step& step : cost.steps) {
    step.beside = step.beside * parts + beside(step.sending);
    step.sending *= parts;
    step.added *= parts;
    step.on_link *= parts;
  }
}

// Of several members in one part of the level, only the last one's next neighbour is in another.
Bandwidth PhaseCosts::to_neighbour(Bandwidth crossing, const PhaseLevel& level) const {
  return std::min(level.at_port, crossing * members_together(level));
}

PhaseCost PhaseCosts::closed_form(const Plan& plan, const PhaseLevel& level) const {
  const LevelSpec& on_platform = topology_.levels()[static_cast<std::size_t>(level.level)];
  LevelSpec spec = alone(level);
  if (on_platform.kind == LevelKind::graph && topology_.forwards({0})) {
    spec.kind = LevelKind::ring;  // what goes far passes other NPUs, as on a ring
    spec.latency = on_platform.latency;
  }
  const bool scale_out = spec.scope == Scope::scale_out;
  const EndpointSpec& endpoint = scale_out ? system_.endpoint : system_.local_endpoint;
  const Duration ends =
      (scale_out ? system_.injection_latency : system_.local_injection_latency) * 2 +
      endpoint.send_overhead + endpoint.receive_overhead;
  const Duration next = std::max(endpoint.gap, endpoint.send_overhead);
  const Topology alone({{spec}});
  bool has_far = false;
  std::map<Shift, std::int64_t> shifts;
  PhaseCost cost;
  cost.pieces = plan.pieces();
  cost.bandwidth = spec.bandwidth;
  cost.at_port_rate = spec.kind == LevelKind::switched ? level.at_port : spec.bandwidth;
  std::vector<std::int64_t> at_ports(static_cast<std::size_t>(alone.ports(0)));
  std::int64_t passed = 0;
  for (int lane = 0; lane < plan.lanes(); ++lane) {
    PhaseCost of_lane;
    for (int index = 0;; ++index) {
      const Stage stage = plan.stage(0, lane, index);
      StageWalk walk(alone, plan.symmetry());
      Shift shift;
      for (int i = 0; i < stage.sends; ++i) {
        const Send send = plan.send(0, lane, index, i);
        has_far |= send.to != 1 && send.to != level.members - 1;
        shift[send.to] += send.pieces.count;
        walk.add(send);
      }
      if (!shift.empty()) ++shifts[shift];
      const Duration latency = walk.latency(spec.latency) + ends + next * (stage.sends - 1);
      if (lane == 0)
        add_step(cost.steps, {1, latency, walk.in_turn(), 0, walk.added(), walk.on_link(),
                              shares_links_ ? connection_to(shift, cost) : 0});
      of_lane.latency += latency;
      of_lane.in_turn += walk.in_turn();
      of_lane.added += walk.added();
      ++of_lane.stages;
      cost.messages += stage.sends;
      passed += walk.passed();
      for (std::size_t port = 0; port < at_ports.size(); ++port)
        at_ports[port] += walk.at_ports()[port];
      if (stage.last) break;
    }
    cost.latency = std::max(cost.latency, of_lane.latency);
    cost.in_turn = std::max(cost.in_turn, of_lane.in_turn);
    cost.added = std::max(cost.added, of_lane.added);
    cost.stages = std::max(cost.stages, of_lane.stages);
  }
  if (!has_far && !topology_.structural() && spec.kind == LevelKind::switched)
    cost.bandwidth = to_neighbour(cost.bandwidth, level);
  cost.ports = static_cast<std::int32_t>(
      std::ranges::count_if(at_ports, [](std::int64_t pieces) { return pieces > 0; }));
  const auto ports = static_cast<std::int64_t>(at_ports.size());
  cost.at_port =
      std::max(*std::max_element(at_ports.begin(), at_ports.end()), (passed + ports - 1) / ports);
  cost.in_turn = std::max(cost.in_turn, cost.at_port);
  slow_down(cost, shifts, level, has_far);
  cost.processing =
      std::max(endpoint.gap, endpoint.send_overhead + endpoint.receive_overhead) * cost.messages;
  return cost;
}

PhaseCost PhaseCosts::fitted(const NamedAlgorithm& algorithm, Collective kind,
                             const PhaseLevel& at) const {
  constexpr Bytes many = mebibytes(64);
  const LevelSpec level = alone(at);
  CollectiveSpec spec;
  spec.algorithms = {algorithm};
  const auto time = [&](Bytes size, std::int32_t chunks) {
    spec.chunks = chunks;
    return predicted_time({level}, system_, spec, kind, size);
  };
  const Duration one = time(many, 1);
  PhaseCost cost;
  cost.latency = time(Bytes{}, 1);
  cost.bandwidth = cost.at_port_rate = level.bandwidth;
  cost.pieces = transfer_time(many, level.bandwidth).value;
  cost.in_turn = (one - cost.latency).value;
  // Leaves of a tree post all their chunks at once, before what they pass on for others: that shows
  // with several chunks only.
  constexpr std::int32_t chunks = 8;
  cost.at_port = std::min((time(many * chunks, chunks) - one).value / (chunks - 1), cost.in_turn);
  const auto plan = algorithm.algorithm->plan(kind, at.members, 0);
  // Part by part along a ring: the parts of other chunks come in between.
  cost.stages = algorithm.name.starts_with("ring") ? at.members : 1;
  cost.in_stage = std::max<std::int64_t>(messages_of_root(*plan) / cost.stages, 1);
  // The simulation does not know that messages share the links that they pass on their way.
  const bool of_neighbours = level.kind == LevelKind::ring || level.kind == LevelKind::mesh;
  if (of_neighbours || (shifts_differ_ && filled(topology_, at) == Filled::by_parts)) {
    const double seconds =
        of_neighbours ? seconds_of_busiest_link(Topology({{level}}), 0, *algorithm.algorithm, kind)
                      : seconds_of_busiest_link(topology_, at.level, *algorithm.algorithm, kind);
    const double busiest = seconds * 1e12 * static_cast<double>(many.value);
    // All that a chunk passes one after the other takes as much longer.
    if (const double longer = busiest / static_cast<double>(cost.at_port); longer > 1) {
      cost.at_port = static_cast<std::int64_t>(busiest);
      cost.in_turn = static_cast<std::int64_t>(static_cast<double>(cost.in_turn) * longer);
    }
  }
  cost.messages = 2;
  const auto of_stage = [&](std::int64_t pieces) { return pieces / cost.stages; };
  cost.steps = {{cost.stages, Duration{of_stage(cost.latency.value)}, of_stage(cost.at_port),
                 of_stage(cost.in_turn - cost.at_port), 0, of_stage(cost.at_port)}};
  return cost;
}

}  // namespace orrery
