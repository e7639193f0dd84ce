// A layer of Mixtral 8x7B, operation by operation, written out by hand; what experts change.
#include <catch2/catch.hpp>

#include "tests/workload/model/part_text.h"
#include "workload/model/expert_routing.h"

using namespace orrery;
using test::text_of;

namespace {

using Lines = std::vector<std::string>;

TransformerSpec mixtral() {
  TransformerSpec spec;
  spec.layers = 32;
  spec.hidden = 4'096;
  spec.heads = 32;
  spec.key_value_heads = 8;
  spec.feed_forward = 14'336;
  spec.gated = true;
  spec.tied_embeddings = false;
  spec.vocabulary = 32'000;
  spec.sequence = 4'096;
  spec.element = Bytes{2};
  spec.experts.count = 8;
  spec.experts.top_k = 2;
  return spec;
}

TransformerShard shard(std::int32_t expert) {
  TransformerShard result{.tensor = 2, .sequence_parallel = true, .micro_batch = 1};
  result.experts.parallel = expert;
  return result;
}

PartSteps experts_of(const TransformerSpec& model, const TransformerShard& by) {
  return transformer_part(TransformerPart::experts, model, by);
}

}  // namespace

// t = 2: 16 of 32 heads and 4 of 8 key heads of 128 on each rank; 4,096 tokens.
TEST_CASE("attention of Mixtral 8x7B") {
  const PartSteps steps = transformer_part(TransformerPart::attention, mixtral(), shard(8));
  CHECK(text_of(steps.forward) == Lines{"memory 33554432",              // norm of 2,048 tokens
                                        "all_gather 33554432", "wait",  // 4096 x 4096 x 2 B
                                        "gemm 103079215104",  // 2 x 4096 x 4096 x (2048 + 2 x 512)
                                        "gemm 68719476736",   // half of 4 x 4096^2 x 2048
                                        "gemm 68719476736",   // 2 x 4096 x 2048 x 4096
                                        "reduce_scatter 33554432", "wait", "memory 50331648"});
  CHECK(text_of(steps.backward) ==
        Lines{"memory 33554432", "all_gather 33554432", "wait", "gemm 68719476736",
              "gemm 68719476736", "gemm 171798691840", "all_gather 33554432", "gemm 103079215104",
              "wait", "reduce_scatter 33554432", "gemm 103079215104", "wait", "memory 67108864"});
}

// t = 2: 2,048 tokens of 4,096 elements of 2 B on each rank, 4,096 copies of 8,192 B. e = 8: one
// expert on each rank, to which as many copies come as leave.
TEST_CASE("a layer of experts of Mixtral 8x7B") {
  const PartSteps steps = experts_of(mixtral(), shard(8));
  CHECK(text_of(steps.forward) == Lines{"memory 33554432",         // norm
                                        "gemm 134217728",          // router: 2 x 2048 x 4096 x 8
                                        "memory 65536",            // softmax and top 2 of 2,048 x 8
                                        "all_gather 256", "wait",  // 8 counts of 4 B from 8 ranks
                                        "memory 50331648",  // 2,048 tokens in, 4,096 copies out
                                        "all_to_all 33570816",
                                        "wait",  // copies, and a probability of 4 B with each
                                        "gemm 962072674304",  // 2 x 4096 x 4096 x 2 x 14336
                                        "memory 352321536",   // 3 x 4096 x 14336 elements
                                        "gemm 481036337152",  //
                                        "all_to_all 33554432", "wait",  //
                                        "memory 50331648",    // 4,096 results in, 2,048 sums out
                                        "memory 50331648"});  // residual
  CHECK(text_of(steps.backward) ==
        Lines{"memory 33554432", "memory 50331648", "all_to_all 33554432", "wait",
              "gemm 481036337152", "gemm 481036337152",  // input and weights of the second matrix
              "memory 587202560",                        // 5 x 4096 x 14336
              "gemm 962072674304", "gemm 962072674304", "all_to_all 33570816", "wait",
              "memory 50331648", "memory 65536", "gemm 134217728", "gemm 134217728",
              "memory 67108864"});
}

