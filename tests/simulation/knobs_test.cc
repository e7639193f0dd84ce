// Settings that a part of the time names.
#include "simulation/result/knobs.h"

#include <catch2/catch.hpp>

#include "network/topology/builders/rail.h"
#include "simulation/search/fitting.h"
#include "tests/simulation/small_jobs.h"

namespace orrery {
namespace {

using Catch::Contains;

Experiment with_experts() {
  Experiment result = tiny_transformer();
  add_experts(result);
  return result;
}

std::string knob(const Experiment& experiment) {
  TimePart part;
  part.part = "EP";
  part.level = "node";
  part.bound_by = BoundBy::bandwidth;
  return knob_of(part, experiment, 1, {});
}

}  // namespace

TEST_CASE("exchanges of experts may go beside computing, where that is allowed") {
  Experiment experiment = with_experts();
  CHECK_THAT(knob(experiment), Contains("(training.overlap_experts)"));
  TransformerTraining& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.experts.overlap_batches = true;
  CHECK_THAT(knob(experiment), !Contains("overlap_experts"));
  training.experts.overlap_batches = false;
  training.sharding = Sharding::zero3;  // two passes would gather and free the same layers
  CHECK_THAT(knob(experiment), !Contains("overlap_experts"));
}

// A rank has 8 samples. Of one, 8 tokens are 2 x 8 flop for each parameter, which is read and whose
// gradient is added to in the time of thousands of flop: of 8 samples together it is so once.
TEST_CASE("memory-bound kernels name the micro-batch with which they are fewer") {
  Experiment experiment = with_experts();
  experiment.npu.peak = teraflops_per_second(100);
  experiment.npu.memory_bandwidth = gigabytes_per_second(100);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.model.experts = {};
  workload.model.sequence = 8;
  workload.training.experts = {};
  workload.training.global_batch = 64;
  TimePart part;
  part.part = "memory-bound kernels";
  part.bound_by = BoundBy::memory_bandwidth;
  const auto knob_now = [&] { return knob_of(part, experiment, 1, {}); };
  CHECK_THAT(knob_now(), Catch::StartsWith("training.micro_batch: 8, or more memory bandwidth"));
  experiment.npu.memory = most_memory(workload);  // no room for more, nor for fragments
  CHECK_THAT(knob_now(), Catch::StartsWith("more memory bandwidth"));
  experiment.npu.memory.reset();
  workload.training.micro_batch = 8;
  CHECK_THAT(knob_now(), Catch::StartsWith("more memory bandwidth"));
}

// Four NPUs of 32 GB/s on a NIC of 50 GB/s: 128 to 50. The rails themselves pass on all.
TEST_CASE("NPUs that share a NIC name it, not a taper of what is behind") {
  Experiment experiment = with_experts();
  const Wire wire{gigabytes_per_second(50), microseconds(1)};
  NodeSpec node{.npus = 4,
                .inside = NodeInside::switched,
                .link = {gigabytes_per_second(450), nanoseconds(500)},
                .nics = 1,
                .bus = {gigabytes_per_second(32), nanoseconds(300)},
                .affinity = {}};
  TimePart part;
  part.part = "all_to_all";
  part.level = "unit";
  part.bound_by = BoundBy::bandwidth;
  const auto knob_now = [&] { return knob_of(part, experiment, 2.56, {}); };
  experiment.topology = build_rail({.node = node, .nodes = 3, .wire = wire, .spine_wire = wire});
  CHECK(knob_now() == "faster NICs, which several NPUs share (now 2.56:1)");
  node.nics = 4;
  experiment.topology =
      build_rail({.node = node, .nodes = 4, .spines = 1, .wire = wire, .spine_wire = wire});
  CHECK_THAT(knob_now(), Catch::StartsWith("less taper at unit"));
}

// With go_back_n a lost packet costs all that left after it, with selective_repeat itself.
TEST_CASE("of what random losses cost, the recovery is named first where it goes back") {
  Experiment experiment = with_experts();
  experiment.network.backend = "packet";
  TimePart part;
  part.bound_by = BoundBy::losses;
  const auto knob_now = [&] { return knob_of(part, experiment, 1, {.random = 5}); };
  CHECK_THAT(knob_now(), Catch::StartsWith("network.transport.recovery: selective_repeat, or links "
                                           "that lose less"));
  experiment.network.transport.roce.recovery = RecoveryKind::selective_repeat;
  CHECK_THAT(knob_now(), Catch::StartsWith("links that lose less"));
  experiment.network.transport.roce.recovery = RecoveryKind::go_back_n;
  experiment.network.transport.kind = TransportKind::tcp;
  CHECK_THAT(knob_now(), Catch::StartsWith("links that lose less"));
}

}  // namespace orrery
