// Layers that are not a plain transformer's: attention in a window, blocks in parallel, adapters of
// low rank. GPT-3 175B, t = 8 with sequence parallelism, T = 2,048 tokens, operation by operation;
// transformer_test.cc has the plain layer.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/workload/model/gpt3.h"
#include "tests/workload/model/part_text.h"
#include "workload/model/transformer.h"
#include "workload/training_flops.h"

namespace orrery {
namespace {

using test::gpt3;
using test::text_of;
using Lines = std::vector<std::string>;

constexpr TransformerShard of_eight{.tensor = 8, .sequence_parallel = true, .micro_batch = 1};

// A causal query meets half of 2,048 tokens on average, all of them if the kernel computes what is
// masked, and a quarter of those in each block of a ring of two. In a window of 512: 512 - 512 *
// 512 / 2 / 2,048 = 448.
TEST_CASE("the keys that a query meets") {
  TransformerSpec model = gpt3();
  const auto keys = [&](const TransformerShard& shard, TransformerPart part) {
    std::vector<std::int32_t> found;
    const PartSteps steps = transformer_part(part, model, shard);
    for (const auto* pass : {&steps.forward, &steps.backward})
      for (const PartStep& step : *pass)
        if (const auto* work = std::get_if<Compute>(&step.what);
            work != nullptr && work->kernel == Kernel::attention)
          found.push_back(work->keys);
    return found;
  };
  using Keys = std::vector<std::int32_t>;
  CHECK(keys(of_eight, TransformerPart::attention) == Keys{1'024, 1'024});
  TransformerShard of_ring = of_eight;
  of_ring.context = 2;
  CHECK(keys(of_ring, TransformerPart::attention) == Keys{512, 512, 512, 512});
  of_ring.context_method = ContextMethod::ulysses;
  CHECK(keys(of_ring, TransformerPart::attention) == Keys{1'024, 1'024});
  model.window = 512;
  CHECK(keys(of_eight, TransformerPart::window_attention) == Keys{448, 448});
  model.causal_kernel = false;
  CHECK(keys(of_eight, TransformerPart::attention) == Keys{2'048, 2'048});
}

// Of the 2,048 queries the first 512 see 1 to 512 tokens and the others 512 each: 2,048 x 512 -
// 512^2 / 2 pairs, 7/16 of the 2,048^2 / 2 without a window. 7/16 of 12,884,901,888 forwards, and
// of 32,212,254,720 backwards; nothing else changes.
TEST_CASE("a window leaves the scores of what it shows") {
  TransformerSpec model = gpt3();
  const PartSteps all = transformer_part(TransformerPart::attention, model, of_eight);
  model.window = 512;
  const PartSteps windowed = transformer_part(TransformerPart::window_attention, model, of_eight);
  Lines expected = text_of(all.forward);
  CHECK(expected.at(4) == "gemm 12884901888");
  expected.at(4) = "gemm 5637144576";
  CHECK(text_of(windowed.forward) == expected);
  expected = text_of(all.backward);
  CHECK(expected.at(5) == "gemm 32212254720");
  expected.at(5) = "gemm 14092861440";
  CHECK(text_of(windowed.backward) == expected);
  model.window = 4'096;  // longer than the sequence
  CHECK(text_of(transformer_part(TransformerPart::window_attention, model, of_eight).forward) ==
        text_of(all.forward));
}

// Gemma 2 has a full layer after each windowed one, Gemma 3 after five.
TEST_CASE("of some layers the last sees all tokens") {
  TransformerSpec model = gpt3();
  CHECK_FALSE(model.is_windowed(0));
  model.window = 512;
  CHECK(model.is_windowed(0));
  CHECK(model.is_windowed(95));
  model.full_attention_every = 6;
  for (const std::int64_t layer : {0, 4, 6, 10}) CHECK(model.is_windowed(layer));
  for (const std::int64_t layer : {5, 11, 95}) CHECK_FALSE(model.is_windowed(layer));
  model.window = 2'048;
  CHECK_FALSE(model.is_windowed(0));
}

// One norm, one gather and one sum each way, where the plain layer has two. The MLP adds what
// attention gave before the sum, and attention the input gradient of the MLP: 3 x 2,048 x 12,288
// elements of 2 B, 150,994,944.
TEST_CASE("blocks in parallel gather and sum once") {
  TransformerSpec model = gpt3();
  model.parallel_blocks = true;
  const PartSteps attention = transformer_part(TransformerPart::attention, model, of_eight);
  const PartSteps mlp = transformer_part(TransformerPart::mlp, model, of_eight);
  CHECK(text_of(attention.forward) == Lines{"memory 12582912", "all_gather 50331648", "wait",
                                            "gemm 231928233984", "gemm 12884901888",
                                            "gemm 77309411328"});
  CHECK(text_of(mlp.forward) == Lines{"gemm 309237645312", "memory 50331648", "gemm 309237645312",
                                      "memory 150994944", "reduce_scatter 50331648", "wait",
                                      "memory 18874368"});
  CHECK(text_of(mlp.backward) == Lines{"memory 12582912", "all_gather 50331648", "wait",
                                       "gemm 309237645312", "gemm 309237645312", "memory 75497472",
                                       "all_gather 50331648", "gemm 309237645312", "wait",
                                       "gemm 309237645312"});
  CHECK(text_of(attention.backward) == Lines{"gemm 77309411328", "gemm 77309411328",
                                             "gemm 32212254720", "gemm 231928233984",
                                             "memory 150994944", "reduce_scatter 50331648",
                                             "gemm 231928233984", "wait", "memory 25165824"});
  CHECK(parameters(TransformerPart::mlp, model, 1) == 8 * 12'288LL * 12'288);  // no norm
  // Ranks that each have all tokens have one all-reduce each way.
  const TransformerShard whole{.tensor = 8, .micro_batch = 1};
  std::size_t sums = 0;
  for (const TransformerPart part : {TransformerPart::attention, TransformerPart::mlp})
    for (const auto& steps : {transformer_part(part, model, whole).forward,
                              transformer_part(part, model, whole).backward})
      for (const std::string& line : text_of(steps)) sums += line == "all_reduce 50331648";
  CHECK(sums == 2);
}

// Computed again: all but the last products of both blocks, of which no gradient takes the result.
TEST_CASE("blocks in parallel that are computed again end before both last products") {
  TransformerSpec model = gpt3();
  model.parallel_blocks = true;
  TransformerShard shard = of_eight;
  shard.recompute = Recompute::full;
  shard.recompute_stops_early = true;
  const Lines attention =
      text_of(transformer_part(TransformerPart::attention, model, shard).backward);
  CHECK(Lines(attention.begin(), attention.begin() + 6) ==
        Lines{"memory 12582912", "all_gather 50331648", "wait", "gemm 231928233984",
              "gemm 12884901888", "gemm 77309411328"});  // the last is of the backward pass
  CHECK(attention.size() == 5 + 9);
}

// r = 16. Adapter of QKV: A is 12,288 x 16 on every rank, B 16 x 4,608; of the projection: A 1,536
// x 16, B 16 x 12,288 on every rank. A product of T x 16 by a depth of 12,288 is 805,306,368
// operations, of 4,608 301,989,888, of 1,536 100,663,296, and so are the others of these sizes.
// Three times T x 4,608 elements are 56,623,104 B, T x 12,288 150,994,944, T x 1,536 18,874,368.
TEST_CASE("adapters of attention beside frozen matrices") {
  TransformerShard shard = of_eight;
  shard.lora.rank = 16;
  const PartSteps attention = transformer_part(TransformerPart::attention, gpt3(), shard);
  CHECK(text_of(attention.forward) ==
        Lines{"memory 12582912", "all_gather 50331648", "wait",         //
              "gemm 231928233984", "gemm 805306368", "gemm 301989888",  // QKV
              "memory 56623104", "gemm 12884901888",                    // scores
              "gemm 77309411328", "gemm 100663296", "gemm 805306368",   // projection
              "memory 150994944", "reduce_scatter 50331648", "wait", "memory 18874368"});
  // Of the frozen matrices the input gradients alone. What is gathered again A's gradient takes.
  CHECK(text_of(attention.backward) == Lines{"memory 12582912",
                                             "all_gather 50331648",
                                             "wait",  //
                                             "gemm 77309411328",
                                             "gemm 805306368",
                                             "gemm 100663296",
                                             "memory 18874368",
                                             "gemm 805306368",
                                             "gemm 100663296",  // of B, of A
                                             "gemm 32212254720",
                                             "all_gather 50331648",
                                             "gemm 231928233984",  //
                                             "gemm 301989888",
                                             "gemm 805306368",
                                             "memory 150994944",
                                             "wait",  //
                                             "reduce_scatter 50331648",
                                             "gemm 301989888",
                                             "gemm 805306368",
                                             "wait",
                                             "memory 25165824"});
}

TEST_CASE("a frozen matrix without adapter has no gradient and gathers nothing for it") {
  TransformerShard shard = of_eight;
  shard.lora = {.rank = 16, .matrices = AdaptedMatrices::attention};
  CHECK(text_of(transformer_part(TransformerPart::mlp, gpt3(), shard).backward) ==
        Lines{"memory 12582912", "all_gather 50331648", "wait", "gemm 309237645312",
              "memory 75497472", "gemm 309237645312", "reduce_scatter 50331648", "wait",
              "memory 25165824"});
  CHECK(transformer_part(TransformerPart::embedding, gpt3(), shard).backward.empty());
  // The head: the loss, the input gradient, and its sum. Logits of 2,048 x 6,400.
  CHECK(text_of(transformer_part(TransformerPart::head, gpt3(), shard).backward).at(1) ==
        "gemm 322122547200");
}

// Of a layer h (r + r + ...): attention r (h + 3h/8 + h/8 + h), of which both h are on every rank;
// the MLP r (h + 4h/8 + 4h/8 + h). On one rank with queries and values alone E. Hu et al. count 4 h
// r a layer; QKV, projection and MLP together have 16 h r.
TEST_CASE("parameters of adapters") {
  TransformerTraining training;
  training.tensor = 8;
  training.lora.rank = 16;
  const TransformerSpec model = gpt3();
  using enum TransformerPart;
  CHECK(adapter_parameters(attention, model, training) == 16 * (12'288 + 4'608 + 1'536 + 12'288));
  CHECK(replicated_adapters(attention, model, training) == 16 * 2 * 12'288);
  CHECK(adapter_parameters(mlp, model, training) == 16 * (12'288 + 6'144 + 6'144 + 12'288));
  CHECK(adapter_parameters(head, model, training) == 0);
  training.tensor = 1;
  CHECK(adapter_parameters(attention, model, training) + adapter_parameters(mlp, model, training) ==
        16 * 12'288 * 16);
  training.lora.matrices = AdaptedMatrices::attention;
  CHECK(adapter_parameters(mlp, model, training) == 0);
}

// h = 64, L = 2, s = 32, B = 8, V = 100, as in training_flops_test.cc: products are 24 h^2 and 2 h
// V a token, 3 x 256 x (2 x 98,304 + 12,800) = 160,825,344 and attention 12,582,912 in three
// passes. A window of 8 leaves 8 (64 - 8) / 32^2 = 7/16 of attention. Frozen products have two
// passes of three, and 16 h r L = 4,096 adapters (r = 2) 6 operations each and token.
TEST_CASE("operations of windows and of adapters") {
  TransformerWorkload workload;
  workload.model.layers = 2;
  workload.model.hidden = 64;
  workload.model.heads = 4;
  workload.model.vocabulary = 100;
  workload.model.sequence = 32;
  workload.model.element = Bytes{2};
  workload.training.global_batch = 8;
  CHECK(training_flops(workload, FlopConvention::model) == 160'825'344.0 + 12'582'912);
  workload.model.window = 8;
  CHECK(training_flops(workload, FlopConvention::model) == 160'825'344.0 + 5'505'024);
  workload.training.lora.rank = 2;
  CHECK(training_flops(workload, FlopConvention::model) ==
        160'825'344.0 * 2 / 3 + 5'505'024 + 256.0 * 6 * 4'096);
}

}  // namespace
}  // namespace orrery
