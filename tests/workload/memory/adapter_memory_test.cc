// Memory of layers with adapters, and of blocks in parallel, by hand. The model is that of
// stage_memory_test.cc: h = 8, f = 32, four layers of 784 parameters, embedding 128, head 136,
// 3,400 in all. T = 4 tokens.
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "tests/workload/describe_job.h"
#include "workload/memory/stage_memory.h"
#include "workload/parallelism/stage_layout.h"
#include "workload/workload.h"

namespace orrery {
namespace {

TransformerWorkload of_four_layers() {
  TransformerWorkload workload;
  workload.model.layers = 4;
  workload.model.hidden = 8;
  workload.model.heads = 2;
  workload.model.vocabulary = 16;
  workload.model.sequence = 4;
  workload.model.element = Bytes{2};
  workload.model.tied_embeddings = false;
  workload.training.global_batch = 1;
  return workload;
}

// r = 2: of attention 2 (8 + 24 + 8 + 8) = 96, of an MLP 2 (8 + 32 + 32 + 8) = 160; 256 a layer,
// 1,024 in all.
TransformerWorkload adapted() {
  TransformerWorkload workload = of_four_layers();
  workload.training.lora.rank = 2;
  return workload;
}

TEST_CASE("Gradients and optimizer are those of the adapters") {
  TransformerWorkload workload = adapted();
  const StageMemory alone = stage_memory(workload, 0);
  CHECK(alone.parameters == Bytes{2 * (3'400 + 1'024)});
  CHECK(alone.gradients == Bytes{4 * 1'024});
  CHECK(alone.optimizer == Bytes{12 * 1'024});
  CHECK(alone.buffers == Bytes{});
  workload.training.global_batch = workload.training.data = 4;
  workload.training.sharding = Sharding::zero1;
  CHECK(stage_memory(workload, 0).optimizer == Bytes{12 * 1'024 / 4});
  // Two layers of 1,040 are gathered at a time, and the gradients of one wait to be scattered.
  workload.training.sharding = Sharding::zero3;
  const StageMemory sharded = stage_memory(workload, 0);
  CHECK(sharded.parameters == Bytes{2 * 4'424 / 4});
  CHECK(sharded.gradients == Bytes{4 * 1'024 / 4});
  CHECK(sharded.buffers == Bytes{2 * 2 * 1'040 + 4 * 256});
}

// Units of zero3 are gathered whole; only adapters have gradients to reduce. Without it, nothing
// but adapters is exchanged.
TEST_CASE("What is exchanged of a frozen model") {
  TransformerWorkload workload = adapted();
  workload.training.global_batch = workload.training.data = 4;
  StageLayout layout = stage_layout(workload, 0);
  CHECK(layout.parameters == 4'424);
  CHECK(layout.trained == 1'024);
  REQUIRE(layout.units.size() == 1);
  CHECK(layout.units[0].elements == 1'024);
  workload.training.sharding = Sharding::zero3;
  layout = stage_layout(workload, 0);
  std::vector<std::int64_t> gathered, reduced;
  for (const ExchangeUnit& unit : layout.units) {
    gathered.push_back(unit.elements);
    reduced.push_back(unit.trained);
  }
  using Elements = std::vector<std::int64_t>;
  CHECK(gathered == Elements{128, 1'040, 1'040, 1'040, 1'040, 136});
  CHECK(reduced == Elements{0, 256, 256, 256, 256, 0});
}

// The job itself: reductions of a data-parallel group are of 4 B for each adapter, and the head's
// unit has none.
TEST_CASE("A job with adapters reduces their gradients alone") {
  for (const Sharding sharding : {Sharding::none, Sharding::zero3}) {
    TransformerWorkload workload = adapted();
    workload.training.global_batch = workload.training.data = 4;
    workload.training.sharding = sharding;
    Job job = make_transformer_job(workload, 1, {});
    Bytes gradients, gathered;
    for (const Operation& operation : test::drain(job, Rank{0})) {
      const auto* call = std::get_if<CollectiveCall>(&operation.what);
      if (call == nullptr || call->size == Bytes{4}) continue;  // the norm of all gradients
      (call->kind == Collective::all_gather ? gathered : gradients) += call->size;
    }
    CHECK(gradients == Bytes{4 * 1'024});
    // Forwards and backwards, the head once, which stays.
    CHECK(gathered == (sharding == Sharding::none ? Bytes{} : Bytes{2 * (2 * 4'424 - 136)}));
  }
}

// T h = 32 elements of 2 B. Attention keeps inputs of norm and QKV, 3 x 32 of queries, keys, values
// and 32 of the output: 384 B. An MLP keeps two inputs, 128 and 128 elements: 640 B. A frozen
// matrix does not keep its input, of 64 B, or FC2's of 256 B; the kernel of attention needs its
// output all the same. Two adapters keep T r elements each, 32 B.
TEST_CASE("Activations beside frozen matrices") {
  TransformerWorkload workload = of_four_layers();
  const auto attention = [&] {
    return activations_of(TransformerPart::attention, false, workload);
  };
  const auto mlp = [&] { return activations_of(TransformerPart::mlp, false, workload); };
  const auto head = [&] { return activations_of(TransformerPart::head, false, workload); };
  CHECK(attention() == Bytes{384});
  CHECK(mlp() == Bytes{640});
  const Bytes trained_head = head();
  workload = adapted();
  CHECK(attention() == Bytes{384 + 32});
  CHECK(mlp() == Bytes{640 + 32});
  CHECK(head() == trained_head - Bytes{64});
  workload.training.lora.matrices = AdaptedMatrices::attention;
  CHECK(attention() == Bytes{384 + 32});
  CHECK(mlp() == Bytes{640 - 64 - 256});
  workload.training.lora.matrices = AdaptedMatrices::mlp;
  CHECK(attention() == Bytes{384 - 64});
  CHECK(mlp() == Bytes{640 + 32});
}

// The MLP has the inputs of norm and FC1 from attention.
TEST_CASE("Blocks in parallel keep one input") {
  TransformerWorkload workload = of_four_layers();
  workload.model.parallel_blocks = true;
  CHECK(activations_of(TransformerPart::attention, false, workload) == Bytes{384});
  CHECK(activations_of(TransformerPart::mlp, false, workload) == Bytes{640 - 2 * 64});
  CHECK(stage_memory(workload, 0).parameters == Bytes{2 * (3'400 - 4 * 8)});
}

}  // namespace
}  // namespace orrery
