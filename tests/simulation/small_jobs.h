// Small jobs on small platforms, on which times are known by hand.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simulation/experiment.h"
#include "tests/simulation/rings.h"

namespace orrery {

// Nothing costs latency but the levels' own; collectives go round rings in one chunk.
inline Experiment without_latency(std::vector<LevelSpec> levels) {
  Experiment experiment;
  experiment.topology.levels = std::move(levels);
  experiment.system.injection_latency = experiment.system.local_injection_latency = Duration{};
  use_rings(experiment.system, 1);
  return experiment;
}

// What every rank does: computes, then all-reduces.
inline Experiment with_program(Experiment experiment, Duration work, Bytes size) {
  ProgramSpec program;
  ProgramSpec::Part& part = program.parts.emplace_back();
  part.steps.push_back({"work", {0, -1, Compute{{}, {}, work}}});
  if (size > Bytes{}) {
    const CollectiveCall call{
        .kind = Collective::all_reduce, .communicator = 0, .size = size, .update = {}};
    part.steps.push_back({"gradients", {0, -1, call}, true});
  }
  experiment.workload.what = std::move(program);
  return experiment;
}

// 8 NPUs of 100 TFLOP/s in two nodes, without latency. `inside` and `across` are in GB/s.
inline Experiment with_transformer(TransformerTraining training, std::int64_t inside,
                                   std::int64_t across) {
  Experiment experiment = without_latency(
      {{"node", LevelKind::switched, 4, gigabytes_per_second(inside), Duration{}, Scope::local},
       {"fabric", LevelKind::switched, 2, gigabytes_per_second(across), Duration{},
        Scope::scale_out}});
  experiment.npu.peak = teraflops_per_second(100);
  TransformerWorkload workload;
  workload.model.layers = 8;
  workload.model.hidden = 1'024;
  workload.model.heads = 8;
  workload.model.vocabulary = 16;
  workload.model.sequence = 512;
  workload.model.element = Bytes{2};
  workload.training = training;
  workload.training.global_batch = 8;
  workload.training.overlap_gradients = false;
  experiment.workload.what = workload;
  return experiment;
}

inline TransformerWorkload& transformer_of(Experiment& experiment) {
  return std::get<TransformerWorkload>(experiment.workload.what);
}

// 8 replicas on a switch: 2 layers, h = 64, 16 sequences of 64 tokens.
inline Experiment tiny_transformer() {
  Experiment experiment;
  experiment.topology.levels = {
      {"node", LevelKind::switched, 8, gigabytes_per_second(100), nanoseconds(500)}};
  TransformerWorkload workload;
  workload.model.layers = 2;
  workload.model.hidden = 64;
  workload.model.heads = 8;
  workload.model.vocabulary = 64;
  workload.model.sequence = 64;
  workload.model.element = Bytes{2};
  workload.training.data = 8;
  workload.training.global_batch = 16;
  experiment.workload.what = workload;
  return experiment;
}

// One on each of 8 ranks, two for each token.
inline void add_experts(Experiment& experiment) {
  TransformerWorkload& workload = transformer_of(experiment);
  workload.model.experts.count = 8;
  workload.model.experts.top_k = 2;
  workload.training.experts.parallel = 8;
}

}  // namespace orrery
