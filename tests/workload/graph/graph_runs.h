// Graphs on a few ranks, run to their end. The network is one on which messages do not meet: each
// is there after as many picoseconds as it has bytes.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "system/compute/roofline.h"
#include "system/rank/job_runner.h"
#include "workload/graph/graph.h"
#include "workload/graph/graph_source.h"
#include "workload/workload.h"

namespace orrery::test {

// A send has left after half of its time, a message of a collective at once.
class FreeNetwork final : public NetworkBackend {
 public:
  explicit FreeNetwork(EventQueue& queue) : queue_(queue) {}
  Time send(const Message& message, MessageListener& listener) override {
    queue_.schedule(Duration{message.size.value},
                    [&listener, token = message.token, size = message.size] {
                      listener.delivered(token, size);
                    });
    const bool is_send = message.label == kPointToPointLabel;
    return queue_.now() + Duration{is_send ? message.size.value / 2 : 0};
  }
  FoldAnswer fold(const Fold&, const FoldedTraffic&) override { return {}; }
  NetworkStatistics statistics() const override { return {}; }
  void watch_links(ByteBins&) override {}

 private:
  EventQueue& queue_;
};

class NoSink final : public TraceSink {
 public:
  void on_span(const Span&) override {}
};

struct RunOfGraphs {
  explicit RunOfGraphs(const GraphWorkload& workload, Folding folding = Folding::off,
                       Share tax = {})
      : topology(TopologySpec{{LevelSpec{
            "", LevelKind::switched, static_cast<std::int32_t>(workload.graph_of_rank.size()),
            gigabytes_per_second(1), nanoseconds(1), Scope::scale_out}}}),
        job(make_graph_job(workload)) {
    for (CollectiveSpec& collective : spec.collectives) {
      collective.algorithms = {"direct"};
      collective.chunks = 1;
    }
    spec.sm_tax = tax;
    spec.minimum_chunk = bytes(1);
    spec.injection_latency = spec.local_injection_latency = Duration{};
    spec.queue_limit = spec.first_phase_limit = 1'000;
    runner =
        std::make_unique<JobRunner>(queue, network, topology, spec, job, device, sink, folding);
    runner->start();
    queue.run();
  }

  EventQueue queue;
  Topology topology;
  FreeNetwork network{queue};
  SystemSpec spec;
  Job job;
  Roofline device{RooflineSpec{}};
  NoSink sink;
  std::unique_ptr<JobRunner> runner;
};

inline Operation work(std::int64_t nanoseconds_of_it, std::int32_t lane) {
  Compute compute;
  compute.measured = nanoseconds(nanoseconds_of_it);
  compute.lane = lane;
  return {0, -1, compute};
}
inline Operation gather(Bytes piece, std::int32_t ranks, std::int32_t number,
                        std::int32_t communicator = 0) {
  CollectiveCall call{Collective::all_gather, communicator, piece * ranks, Priority::normal, {}};
  call.number = number;
  return {0, -1, call};
}

inline std::shared_ptr<const Graph> graph_of(std::vector<Operation> operations,
                                             const std::vector<Graph::Edge>& edges) {
  for (std::size_t i = 0; i < operations.size(); ++i)
    operations[i].id = static_cast<OperationId>(i);
  return std::make_shared<const Graph>(std::move(operations), edges);
}

inline const std::vector<LaneSpec> kLanes = {{LaneKind::processor},
                                             {LaneKind::processor},
                                             {LaneKind::host},
                                             {LaneKind::memory},
                                             {LaneKind::processor, false}};

inline GraphWorkload on_ranks(std::vector<std::shared_ptr<const Graph>> graphs) {
  GraphWorkload workload;
  for (std::size_t rank = 0; rank < graphs.size(); ++rank)
    workload.graph_of_rank.push_back(static_cast<std::int32_t>(rank));
  workload.graphs = std::move(graphs);
  workload.communicators = {{"world", std::vector<int>{0}}};
  workload.lanes = kLanes;
  return workload;
}

}  // namespace orrery::test
