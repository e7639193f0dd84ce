#include "system/rank/prediction.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/check.h"
#include "core/trace/tee_sink.h"
#include "core/units/range_error.h"
#include "network/backends.h"
#include "system/collective/bandwidth_bound.h"
#include "system/collective/between_nodes.h"
#include "system/collective/phases.h"
#include "system/collective/piece_sizes.h"
#include "system/endpoint/endpoint_backend.h"
#include "system/rank/collective_scheduler.h"

namespace orrery {
namespace {

Communicator everyone(const Topology& topology) {
  return {"group", std::vector<Extent>{{topology.npu_count(), 1}}};
}

// One collective alone, from the call of all ranks to the end of the last.
class Trial final : private CollectiveListener {
 public:
  Trial(const Topology& topology, const SystemSpec& system)
      : ranks_(topology.npu_count()),
        network_(find_backend("analytical")->make(queue_, topology, {})),
        endpoints_(make_endpoints(queue_, *network_, topology, system, nobody_)),
        scheduler_(queue_, endpoints_ ? *endpoints_ : *network_, topology, system,
                   {everyone(topology)}, *this) {
    scheduler_.make_ranks(Fold());
  }

  Duration run(Collective kind, Bytes size) {
    for (Rank rank = 0; rank < ranks_; ++rank)
      queue_.schedule({}, [this, rank, kind, size] {
        CollectiveCall call{};
        call.kind = kind;
        call.size = size;
        scheduler_.call(rank, 0, call);
      });
    queue_.run();
    while (finished_ < ranks_ && scheduler_.start_beyond_limit()) queue_.run();
    CHECK(finished_ == ranks_, "{} of {} ranks finished a {}", finished_, ranks_, name_of(kind));
    return end_.since_start;
  }

 private:
  void collective_finished(Rank, OperationId, Time) override {
    ++finished_;
    end_ = queue_.now();
  }

  EventQueue queue_;
  std::int32_t ranks_, finished_ = 0;
  Time end_;
  TeeSink nobody_{{}};
  std::unique_ptr<NetworkBackend> network_;
  std::unique_ptr<EndpointBackend> endpoints_;
  CollectiveScheduler scheduler_;
};

Duration simulated_time(const Topology& topology, SystemSpec system,
                        const CollectiveSpec& candidate, Collective kind, Bytes size) {
  system.collectives[static_cast<std::size_t>(kind)] = candidate;
  return Trial(topology, system).run(kind, size);
}

// What one rank does in one chunk.
struct Walk {
  std::int64_t messages = 0;  // of all ranks, if they send as many as this one
  Duration time;              // of its stages one after the other
  Duration busiest;           // of its ports in one phase: the next chunk follows after it
  Duration carried;           // of its ports in all phases: what many chunks take each
};

// Position n of a plan over n ranks is their switch, which has no memory to copy from.
PathBetween path_to_switch(const Topology& topology, const SystemSpec& system, int level) {
  const LevelSpec& spec = topology.levels()[level];
  const bool scale_out = spec.scope == Scope::scale_out;
  return {.latency = spec.latency +
                     (scale_out ? system.injection_latency : system.local_injection_latency),
          .bandwidth = spec.bandwidth,
          .level = level,
          .port = 0};
}

class Walker {
 public:
  Walker(const Topology& topology, const SystemSpec& system, const CollectiveSpec& candidate)
      : topology_(topology), system_(system), candidate_(candidate) {}

  Walk walk(Collective kind, Bytes chunk) {
    const auto levels = topology_.levels();
    const auto orders = orders_of(candidate_.schedule, static_cast<int>(levels.size()));
    for (const Phase& phase : make_phases(kind, candidate_.schedule, orders.front())) {
      Bytes part = chunk;
      for (const int d : phase.scattered) part = equal_part(part, levels[d].size);
      add(phase, part);
    }
    walk_.messages *= topology_.npu_count();
    walk_.carried = walk_.busiest;
    if (orders.size() == 1)  // else chunks put their first phases on other ports
      for (const auto& [port, busy] : at_ports_) walk_.carried = std::max(walk_.carried, busy);
    return walk_;
  }

