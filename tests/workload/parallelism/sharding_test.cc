// What a rank of a data-parallel group exchanges and when, by the kind of sharding: whole programs
// of a small model, written out.
#include <catch2/catch.hpp>

#include "tests/workload/describe_job.h"
#include "workload/workload.h"

using namespace orrery;

namespace {

// Elements: embedding 16 x 8 = 128; a layer 12 x 8 x 8 + 2 x 8 = 784, 264 of them attention; head
// 128 + 8 = 136. Two bytes each: 256, 1568 and 272 B. Four data-parallel ranks.
TransformerWorkload small(Sharding sharding) {
  TransformerWorkload workload;
  workload.model.layers = 2;
  workload.model.hidden = 8;
  workload.model.heads = 1;
  workload.model.vocabulary = 16;
  workload.model.sequence = 4;
  workload.model.tied_embeddings = false;
  workload.model.element = workload.model.gradient_element = Bytes{2};
  workload.training.data = 4;
  workload.training.global_batch = 4;
  workload.training.sharding = sharding;
  return workload;
}

// Exchanges and waits, and between them which part is computed: "mlp" for all of its steps.
std::vector<std::string> exchanges(const TransformerWorkload& workload, int iterations = 1) {
  Job job = make_transformer_job(workload, iterations);
  std::vector<std::string> lines;
  for (const Operation& operation : test::drain(job, 0)) {
    const std::string& layer = job.labels[operation.label].layer;
    std::string line = layer;
    if (std::holds_alternative<Wait>(operation.what)) line = "wait " + layer;
    if (const auto* call = std::get_if<CollectiveCall>(&operation.what))
      line = std::string(name_of(call->kind)) + ' ' + job.communicators[call->communicator].name +
             ' ' + std::to_string(call->size.value);
    if (std::holds_alternative<Compute>(operation.what) && !lines.empty() && lines.back() == line)
      continue;
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

// Forwards each layer is gathered beside the one before it, the first one waited for. Backwards the
// same in the other order, and the gradients of a layer go beside the layer after it, one at a
// time. The backward pass begins with the head, where the forward pass ended: FSDP never frees it
// between the two, so it is gathered once, nothing is waited for at the turn, and the last layer's
// gather goes beside the head's backward pass.
TEST_CASE("zero3 gathers each layer before both passes and frees it after them") {
  CHECK(exchanges(small(Sharding::zero3)) ==
        Lines{"all_gather data 256", "wait parameters", "all_gather data 1568", "embedding",
              "wait parameters", "all_gather data 1568", "attention", "mlp", "wait parameters",
              "all_gather data 272", "attention", "mlp", "wait parameters", "head",
              // backwards
              "all_gather data 1568", "head", "reduce_scatter data 272", "wait parameters",
              "all_gather data 1568", "mlp", "attention", "wait gradients",
              "reduce_scatter data 1568", "wait parameters", "all_gather data 256", "mlp",
              "attention", "wait gradients", "reduce_scatter data 1568", "wait parameters",
              "embedding", "wait gradients", "reduce_scatter data 256",
              // the end
              "wait gradients", "all_reduce world 4", "wait gradient norm", "optimizer"});
}

// The head's matrix is the embedding's (the head has a norm of 8 elements of its own, 16 B):
// gathered for the first part of the forward pass, it is used by the last one and both turn back,
// so a rank gathers it once, 2 layers twice and the norm once.
TEST_CASE("zero3 keeps a tied embedding for the head") {
  TransformerWorkload workload = small(Sharding::zero3);
  workload.model.tied_embeddings = true;
  const Lines lines = exchanges(workload);
  const auto count = [&](const char* line) { return std::count(lines.begin(), lines.end(), line); };
  CHECK(count("all_gather data 256") == 1);
  CHECK(count("all_gather data 1568") == 4);
  CHECK(count("all_gather data 16") == 1);
  CHECK(count("reduce_scatter data 256") == 1);
  CHECK(count("reduce_scatter data 16") == 1);
}

// Two micro-batches without a pipeline: each frees what it used at its end, the head too. So each
// gathers the head once (272 B) and the two layers twice.
TEST_CASE("zero3 gathers the head once a micro-batch") {
  TransformerWorkload workload = small(Sharding::zero3);
  workload.training.global_batch = 8;
  const Lines lines = exchanges(workload);
  CHECK(std::count(lines.begin(), lines.end(), "all_gather data 272") == 2);
  CHECK(std::count(lines.begin(), lines.end(), "all_gather data 1568") == 8);
}

// Without prefetch every gather is waited for where it is needed; kept parameters need no second
// one.
TEST_CASE("zero3 without prefetch, parameters kept for the backward pass") {
  TransformerWorkload workload = small(Sharding::zero3);
  workload.training.prefetch = 0;
  workload.training.reshard_after_forward = false;
  const Lines lines = exchanges(workload);
  CHECK(Lines(lines.begin(), lines.begin() + 14) ==
        Lines{"all_gather data 256", "wait parameters", "embedding", "all_gather data 1568",
              "wait parameters", "attention", "mlp", "all_gather data 1568", "wait parameters",
              "attention", "mlp", "all_gather data 272", "wait parameters", "head"});
  CHECK(lines[14] == "reduce_scatter data 272");
  CHECK(std::count(lines.begin(), lines.end(), "wait parameters") == 4);
}

// Two micro-batches: zero2 reduces with each, in one bucket here (1,832 elements, below 40 M), and
// gathers once; summed locally, once.
TEST_CASE("zero2 reduces gradients with each micro-batch unless they are summed first") {
  TransformerWorkload workload = small(Sharding::zero2);
  workload.training.global_batch = 8;
  const auto count = [&](const std::string& line) {
    const Lines lines = exchanges(workload);
    return std::count(lines.begin(), lines.end(), line);
  };
  constexpr std::int64_t all = 256 + 2 * 1568 + 272;
  CHECK(count("reduce_scatter data " + std::to_string(all)) == 2);
  CHECK(count("all_gather data " + std::to_string(all)) == 1);
  workload.training.accumulation = Accumulation::local;
  CHECK(count("reduce_scatter data " + std::to_string(all)) == 1);
  workload.training.sharding = Sharding::none;
  CHECK(count("all_reduce data " + std::to_string(all)) == 1);
  workload.training.accumulation = Accumulation::reduced;
  CHECK(count("all_reduce data " + std::to_string(all)) == 2);
}

// Buckets of 1,500 B of gradients, from behind: head and the mlp of layer 2 (136 + 520 elements
// are 1,312 B) with its attention (528 B) = 1,840 B; layer 1 (1,568 B); the embedding (256 B).
// The next iteration begins with the embedding's bucket, and asks for each next one beside it.
TEST_CASE("parameters are gathered beside the next forward pass, bucket by bucket") {
  TransformerWorkload workload = small(Sharding::zero1);
  workload.training.bucket = Bytes{1'500};
  workload.training.overlap_parameters = true;
  const Lines lines = exchanges(workload, 2);
  const Lines one{"all_gather data 256", "wait parameters", "all_gather data 1568", "embedding",
                  "wait parameters", "all_gather data 1840", "attention", "mlp", "wait parameters",
                  "attention", "mlp", "head",
                  // backwards
                  "mlp", "attention", "reduce_scatter data 1840", "mlp", "attention",
                  "reduce_scatter data 1568", "embedding", "reduce_scatter data 256",
                  "wait gradients", "wait gradients", "wait gradients", "all_reduce world 4",
                  "wait gradient norm", "optimizer"};
  Lines both = one;
  both.insert(both.end(), one.begin(), one.end());
  CHECK(lines == both);
}

// Groups of two neighbours hold one copy: gathers and reduce-scatters stay inside, and of what is
// left each rank sums half with the rank of the other copy that has the same share, one layer
// later.
TEST_CASE("hybrid sharding sums shares over the copies") {
  TransformerWorkload workload = small(Sharding::zero3);
  workload.training.shard_group = 2;
  const Lines lines = exchanges(workload);
  const auto backward = std::find(lines.begin(), lines.end(), "reduce_scatter shard 272");
  CHECK(Lines(backward, lines.end()) ==
        Lines{"reduce_scatter shard 272", "wait parameters", "all_gather shard 1568", "mlp",
              "attention", "wait gradients", "all_reduce copies 136", "reduce_scatter shard 1568",
              "wait parameters", "all_gather shard 256", "mlp", "attention", "wait gradients",
              "all_reduce copies 784", "reduce_scatter shard 1568", "wait parameters", "embedding",
              "wait gradients", "all_reduce copies 784", "reduce_scatter shard 256",
              // the end
              "wait gradients", "all_reduce copies 128", "wait gradients of copies",
              "wait gradients of copies", "wait gradients of copies", "wait gradients of copies",
              "all_reduce world 4", "wait gradient norm", "optimizer"});
  Job job = make_transformer_job(workload, 1);
  CHECK(std::get<std::vector<Extent>>(job.communicators[1].groups) ==
        std::vector<Extent>{{2, 1}});  // shard
  CHECK(std::get<std::vector<Extent>>(job.communicators[2].groups) ==
        std::vector<Extent>{{2, 2}});  // copies
}

// Torchtitan's default in a pipeline: gathered with the first micro-batch, kept until the backward
// pass of the last one, whose gradients are exchanged.
TEST_CASE("zero3 in a pipeline gathers once an iteration") {
  TransformerWorkload workload = small(Sharding::zero3);
  workload.training.pipeline = 2;
  workload.training.data = 2;
  workload.training.global_batch = 8;
  const auto count = [&](const std::string& line) {
    const Lines lines = exchanges(workload);
    return std::count(lines.begin(), lines.end(), line);
  };
  CHECK(count("all_gather data 1568") == 1);
  CHECK(count("reduce_scatter data 1568") == 1);
  // Freed after each forward pass but not after a backward pass, in the order F0 F1 B0 F2 B1 F3 B2
  // B3: F0, F1, B0, B1 and B2 gather, F2, F3 and B3 find what the step before them gathered.
  workload.training.reshard_after_forward = true;
  CHECK(count("reduce_scatter data 1568") == 1);
  CHECK(count("all_gather data 1568") == 5);
}

// Buckets of 784 elements or more: head, MLP and attention are 920, the other layer 784, the
// embedding 128. Nothing of them holds up the backward pass.
TEST_CASE("gradients without overlap are exchanged behind the last backward pass") {
  TransformerWorkload workload = small(Sharding::zero1);
  workload.training.overlap_gradients = false;
  workload.training.bucket = Bytes{1568};
  CHECK(exchanges(workload) ==
        Lines{"embedding", "attention", "mlp", "attention", "mlp", "head",
              // backwards
              "mlp", "attention", "mlp", "attention", "embedding",
              // the end
              "reduce_scatter data 1840", "wait gradients", "reduce_scatter data 1568",
              "wait gradients", "reduce_scatter data 256", "wait gradients", "all_reduce world 4",
              "wait gradient norm", "optimizer", "all_gather data 3664", "wait parameters"});
}
