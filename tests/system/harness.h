// Small jobs on small platforms: what the tests of system/ share.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/event/event_queue.h"
#include "core/trace/trace_sink.h"
#include "network/backends.h"
#include "system/compute/roofline.h"
#include "system/rank/job_runner.h"

namespace orrery::test {

// Of most platforms: 80 ps a byte; two links are a path.
inline constexpr Bandwidth kBandwidth = gigabits_per_second(100);
inline constexpr Duration kLink = nanoseconds(500), kPath = nanoseconds(1000);

// The operations of one rank, in order; as workload/graph/program.h, which system/ may not see.
// Compute and Wait hold what follows, the rest runs beside it.
class Script final : public OperationSource {
 public:
  explicit Script(std::vector<std::vector<Operation>> programs) : programs_(std::move(programs)) {
    cursor_.resize(programs_.size());
  }

  void start(Rank rank, std::vector<Operation>& ready) override { go_on(rank, ready); }
  void finish(Rank rank, OperationId id, std::vector<Operation>& ready) override {
    const auto& what = programs_[rank][id].what;
    if (std::holds_alternative<Compute>(what) || std::holds_alternative<Wait>(what))
      go_on(rank, ready);
  }
  std::int64_t operation_count(Rank rank) const override {
    return static_cast<std::int64_t>(programs_[rank].size());
  }

 private:
  void go_on(Rank rank, std::vector<Operation>& ready) {
    while (cursor_[rank] < programs_[rank].size()) {
      const Operation& next = programs_[rank][cursor_[rank]++];
      ready.push_back(next);
      if (std::holds_alternative<Compute>(next.what) || std::holds_alternative<Wait>(next.what))
        return;
    }
  }

  std::vector<std::vector<Operation>> programs_;
  std::vector<std::size_t> cursor_;
};

class Recorder final : public TraceSink {
 public:
  void on_span(const Span& span) override { spans.push_back(span); }

  // The only span of this kind, rank and operation. REQUIRES: there is one.
  Span find(SpanKind kind, Rank rank, OperationId operation) const {
    for (const Span& span : spans)
      if (span.kind == kind && span.rank == rank && span.operation == operation) return span;
    throw std::logic_error("no such span");
  }
  std::vector<Span> spans;
};

inline LevelSpec switch_level(std::int32_t size, Bandwidth bandwidth, Duration latency) {
  return {"", LevelKind::switched, size, bandwidth, latency, Scope::scale_out};
}

// One algorithm for everything, no endpoint cost, one chunk; tests change what they are about.
inline SystemSpec plain_system(const std::string& algorithm) {
  SystemSpec spec;
  for (CollectiveSpec& collective : spec.collectives) {
    collective.algorithms = {algorithm};
    collective.chunks = 1;
  }
  spec.minimum_chunk = bytes(1);
  spec.injection_latency = spec.local_injection_latency = Duration{};
  return spec;
}

inline Operation collective(OperationId id, Collective kind, Bytes size,
                            Priority priority = Priority::normal, Duration update = {},
                            std::int32_t root = 0) {
  return {id, static_cast<std::int32_t>(id), CollectiveCall{kind, 0, size, priority, update, root}};
}
inline Operation compute(OperationId id, Duration duration) {
  return {id, static_cast<std::int32_t>(id), Compute{{}, {}, duration}};
}
inline Operation wait(OperationId id, OperationId of) {
  return {id, static_cast<std::int32_t>(of), Wait{of}};
}

// A platform, a job and the run of it.
struct World {
  World(std::vector<LevelSpec> levels, SystemSpec system_spec,
        std::vector<std::vector<Operation>> programs, const NetworkSpec& network_spec = {})
      : World(TopologySpec{std::move(levels)}, std::move(system_spec), std::move(programs),
              network_spec) {}
  World(TopologySpec platform, SystemSpec system_spec, std::vector<std::vector<Operation>> programs,
        const NetworkSpec& network_spec = {})
      : topology(std::move(platform)),
        network(find_backend(network_spec.backend)->make(queue, topology, network_spec)),
        spec(std::move(system_spec)) {
    std::size_t labels = 0;
    for (const auto& program : programs)
      for (const Operation& operation : program)
        labels = std::max(labels, static_cast<std::size_t>(operation.label + 1));
    for (std::size_t i = 0; i < labels; ++i) job.labels.push_back({std::to_string(i), 0, {}});
    job.ranks = topology.npu_count();
    std::vector<int> all;
    for (int level = 0; level < static_cast<int>(topology.levels().size()); ++level)
      all.push_back(level);
    job.communicators.push_back({"world", all});
    for (const int level : all) job.communicators.push_back({"level", std::vector<int>{level}});
    job.operations = std::make_unique<Script>(std::move(programs));
    rebuild();
  }
  // After a change of `spec` or `job`.
  void rebuild() {
    runner = std::make_unique<JobRunner>(queue, *network, topology, spec, job, roofline, recorder);
  }

  // The same program on every rank.
  static std::vector<std::vector<Operation>> everywhere(std::int32_t ranks,
                                                        std::vector<Operation> program) {
    return std::vector<std::vector<Operation>>(ranks, std::move(program));
  }

  Duration run() {
    runner->start();
    queue.run();
    while (!runner->finished() && runner->unblock()) queue.run();
    return queue.now().since_start;
  }

  EventQueue queue;
  Topology topology;
  std::unique_ptr<NetworkBackend> network;
  SystemSpec spec;
  Job job;
  Roofline roofline{RooflineSpec{}};
  Recorder recorder;
  std::unique_ptr<JobRunner> runner;
};

}  // namespace orrery::test