 private:
  void add(const Phase& phase, Bytes part) {
    const bool whole = phase.dimension == kWhole;
    const NamedAlgorithm& algorithm = algorithm_on(candidate_, whole ? 0 : phase.dimension);
    const std::int32_t size =
        whole ? topology_.npu_count() : topology_.levels()[phase.dimension].size;
    const std::int32_t stride = whole ? 1 : topology_.stride(phase.dimension);
    const std::int32_t of_node = whole ? ranks_of_node(topology_) : size;
    const auto plan = algorithm.algorithm->plan(phase.kind, GroupShape(of_node, size / of_node), 0);
    const std::size_t level =
        whole ? topology_.levels().size() - 1 : static_cast<std::size_t>(phase.dimension);
    const ProtocolCost* cost = find_cost(system_.protocols, candidate_.protocol, algorithm.name,
                                         topology_.levels()[level].scope);
    std::vector<std::int32_t> sizes;
    for (const LevelSpec& one : topology_.levels()) sizes.push_back(one.size);
    const ProtocolCost paid = cost == nullptr ? ProtocolCost{} : *cost;
    const Share efficiency = data_share(paid, candidate_.in_turn, phase, sizes);
    const Duration step = cost == nullptr ? Duration{} : cost->step;
    const Bytes piece = equal_part(part, plan->pieces());
    const auto walk_of = [&](Position position) {
      Walk one;
      std::map<std::pair<int, std::int32_t>, Duration> at_ports;
      for (int lane = 0; lane < plan->lanes(); ++lane)
        for (int index = 0;; ++index) {
          const Stage stage = plan->stage(position, lane, index);
          Duration latency, carried;
          for (int i = 0; i < stage.sends; ++i) {
            const Send send = plan->send(position, lane, index, i);
            const PathBetween path =
                send.to < size
                    ? path_between(topology_, system_, position * stride, send.to * stride)
                    : path_to_switch(topology_, system_, phase.dimension);
            const Bytes sent = whole_of(piece * send.pieces.count, efficiency);
            const Duration passing =
                transfer_time(sent > Bytes{} ? std::max(sent, paid.least) : sent, path.bandwidth);
            carried += passing;
            at_ports[{path.level, path.port}] += passing;
            latency = std::max(latency, path.latency + step);
          }
          one.messages += stage.sends;
          if (lane == 0) one.time += carried + latency;
          if (stage.last) break;
        }
      for (const auto& [port, busy] : at_ports) one.busiest = std::max(one.busiest, busy);
      if (position == 0)
        for (const auto& [port, busy] : at_ports) at_ports_[port] += busy;
      return one;
    };
    // All do the same, but where there is a root: it may send nothing, and its neighbours most.
    Walk most = walk_of(0);
    if (has_root(phase.kind))
      for (const Position position : {std::min(1, size - 1), size / 2, size - 1}) {
        const Walk one = walk_of(position);
        most = {std::max(most.messages, one.messages),
                std::max(most.time, one.time),
                std::max(most.busiest, one.busiest),
                {}};
      }
    walk_.messages += most.messages;
    walk_.time += std::max(most.time, most.busiest);  // the first lane, or the port that all use
    walk_.busiest = std::max(walk_.busiest, most.busiest);
  }

  const Topology& topology_;
  const SystemSpec& system_;
  const CollectiveSpec& candidate_;
  Walk walk_;
  std::map<std::pair<int, std::int32_t>, Duration> at_ports_;  // of position 0, in all phases
};

}  // namespace

LevelSpec level_alone(const Topology& topology, int level, std::int32_t members) {
  LevelSpec alone = topology.levels()[level];
  // Of members in a row the last one is nearer to the first by the way back.
  if (alone.kind == LevelKind::ring && 2 * members < alone.size + 2) alone.kind = LevelKind::mesh;
  alone.size = members;
  if (alone.kind != LevelKind::graph) return alone;
  if (const std::optional<Bandwidth> direct = topology.direct_bandwidth(level)) {
    alone.kind = LevelKind::fully_connected;
    alone.bandwidth = *direct;
  } else {
    alone.kind = LevelKind::switched;
    alone.latency = Duration{alone.latency.value / 2 + alone.latency.value % 2};
  }
  return alone;
}

PathBetween path_between(const Topology& topology, const SystemSpec& system, Rank from, Rank to) {
  PathBetween path{.latency = {}, .bandwidth = Bandwidth{0}};
  Scope scope = Scope::local;
  for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level) {
    const LevelSpec& spec = topology.levels()[level];
    const std::int32_t a = topology.coordinate({from}, level), b = topology.coordinate({to}, level);
    if (a == b) continue;
    path.latency += topology.path_latency(level, a, b);
    if (path.bandwidth.value == 0 || spec.bandwidth < path.bandwidth)
      path.bandwidth = spec.bandwidth;
    scope = spec.scope;
    path.level = level;
    path.port = topology.egress_port(level, a, b);
  }
  path.latency +=
      (scope == Scope::scale_out ? system.injection_latency : system.local_injection_latency) * 2;
  return path;
}

