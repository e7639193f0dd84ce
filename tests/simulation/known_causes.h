// Twelve experiments made so that what holds them up is known by hand. Of each: why it takes as
// long as it does (why_test.cc), what one change gains (what_if_test.cc), and what makes it slower
// than an experiment that differs in one thing (difference_test.cc).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "tests/paths.h"
#include "tests/simulation/small_jobs.h"

namespace orrery::known_causes {

// `ranks` on one ring of 1 GB/s, without any latency unless it is given.
inline Experiment on_ring(std::int32_t ranks, Duration latency = {}) {
  return without_latency(
      {{"ring", LevelKind::ring, ranks, gigabytes_per_second(1), latency, Scope::scale_out}});
}

// Four stages and one micro-batch (or `micro_batches`), on a network that costs nothing: of the
// four passes in a row each stage does one, and 3/4 of the time is bubble. The scores are not
// matrix products, but they are in each stage alike.
inline Experiment bubble_only(std::int64_t micro_batches = 1) {
  TransformerTraining training;
  training.pipeline = 4;
  training.data = 2;
  Experiment experiment = with_transformer(training, 1'000'000, 1'000'000);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.training.global_batch = 8;
  workload.training.micro_batch = 4 / micro_batches;
  workload.model.vocabulary = 1;
  return experiment;
}

// Two stages of four layers of 12 h^2 parameters each, h = 1,024, with a head of so many h^2 behind
// the second one; four replicas do 16 micro-batches each.
inline Experiment uneven_stages(std::int64_t head) {
  TransformerTraining training;
  training.pipeline = 2;
  training.data = 4;
  Experiment experiment = with_transformer(training, 1'000'000, 1'000'000);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.training.global_batch = 64;
  workload.model.vocabulary = std::max<std::int64_t>(1, head * 1'024);
  return experiment;
}

// Groups of 4 on 1 GB/s: an all-reduce of 512 x 1,024 x 2 B takes 1.5 MB / (1 GB/s) = 1.57 ms and
// the products of a layer 2 x 12 x 1,024^2 x 512 / (4 x 100 TFLOP/s) = 32 us.
inline Experiment tensor_inside(std::int64_t bandwidth = 1) {
  TransformerTraining training;
  training.tensor = 4;
  training.data = 2;
  return with_transformer(training, bandwidth, 1'000);
}

// All 8 in a group: of the bytes a fourth of what an all-reduce of 4 moves crosses at 1 GB/s.
inline Experiment tensor_across(std::int64_t bandwidth = 1) {
  TransformerTraining training;
  training.tensor = 8;
  return with_transformer(training, 1'000, bandwidth);
}

// 8 replicas exchange 100 M parameters of 4 B after the backward pass: inside a node at 1 TB/s,
// then 400 MB across at 1 GB/s.
inline Experiment exposed_gradients(std::int64_t bandwidth = 1) {
  TransformerTraining training;
  training.data = 8;
  return with_transformer(training, 1'000, bandwidth);
}

// 14 steps of a ring, 10 us (or `latency`) and 1 ns for 1 B each.
inline Experiment latency_only(Duration latency = microseconds(10)) {
  return with_program(on_ring(8, latency), nanoseconds(1), bytes(8));
}

// Flows whose hashes meet share an uplink: three of 200 Gb/s one of 400 (examples/ecmp). So that
// link is busy for 1.5 times as long as a rank's port needs.
inline Experiment hot_link(const std::string& policy = "ecmp") {
  return load_experiment(source_folder() + "/examples/ecmp/ecmp.yaml",
                         {{"network.routing.policy=" + policy}});
}

// The rank takes 30 ms (or `slowdown` x 10 ms) where the others take 10.
inline Experiment straggler(Rank rank = 3, double slowdown = 3) {
  Experiment experiment = with_program(on_ring(4), milliseconds(10), bytes(4'000));
  StragglerSpec& slow = experiment.npu.variation.stragglers.emplace_back();
  slow.ranks = {rank};
  slow.slowdown = slowdown;
  return experiment;
}

// 16 tokens and 100 M parameters: passes read each weight of 2 B a few times, the optimizer reads
// and writes 26 B and more of it. All of it is bound by memory: 16 tokens make 16 operations a
// byte, and the processor has 1,000 for each.
inline Experiment optimizer_only(std::int64_t memory_bandwidth = 100) {
  TransformerTraining training;
  training.data = 8;
  Experiment experiment = with_transformer(training, 1'000'000, 1'000'000);
  experiment.npu.memory_bandwidth = gigabytes_per_second(memory_bandwidth);
  std::get<TransformerWorkload>(experiment.workload.what).model.sequence = 16;
  return experiment;
}

// Zipf loads: the rank with the popular expert computes longest, and the others wait for it, on a
// network that costs nothing.
inline Experiment popular_experts(ExpertLoad load = ExpertLoad::zipf) {
  TransformerTraining training;
  training.data = 8;
  training.experts.parallel = 8;
  training.experts.load.kind = load;
  Experiment experiment = with_transformer(training, 1'000'000, 1'000'000);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.model.experts.count = 8;
  workload.model.experts.top_k = 2;
  return experiment;
}

// Three workers push 1 MB each into one port of 1 GB/s and are answered out of it: 6 ms. The last
// answer waits 2 ms for the others in the port, and takes 1.
inline Experiment fan_in(std::int64_t bandwidth = 1) {
  Experiment experiment = on_ring(4);
  LevelSpec& level = experiment.topology.levels.front();
  level.kind = LevelKind::switched;
  level.bandwidth = gigabytes_per_second(bandwidth);
  experiment.npu.peak = teraflops_per_second(1);
  StackTraining stack;
  stack.layers = {{"a", 500'000, 0, 0, 0, false}};
  stack.gradient_element = Bytes{2};
  stack.servers = {3};
  experiment.workload.what = stack;
  return experiment;
}

// 64 chunks one by one: each passes 14 steps of 10 us and 1/512 of 64 kB. Latency of one chunk is
// the least, that of the 63 others is due to the limit.
inline Experiment one_chunk_at_a_time(std::int32_t limit = 1) {
  Experiment experiment = with_program(on_ring(8, microseconds(10)), nanoseconds(1), kibibytes(64));
  experiment.system.collectives[static_cast<std::size_t>(Collective::all_reduce)].chunks = 64;
  experiment.system.queue_limit = limit;
  return experiment;
}

inline Experiment computing_only(Duration work = milliseconds(3)) {
  return with_program(on_ring(2), work, Bytes{});
}

}  // namespace orrery::known_causes
