#include "system/rank/prediction.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/trace/tee_sink.h"
#include "network/backends.h"
#include "system/collective/bandwidth_bound.h"
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
                   {everyone(topology)}, *this) {}

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
  void collective_finished(Rank, OperationId) override {
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

// What the rank at position 0 does in one chunk.
struct Walk {
  std::int64_t messages = 0;  // of all ranks, if they send as many as this one
  Duration time;              // of its stages one after the other
  Duration busiest;           // of its ports at one phase: the next chunk follows after it
};

Walk walk_of(const Topology& topology, const SystemSpec& system, const CollectiveSpec& candidate,
             Collective kind, Bytes chunk) {
  Walk walk;
  const auto levels = topology.levels();
  for (const Phase& phase :
       make_phases(kind, candidate.schedule, static_cast<int>(levels.size()))) {
    const LevelSpec& level = levels[phase.dimension];
    const NamedAlgorithm& algorithm = algorithm_on(candidate, phase.dimension);
    const auto plan = algorithm.algorithm->plan(phase.kind, level.size, 0);
    Share efficiency{1, 1};
    Duration step = (level.scope == Scope::scale_out ? system.injection_latency
                                                     : system.local_injection_latency) *
                    2;
    if (const ProtocolCost* cost =
            find_cost(system.protocols, candidate.protocol, algorithm.name)) {
      efficiency = cost->efficiency;
      step += cost->step;
    }
    Bytes part = chunk;
    for (int d = 0; d < phase.scattered; ++d) part = PieceSizes(part, levels[d].size).size(0);
    const PieceSizes pieces(whole_of(part, efficiency), plan->pieces());
    Duration busy;
    for (int lane = 0; lane < plan->lanes(); ++lane)
      for (int index = 0;; ++index) {
        const Stage stage = plan->stage(0, lane, index);
        Duration latency;
        for (int i = 0; i < stage.sends; ++i) {
          const Send send = plan->send(0, lane, index, i);
          const Duration carried = transfer_time(pieces.size(send.pieces), level.bandwidth);
          busy += carried;
          if (lane == 0) walk.time += carried;
          latency = std::max(latency, topology.path_latency(phase.dimension, 0, send.to) + step);
          ++walk.messages;
        }
        if (lane == 0) walk.time += latency;
        if (stage.last) break;
      }
    walk.busiest = std::max(walk.busiest, busy);
  }
  walk.messages *= topology.npu_count();
  return walk;
}

}  // namespace

Duration predicted_time(const std::vector<LevelSpec>& group, const SystemSpec& system,
                        const CollectiveSpec& candidate, Collective kind, Bytes size) {
  const Topology topology({group});
  const std::int32_t chunks = chunk_count(size, candidate.chunks, system.minimum_chunk);
  const Bytes chunk = PieceSizes(size, chunks).size(0);
  const Walk walk = walk_of(topology, system, candidate, kind, chunk);
  if (walk.messages * chunks <= kMostMessages)
    return simulated_time(topology, system, candidate, kind, size);
  const GroupFamily family(topology, everyone(topology));
  const Duration bound = bandwidth_bound(size, kind, candidate, family, topology);
  if (walk.messages * 2 > kMostMessages)
    return std::max(bound, walk.time + walk.busiest * (chunks - 1));
  CollectiveSpec few = candidate;
  few.chunks = 1;
  const Duration one = simulated_time(topology, system, few, kind, chunk);
  few.chunks = 2;
  const Duration two = simulated_time(topology, system, few, kind, chunk * 2);
  return std::max(bound, one + (two - one) * (chunks - 1));
}

}  // namespace orrery
