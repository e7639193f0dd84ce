#include "simulation/iteration_sums.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "simulation/few_parts.h"
#include "simulation/make_job.h"
#include "system/collective/bandwidth_bound.h"
#include "system/collective/piece_sizes.h"
#include "system/compute/roofline.h"

namespace orrery {

namespace {

// What a call by the first group of a communicator gets.
const CollectiveSpec& spec_of(Selection& selection, Collective kind, const GroupFamily& family,
                              Bytes size) {
  return selection.spec(kind, selection.choose(kind, size, family.layout(0, kind)));
}

class IterationWalk {
 public:
  IterationWalk(const Experiment& experiment, const Topology& topology, Selection& selection)
      : experiment_(experiment),
        topology_(topology),
        selection_(selection),
        job_(make_job(experiment, topology, 1)),
        compute_(experiment.npu.roofline(job_.ranks)) {}

  // Finishes every operation as soon as it is handed out: no network is needed to see them all.
  IterationSums sums() {
    std::vector<Operation> ready;
    job_.operations->start(0, ready);
    for (std::size_t i = 0; i < ready.size(); ++i) {
      const Operation operation = ready[i];
      std::visit([this](const auto& what) { add(what); }, operation.what);
      ++sums_.operations;
      job_.operations->finish(0, operation.id, ready);
    }
    return sums_;
  }

 private:
  void add(const Compute& work) {
    sums_.compute += compute_.time_of(work);
    sums_.flops += work.flops;
  }
  void add(const CollectiveCall& call) {
    const std::size_t kind = static_cast<std::size_t>(call.kind);
    IterationSums::Calls& sum = sums_.collectives[kind];
    ++sum.calls;
    sum.size += call.size;
    const Communicator& communicator =
        job_.communicators[static_cast<std::size_t>(call.communicator)];
    const GroupFamily family(topology_, communicator);
    sum.chunks += chunk_count(call.size, spec_of(selection_, call.kind, family, call.size).chunks,
                              experiment_.system.minimum_chunk);
    sum.least_time += least_time(selection_, topology_, call.kind, communicator, call.size);
  }
  void add(const SendCall& send) { sums_.sent += send.size; }
  void add(const ReceiveCall& receive) { sums_.received += receive.size; }
  void add(const Wait&) {}

  const Experiment& experiment_;
  const Topology& topology_;
  Selection& selection_;
  Job job_;
  Roofline compute_;
  IterationSums sums_;
};

// Then each micro-batch is something else.
bool draws_experts(const WorkloadSpec& workload) {
  return std::ranges::any_of(parts_of(workload), [](const WorkloadSpec* part) {
    const auto* transformer = std::get_if<TransformerWorkload>(&part->what);
    return transformer != nullptr && transformer->model.experts.count > 0 &&
           transformer->training.experts.load.kind != ExpertLoad::uniform;
  });
}

}  // namespace

void IterationSums::grow(const IterationSums& last, const IterationSums& before,
                         std::int64_t times) {
  const auto add = [times](auto& sum, const auto& of_last, const auto& of_before) {
    sum += (of_last - of_before) * times;
  };
  operations += (last.operations - before.operations) * static_cast<std::size_t>(times);
  add(compute, last.compute, before.compute);
  add(flops, last.flops, before.flops);
  add(sent, last.sent, before.sent);
  add(received, last.received, before.received);
  for (std::size_t kind = 0; kind < collectives.size(); ++kind) {
    Calls& all = collectives[kind];
    const Calls &more = last.collectives[kind], &less = before.collectives[kind];
    add(all.calls, more.calls, less.calls);
    add(all.chunks, more.chunks, less.chunks);
    add(all.size, more.size, less.size);
    add(all.least_time, more.least_time, less.least_time);
  }
}

IterationSums iteration_sums(const Experiment& experiment, const Topology& topology,
                             Selection& selection) {
  const auto sums = [&](const Experiment& few) {
    return IterationWalk(few, topology, selection).sums();
  };
  return draws_experts(experiment.workload) ? sums(experiment)
                                            : sum_of_all_batches(experiment, sums);
}

Duration least_time(Selection& selection, const Topology& topology, Collective kind,
                    const Communicator& communicator, Bytes size) {
  const GroupFamily family(topology, communicator);
  CollectiveCall call{};
  call.kind = kind;
  call.size = size;
  const CollectiveSpec& spec = spec_of(selection, kind, family, size);
  return bandwidth_bound(call, spec, selection.minimum_chunk(), family, topology);
}

}  // namespace orrery