// Two experts of each rank read their weights once: 2 x 4096 x 28672 x 2 B; 4,096 copies of 4,096
// and 28,672 elements.
TEST_CASE("weights of all local experts are read") {
  const PartSteps steps = experts_of(mixtral(), shard(4));
  CHECK(text_of(steps.forward)[8] == "memory 67108864");  // copies sorted by expert
  const auto& matrix = std::get<Compute>(steps.forward[9].what);
  CHECK(matrix.flops.value == 962'072'674'304);
  CHECK(matrix.memory_traffic.value == 469'762'048 + 4'096 * (4'096 + 28'672) * 2);
}

// 4,096 elements in 8 bits, 32 scales of 4 B and a probability: 4,228 B a copy. Only forwards.
TEST_CASE("dispatch in 8 bits") {
  TransformerShard by = shard(8);
  by.experts.fp8_dispatch = true;
  const PartSteps steps = experts_of(mixtral(), by);
  CHECK(text_of(steps.forward)[6] == "all_to_all 17317888");
  CHECK(text_of(steps.forward)[11] == "all_to_all 33554432");
  CHECK(text_of(steps.backward)[2] == "all_to_all 33554432");
}

// Products in 8 bits, of 4,096 copies: 4 B of each of 4,096 and 14,336 elements on the way, and of
// 4,096 and 28,672 on the way back; 2 B of what was sent in 8 bits, for its transpose.
TEST_CASE("copies are cast to 8 bits where they arrive") {
  TransformerSpec model = mixtral();
  model.eight_bit_products = true;
  TransformerShard by = shard(8);
  const auto memory_of = [](const std::vector<PartStep>& steps, std::size_t from) {
    Lines lines = text_of(steps);
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(from),
                 lines.begin() + static_cast<std::ptrdiff_t>(from + 5));
  };
  const PartSteps steps = experts_of(model, by);
  CHECK(memory_of(steps.forward, 8) == Lines{"memory 67108864", "gemm 962072674304",
                                             "memory 352321536", "memory 234881024",
                                             "gemm 481036337152"});
  CHECK(memory_of(steps.backward, 4) == Lines{"memory 67108864", "gemm 481036337152",
                                              "gemm 481036337152", "memory 587202560",
                                              "memory 469762048"});
  by.experts.fp8_dispatch = true;
  CHECK(text_of(experts_of(model, by).forward)[8] == "memory 33554432");
}

// A factor of 1.25: an expert takes ceil(1.25 x 4096 / 8) = 640 copies of a rank. Padded, 8 x 640 =
// 5,120 always go; with drop, no more than there are; a factor of 0.5 leaves 8 x 256 = 2,048.
TEST_CASE("capacity") {
  TransformerShard by = shard(8);
  by.experts.capacity = 1.25;
  CHECK(text_of(experts_of(mixtral(), by).forward)[6] == "all_to_all 33570816");
  by.experts.capacity_mode = CapacityMode::pad;
  const Lines padded = text_of(experts_of(mixtral(), by).forward);
  CHECK(padded[3] == "memory 58720256");      // no counts; 2,048 in, 5,120 out
  CHECK(padded[4] == "all_to_all 41963520");  // 5120 x 8196
  CHECK(padded[6] == "gemm 1202590842880");   // 2 x 5120 x 4096 x 28672
  by.experts.capacity_mode = CapacityMode::drop;
  by.experts.capacity = 0.5;
  CHECK(text_of(experts_of(mixtral(), by).forward)[6] == "all_to_all 16785408");  // 2048 x 8196
}

// q = 2: each expert is on two ranks, which gather what arrived at either and scatter the sums; the
// matrices are half as wide, for twice the copies.
TEST_CASE("experts cut by tensor parallelism of their own") {
  TransformerShard by = shard(4);
  by.experts.tensor = 2;
  const PartSteps steps = experts_of(mixtral(), by);
  const Lines texts = text_of(steps.forward);
  CHECK(Lines(texts.begin() + 6, texts.begin() + 18) ==
        Lines{"all_to_all 33570816", "wait", "all_gather 67141632", "wait", "memory 134217728",
              "gemm 962072674304", "memory 352321536", "gemm 481036337152", "memory 134217728",
              "reduce_scatter 67108864", "wait", "all_to_all 33554432"});
}

// A shared expert of 14,336: gather, first product and activation go beside the dispatch, second
// product and sum beside the combine; backwards the other way round.
TEST_CASE("a shared expert works while tokens travel") {
  TransformerSpec model = mixtral();
  model.experts.shared = 1;
  const PartSteps steps = experts_of(model, shard(8));
  const Lines forward = text_of(steps.forward);
  CHECK(Lines(forward.begin() + 6, forward.end() - 2) ==
        Lines{"all_to_all 33570816", "all_gather 33554432", "wait",
              "gemm 481036337152",  // 2 x 4096 x 4096 x 2 x 14336 / 2
              "memory 176160768", "wait", "gemm 962072674304", "memory 352321536",
              "gemm 481036337152", "all_to_all 33554432", "gemm 240518168576",
              "reduce_scatter 33554432", "wait", "wait"});
  CHECK(text_of(steps.backward)[3] == "all_gather 33554432");
  TransformerShard apart = shard(8);
  apart.experts.overlap_shared = false;
  CHECK(text_of(experts_of(model, apart).forward)[7] == "wait");
}

// DeepSeek-V3: 8 of 256 experts, from 4 of 8 groups. On 8 nodes a group is a node's: of 4 x 32
// experts, none of a given 32 with probability C(96, 8) / C(128, 8) = 0.092747; 4 x (1 - that) =
// 3.62901 nodes. Without limit: 8 x (1 - C(224, 8) / C(256, 8)) = 5.29465.
TEST_CASE("how many nodes a token visits") {
  ExpertsSpec experts;
  experts.count = 256;
  experts.top_k = 8;
  experts.groups = 8;
  experts.group_limit = 4;
  CHECK(expected_nodes(experts, 8) == Approx(3.62901).epsilon(1e-5));
  CHECK(expected_nodes(experts, 1) == Approx(1));
  experts.groups = experts.group_limit = 1;
  CHECK(expected_nodes(experts, 8) == Approx(5.29465).epsilon(1e-5));
  // One expert for each token is on one node.
  experts.top_k = 1;
  CHECK(expected_nodes(experts, 8) == Approx(1));
}

// 8 nodes of 8 ranks: 2,048 tokens visit 3.62901 nodes each, their own included; there 16,384
// copies go on.
TEST_CASE("tokens cross once to each node") {
  TransformerSpec model = mixtral();
  model.experts.count = 256;
  model.experts.top_k = 8;
  model.experts.width = 2'048;
  model.experts.groups = 8;
  model.experts.group_limit = 4;
  TransformerShard by = shard(64);
  by.experts.node_ranks = 8;
  const PartSteps steps = experts_of(model, by);
  const Lines forward = text_of(steps.forward);
  // 2048 x 3.62901 = 7,432 and 2048 x 8 copies of 8,196 B.
  CHECK(Lines(forward.begin() + 6, forward.begin() + 10) ==
        Lines{"all_to_all 60912672", "wait", "all_to_all 134283264", "wait"});
  const auto group_of = [&](std::size_t step) {
    return std::get<PartStep::Exchange>(steps.forward[step].what).group;
  };
  CHECK(group_of(6) == PartGroup::expert_rail);
  CHECK(group_of(8) == PartGroup::expert_node);
}

// Router 8 x 4096 and norm on every rank; three matrices of 4096 x 14336 for each of 8 experts.
TEST_CASE("parameters of a layer of experts") {
  CHECK(parameters(TransformerPart::experts, mixtral(), 2) == 4'096 * 8 + 4'096);
  ExpertTraining training;
  training.parallel = 4;
  training.tensor = 2;
  CHECK(expert_parameters(mixtral(), training) == 8LL / 4 * 3 * 4'096 * 14'336 / 2);
}