Duration estimated_time(const std::vector<LevelSpec>& group, const SystemSpec& system,
                        const CollectiveSpec& candidate, Collective kind, Bytes size) {
  kind = planned_as(kind);
  const Topology topology({group});
  const std::int32_t chunks = chunk_count(size, candidate.chunks, system.minimum_chunk);
  const Walk walk =
      Walker(topology, system, candidate).walk(kind, PieceSizes(size, chunks).size(0));
  return walk.time + walk.busiest * (chunks - 1);
}

namespace {

Duration time_within_clock(const std::vector<LevelSpec>& group, const SystemSpec& system,
                           const CollectiveSpec& candidate, Collective kind, Bytes size) {
  kind = planned_as(kind);  // of an all-to-allv, as if all sizes were equal
  const Topology topology({group});
  const std::int32_t chunks = chunk_count(size, candidate.chunks, system.minimum_chunk);
  const Bytes chunk = PieceSizes(size, chunks).size(0);
  const Walk walk = Walker(topology, system, candidate).walk(kind, chunk);
  if (walk.messages * chunks <= kMostMessages)
    return simulated_time(topology, system, candidate, kind, size);
  const GroupFamily family(topology, everyone(topology));
  CollectiveCall call{};
  call.kind = kind;
  call.size = size;
  const Duration bound = bandwidth_bound(call, candidate, system.minimum_chunk, family, topology);
  // Of chunks that go through the levels in one order, the second one also fills the time in which
  // the first is on other levels; the third takes what each of the others does, and no less than
  // what ports carry of it.
  const bool one_order =
      orders_of(candidate.schedule, static_cast<int>(topology.levels().size())).size() == 1;
  const std::int32_t known = one_order ? 3 : 2;
  if (walk.messages * known > kMostMessages)
    return std::max(bound, walk.time + walk.carried * (chunks - 1));
  const auto time_of = [&](std::int32_t few_chunks) {
    CollectiveSpec few = candidate;
    few.chunks = few_chunks;
    return simulated_time(topology, system, few, kind, chunk * few_chunks);
  };
  const Duration before = time_of(known - 1), last = time_of(known);
  const Duration each = one_order ? std::max(last - before, walk.carried) : last - before;
  return std::max(bound, before + each * (chunks - known + 1));
}

}  // namespace

Duration predicted_time(const std::vector<LevelSpec>& group, const SystemSpec& system,
                        const CollectiveSpec& candidate, Collective kind, Bytes size) {
  try {
    return time_within_clock(group, system, candidate, kind, size);
  } catch (const RangeError&) {
    return Time::never().since_start;  // another candidate may be within the clock
  }
}

Duration latency_alone(const LevelSpec& level, const SystemSpec& system,
                       const NamedAlgorithm& algorithm, Protocol protocol, Collective phase) {
  constexpr std::int64_t most_simulated = 1 << 14;
  CollectiveSpec alone;
  alone.algorithms = {algorithm};
  alone.chunks = 1;
  alone.any_chunks = false;
  alone.protocol = protocol;
  const Topology topology({{level}});
  const Walk walk = Walker(topology, system, alone).walk(planned_as(phase), Bytes{});
  if (walk.messages > most_simulated) return walk.time;
  return simulated_time(topology, system, alone, planned_as(phase), Bytes{});
}

}  // namespace orrery
