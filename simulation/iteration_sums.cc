#include "simulation/iteration_sums.h"

#include <variant>
#include <vector>

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

}  // namespace

IterationSums iteration_sums(const Experiment& experiment, const Topology& topology,
                             Selection& selection) {
  return IterationWalk(experiment, topology, selection).sums();
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
