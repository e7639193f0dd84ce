// One layer of GPT-3 175B and of Llama-3 405B, operation by operation, written out by hand.
#include "workload/model/transformer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/workload/model/gpt3.h"
#include "tests/workload/model/part_text.h"

using namespace orrery;
using test::gpt3;
using test::text_of;

namespace {

TransformerSpec llama405b() {
  TransformerSpec spec;
  spec.layers = 126;
  spec.hidden = 16'384;
  spec.heads = 128;
  spec.key_value_heads = 8;
  spec.feed_forward = 53'248;
  spec.gated = true;
  spec.tied_embeddings = false;
  spec.vocabulary = 128'256;
  spec.sequence = 8'192;
  spec.element = Bytes{2};
  return spec;
}

}  // namespace

// t = 8, one sample of T = 2,048 tokens, sequence parallel. Activations of T x h x 2 B = 50,331,648
// B in whole, an eighth of that (6,291,456 B) on each rank outside the matrices.
TEST_CASE("a layer of GPT-3 with tensor and sequence parallelism") {
  const TransformerShard shard{.tensor = 8, .sequence_parallel = true, .micro_batch = 1};
  const PartSteps attention = transformer_part(TransformerPart::attention, gpt3(), shard);
  CHECK(text_of(attention.forward) ==
        std::vector<std::string>{"memory 12582912",      // norm: its 6,291,456 B in and out
                                 "all_gather 50331648",  // the tokens of all ranks
                                 "wait",                 //
                                 "gemm 231928233984",    // 2 x 2048 x 12288 x 3 x 12288/8
                                 "gemm 12884901888",     // half (causal) of 4 x 2048^2 x 12288/8
                                 "gemm 77309411328",     // 2 x 2048 x 12288/8 x 12288
                                 "reduce_scatter 50331648", "wait",
                                 "memory 18874368"});  // residual: two in, one out
  // The gathered input is needed by the weight gradient only, so it travels beside the input
  // gradient; the sum of the input gradients travels beside the weight gradient.
  CHECK(text_of(attention.backward) ==
        std::vector<std::string>{"memory 12582912", "all_gather 50331648", "wait",
                                 "gemm 77309411328", "gemm 77309411328",
                                 "gemm 32212254720",  // 2.5 x the forward
                                 "all_gather 50331648", "gemm 231928233984", "wait",
                                 "reduce_scatter 50331648", "gemm 231928233984", "wait",
                                 "memory 25165824"});
  const PartSteps mlp = transformer_part(TransformerPart::mlp, gpt3(), shard);
  CHECK(text_of(mlp.forward) ==
        std::vector<std::string>{"memory 12582912", "all_gather 50331648", "wait",
                                 "gemm 309237645312",  // 2 x 2048 x 12288 x 4 x 12288/8
                                 "memory 50331648",    // 2 x 2048 x 6144 elements
                                 "gemm 309237645312", "reduce_scatter 50331648", "wait",
                                 "memory 18874368"});
  CHECK(text_of(mlp.backward) ==
        std::vector<std::string>{"memory 12582912", "all_gather 50331648", "wait",
                                 "gemm 309237645312", "gemm 309237645312",
                                 "memory 75497472",  // 3 x 2048 x 6144 elements
                                 "all_gather 50331648", "gemm 309237645312", "wait",
                                 "reduce_scatter 50331648", "gemm 309237645312", "wait",
                                 "memory 25165824"});
}

// Software before 2022 waits for the sum: only its place changes.
TEST_CASE("a layer of GPT-3 whose input gradients are summed before the weight gradient") {
  const TransformerShard shard{
      .tensor = 8, .sequence_parallel = true, .micro_batch = 1, .overlap_gradient_sums = false};
  const auto backward = text_of(transformer_part(TransformerPart::mlp, gpt3(), shard).backward);
  CHECK(backward == std::vector<std::string>{"memory 12582912", "all_gather 50331648", "wait",
                                             "gemm 309237645312", "gemm 309237645312",
                                             "memory 75497472", "all_gather 50331648",
                                             "gemm 309237645312", "wait", "reduce_scatter 50331648",
                                             "wait", "gemm 309237645312", "memory 25165824"});
}

// Computed again: norm, gather, FC1 and GeLU, of which FC2's gradients need the result. FC2 itself
// and the sum over ranks come again only in software that does the whole layer again.
TEST_CASE("a layer of GPT-3 that is recomputed, and stops at the last product") {
  TransformerShard shard{.tensor = 8,
                         .sequence_parallel = true,
                         .micro_batch = 1,
                         .recompute = Recompute::full,
                         .recompute_stops_early = true};
  const auto early = text_of(transformer_part(TransformerPart::mlp, gpt3(), shard).backward);
  const std::vector<std::string> again{"memory 12582912", "all_gather 50331648", "wait",
                                       "gemm 309237645312", "memory 50331648"};
  shard.recompute = Recompute::none;
  auto expected = text_of(transformer_part(TransformerPart::mlp, gpt3(), shard).backward);
  expected.insert(expected.begin(), again.begin(), again.end());
  CHECK(early == expected);
  shard.recompute = Recompute::full;
  shard.recompute_stops_early = false;
  const auto whole = text_of(transformer_part(TransformerPart::mlp, gpt3(), shard).backward);
  CHECK(whole.size() == early.size() + 4);  // FC2, reduce-scatter, wait, residual
  // The projection of attention is needed by the norm after it.
  const auto attention =
      text_of(transformer_part(TransformerPart::attention, gpt3(), shard).backward);
  shard.recompute_stops_early = true;
  CHECK(text_of(transformer_part(TransformerPart::attention, gpt3(), shard).backward) == attention);
}

// The same layer with exchanges overlapped: the 256 tokens of each rank go round, 256 x 12288 x 2 =
// 6,291,456 B each, and each product is done in eight parts of 256 rows. Of the eight partial sums
// seven leave, each while the next is computed; at the end eight are read and one is written, 9 x
// 256 x 12288 elements.
TEST_CASE("a layer of GPT-3 whose exchanges go beside their own products") {
  const TransformerShard shard{
      .tensor = 8, .sequence_parallel = true, .micro_batch = 1, .overlap_tensor = true};
  const PartSteps attention = transformer_part(TransformerPart::attention, gpt3(), shard);
  std::vector<std::string> expected{"memory 12582912"};
  const auto add = [&](std::vector<std::string> lines, int times) {
    for (int i = 0; i < times; ++i) expected.insert(expected.end(), lines.begin(), lines.end());
  };
  add({"shift 6291456", "gemm 28991029248", "wait"}, 7);  // 2 x 256 x 12288 x 3 x 12288/8
  add({"gemm 28991029248"}, 1);
  add({"gemm 12884901888"}, 1);                  // scores, as before
  add({"gemm 9663676416", "shift 6291456"}, 7);  // 2 x 256 x 12288/8 x 12288
  add({"gemm 9663676416"}, 1);
  add({"wait"}, 7);
  add({"memory 56623104", "memory 18874368"}, 1);
  CHECK(text_of(attention.forward) == expected);
  // Backwards the gradient of the output is gathered beside the input gradient of the projection;
  // what the projection into queries, keys and values exchanges goes beside other products anyway.
  expected = {"memory 12582912"};
  add({"shift 6291456", "gemm 9663676416", "wait"}, 7);
  add({"gemm 9663676416", "gemm 77309411328", "gemm 32212254720", "all_gather 50331648",
       "gemm 231928233984", "wait", "reduce_scatter 50331648", "gemm 231928233984", "wait",
       "memory 25165824"},
      1);
  CHECK(text_of(attention.backward) == expected);
  // The head is not of that kind.
  TransformerShard whole = shard;
  whole.overlap_tensor = false;
  CHECK(text_of(transformer_part(TransformerPart::head, gpt3(), shard).forward) ==
        text_of(transformer_part(TransformerPart::head, gpt3(), whole).forward));
}

// Without sequence parallelism: two all-reduces forward, two backward, both of T x h x 2 B.
TEST_CASE("a layer of GPT-3 with tensor parallelism alone") {
  const TransformerShard shard{.tensor = 8, .micro_batch = 1};
  const PartSteps mlp = transformer_part(TransformerPart::mlp, gpt3(), shard);
  CHECK(text_of(mlp.forward) == std::vector<std::string>{"memory 100663296", "gemm 309237645312",
                                                         "memory 50331648", "gemm 309237645312",
                                                         "all_reduce 50331648", "wait",
                                                         "memory 150994944"});
  CHECK(text_of(mlp.backward) ==
        std::vector<std::string>{"memory 100663296", "gemm 309237645312", "gemm 309237645312",
                                 "memory 75497472", "gemm 309237645312", "all_reduce 50331648",
                                 "gemm 309237645312", "wait", "memory 201326592"});
}

// Grouped queries: 8 key-value heads of 128, so K = 1,024; gated: two matrices of 53,248 columns.
// t = 8, T = 8,192 tokens, 1,024 of them on each rank; Y = 8192 x 16384 x 2 B = 268,435,456 B.
TEST_CASE("a layer of Llama-3 405B") {
  const TransformerShard shard{.tensor = 8, .sequence_parallel = true, .micro_batch = 1};
  const PartSteps attention = transformer_part(TransformerPart::attention, llama405b(), shard);
  CHECK(text_of(attention.forward) ==
        std::vector<std::string>{"memory 67108864",  // 2 x 1024 x 16384 elements
                                 "all_gather 268435456", "wait",
                                 "gemm 618475290624",  // 2 x 8192 x 16384 x (16384 + 2 x 1024) / 8
                                 "gemm 274877906944",  // 4 x 8192^2 x 16384/8, half
                                 "gemm 549755813888",  // 2 x 8192 x 16384/8 x 16384
                                 "reduce_scatter 268435456", "wait",
                                 "memory 100663296"});  // 3 x 1024 x 16384 elements
  CHECK(text_of(attention.backward) ==
        std::vector<std::string>{"memory 67108864", "all_gather 268435456", "wait",
                                 "gemm 549755813888", "gemm 549755813888",
                                 "gemm 687194767360",  // 2.5 x the forward
                                 "all_gather 268435456", "gemm 618475290624", "wait",
                                 "reduce_scatter 268435456", "gemm 618475290624", "wait",
                                 "memory 134217728"});  // 4 x 1024 x 16384 elements
  const PartSteps mlp = transformer_part(TransformerPart::mlp, llama405b(), shard);
  CHECK(text_of(mlp.forward) ==
        std::vector<std::string>{"memory 67108864", "all_gather 268435456", "wait",
                                 "gemm 3573412790272",  // 2 x 8192 x 16384 x 2 x 53248/8
                                 "memory 327155712",    // 3 x 8192 x 6656 elements
                                 "gemm 1786706395136",  //
                                 "reduce_scatter 268435456", "wait", "memory 100663296"});
  CHECK(text_of(mlp.backward) ==
        std::vector<std::string>{"memory 67108864", "all_gather 268435456", "wait",
                                 "gemm 1786706395136", "gemm 1786706395136",
                                 "memory 545259520",  // 5 x 8192 x 6656 elements
                                 "all_gather 268435456", "gemm 3573412790272", "wait",
                                 "reduce_scatter 268435456", "gemm 3573412790272", "wait",
                                 "memory 134217728"});
}

// The same work in more products: of a rank's 2,048 columns of queries, 128 of keys and 128 of
// values, and of 6,656 columns twice. Backwards their input gradients are added: n are read and one
// is written, each 8192 x 16384 x 2 B.
TEST_CASE("a layer of Llama-3 405B whose matrices are products of their own") {
  const TransformerShard shard{
      .tensor = 8, .sequence_parallel = true, .micro_batch = 1, .separate_products = true};
  const auto part_of = [](const std::vector<std::string>& all, std::ptrdiff_t first,
                          std::ptrdiff_t from_end) {
    return std::vector<std::string>(all.begin() + first, all.end() - from_end);
  };
  const PartSteps attention = transformer_part(TransformerPart::attention, llama405b(), shard);
  const std::string queries = "gemm 549755813888", keys = "gemm 34359738368";
  CHECK(part_of(text_of(attention.forward), 1, 5) ==
        std::vector<std::string>{"all_gather 268435456", "wait", queries, keys, keys});
  CHECK(part_of(text_of(attention.backward), 6, 1) ==
        std::vector<std::string>{"all_gather 268435456", queries, keys, keys, "memory 1073741824",
                                 "wait", "reduce_scatter 268435456", queries, keys, keys, "wait"});
  const PartSteps mlp = transformer_part(TransformerPart::mlp, llama405b(), shard);
  const std::string half = "gemm 1786706395136";
  CHECK(part_of(text_of(mlp.forward), 3, 5) == std::vector<std::string>{half, half});
  CHECK(part_of(text_of(mlp.backward), 6, 1) ==
        std::vector<std::string>{"all_gather 268435456", half, half, "memory 805306368", "wait",
                                 "reduce_scatter 268435456", half, half, "wait"});
}

// Software without fused kernels: FC1's bias is a pass over 2048 x 6144 elements before GeLU, FC2's
// one over 2048 x 12288, and so is the dropout with its mask of a byte, before the sum.
TEST_CASE("a layer of GPT-3 whose biases and dropouts are kernels of their own") {
  TransformerSpec model = gpt3();
  model.attention = AttentionKernel::eager;
  const PartSteps mlp =
      transformer_part(TransformerPart::mlp, model, {.tensor = 8, .micro_batch = 1});
  CHECK(text_of(mlp.forward) == std::vector<std::string>{"memory 100663296", "gemm 309237645312",
                                                         "memory 50331648", "memory 50331648",
                                                         "gemm 309237645312", "all_reduce 50331648",
                                                         "wait", "memory 100663296",
                                                         "memory 125829120", "memory 150994944"});
}

// t = 8, T = 2,048: 2048 x 51200/8 = 13,107,200 logits. Of each the loss in steps moves 2 B (read
// as the product wrote it), then 4 B nine times (cast, maximum, 2 subtract, 2 exponential, sum, 2
// divide): 38 B; backwards 3 x 4 B and 2 B. Fused 2 + 5 x 4 B (cast with maximum, subtract with
// exponential and sum, divide) and 4 + 2 B.
TEST_CASE("the loss passes through the logits, fused or in steps") {
  TransformerShard shard{.tensor = 8, .sequence_parallel = true, .micro_batch = 1};
  const auto has = [&](bool forward, const std::string& line) {
    const PartSteps head = transformer_part(TransformerPart::head, gpt3(), shard);
    const auto texts = text_of(forward ? head.forward : head.backward);
    return std::count(texts.begin(), texts.end(), line);
  };
  CHECK(has(true, "memory 498073600") == 1);
  CHECK(has(false, "memory 183500800") == 1);
  CHECK(has(true, "all_reduce 8192") == 3);
  shard.fused_cross_entropy = true;
  CHECK(has(true, "memory 288358400") == 1);
  CHECK(has(false, "memory 78643200") == 1);
  CHECK(has(true, "all_reduce 8192") == 1);
  CHECK(has(true, "all_reduce 16384") == 1);
}

// The MLP of GPT-3 above in 8 bits. Its input leaves the norm in 8 bits and is gathered so: 2048 x
// 12288 x 1 B = 25,165,824 B. What the activation leaves, 2048 x 6144, is cast and transposed at
// once, 4 B each; the output's gradient, 256 tokens of 12288, cast with 3 B each, gathered, and
// turned with 2 B for the weight gradient, as is the input; the activation's gradient again with 4
// B.
TEST_CASE("casts of products in 8 bits") {
  const TransformerShard shard{.tensor = 8, .sequence_parallel = true, .micro_batch = 1};
  TransformerSpec model = gpt3();
  model.eight_bit_products = true;
  const PartSteps mlp = transformer_part(TransformerPart::mlp, model, shard);
  CHECK(text_of(mlp.forward) ==
        std::vector<std::string>{"memory 12582912", "all_gather 25165824", "wait",
                                 "gemm 309237645312", "memory 50331648", "memory 50331648",
                                 "gemm 309237645312", "reduce_scatter 50331648", "wait",
                                 "memory 18874368"});
  CHECK(text_of(mlp.backward) ==
        std::vector<std::string>{
            "memory 12582912", "memory 9437184", "all_gather 25165824", "wait", "gemm 309237645312",
            "memory 50331648", "gemm 309237645312", "memory 75497472", "memory 50331648",
            "all_gather 25165824", "gemm 309237645312", "wait", "reduce_scatter 50331648",
            "memory 50331648", "gemm 309237645312", "wait", "memory 25165824"});
  // The head stays in 16 bits, which takes twice the time of 8: 4 x 2048 x 12288 x 51200/8.
  const PartSteps head = transformer_part(TransformerPart::head, model, shard);
  CHECK(text_of(head.forward)[3] == "gemm 644245094400");
  // Without tensor parallelism nothing is gathered: 2048 x 12288 gradients of the output at once.
  const PartSteps whole = transformer_part(TransformerPart::mlp, model, {.micro_batch = 1});
  CHECK(text_of(whole.backward)[1] == "memory 100663296");
}

TEST_CASE("parameters") {
  // 12 h^2 and two norms of h in each layer; V h of the embedding, and the final norm.
  const TransformerSpec model = gpt3();
  const std::int64_t layer =
      parameters(TransformerPart::attention, model, 1) + parameters(TransformerPart::mlp, model, 1);
  CHECK(layer == 12LL * 12'288 * 12'288 + 2 * 12'288);
  // Llama-3 405B: 405.85e9 (the model card says 405B).
  const TransformerSpec llama = llama405b();
  std::int64_t all = parameters(TransformerPart::embedding, llama, 1) +
                     parameters(TransformerPart::head, llama, 1);
  all += 126 * (parameters(TransformerPart::attention, llama, 1) +
                parameters(TransformerPart::mlp, llama, 1));
  CHECK(all == 405'853'388'800);
}

TEST_CASE("a split backward pass leaves the weight gradients for later") {
  const TransformerShard shard{
      .tensor = 8, .sequence_parallel = true, .micro_batch = 1, .split_backward = true};
  const PartSteps mlp = transformer_part(TransformerPart::mlp, gpt3(), shard);
  CHECK(text_of(mlp.weight_gradient) == std::vector<std::string>{"gemm 309237645312",
                                                                 "all_gather 50331648", "wait",
                                                                 "gemm 309237645312"});
}

// Two ranks share the sequence: T = 4,096 tokens each of 8,192. t = 8: a key head of 128 and a
// value head on each rank, so a block of keys and values is 4096 x 256 x 2 B = 2,097,152 B.
TEST_CASE("context parallelism of Llama-3 405B: what goes where beside the scores") {
  TransformerShard shard{.tensor = 8, .sequence_parallel = true, .micro_batch = 1};
  shard.context = 2;
  const auto scores_of = [&](ContextMethod method, bool forward) {
    shard.context_method = method;
    const PartSteps steps = transformer_part(TransformerPart::attention, llama405b(), shard);
    const auto texts = text_of(forward ? steps.forward : steps.backward);
    // Forward: between the QKV product and the projection; backward: between its two products and
    // the gather of the input.
    const std::size_t first = forward ? 4 : 5;
    return std::vector<std::string>(texts.begin() + first, texts.end() - (forward ? 4 : 7));
  };
  using Lines = std::vector<std::string>;
  // 4 x 4096 x 8192 x 16384/8 operations, half of them masked, in two blocks.
  CHECK(scores_of(ContextMethod::ring, true) ==
        Lines{"shift 2097152", "gemm 68719476736", "wait", "gemm 68719476736"});
  // 2.5 times that; with the gradients of keys and values.
  CHECK(scores_of(ContextMethod::ring, false) ==
        Lines{"shift 4194304", "gemm 171798691840", "wait", "gemm 171798691840"});
  CHECK(scores_of(ContextMethod::all_gather, true) ==
        Lines{"all_gather 4194304", "wait", "gemm 137438953472"});
  CHECK(scores_of(ContextMethod::all_gather, false) ==
        Lines{"all_gather 4194304", "wait", "gemm 343597383680", "reduce_scatter 4194304", "wait"});
  // Keys and values for all 2,048 columns of queries: 4096 x 4096 x 2 B of each rank. Of a block
  // the sum of 4096 x 2048 elements takes 2 B in, and 4 B there and back; backwards that of
  // queries, keys and values, and the last two go on in 4 B.
  Lines merged;
  for (int block = 0; block < 2; ++block)
    merged.insert(merged.end(), {"gemm 68719476736", "memory 83886080"});
  merged.insert(merged.begin(), {"all_gather 67108864", "wait"});
  CHECK(scores_of(ContextMethod::pytorch, true) == merged);
  merged = {"all_gather 67108864", "wait"};
  for (int block = 0; block < 2; ++block)
    merged.insert(merged.end(),
                  {"gemm 171798691840", "memory 251658240", "shift 67108864", "wait"});
  CHECK(scores_of(ContextMethod::pytorch, false) == merged);
  // Queries 4096 x 2048 and keys and values 4096 x 256, of 2 B; then as much as the queries back.
  CHECK(scores_of(ContextMethod::ulysses, true) ==
        Lines{"all_to_all 18874368", "wait", "gemm 137438953472", "all_to_all 16777216", "wait"});
  CHECK(scores_of(ContextMethod::ulysses, false) ==
        Lines{"all_to_all 16777216", "wait", "gemm 343597383680", "all_to_all 18874368", "wait"});
}

// Four ranks share the sequence, two of them exchange heads: T = 2,048. t = 4: queries of 4,096
// columns and 2 key and 2 value heads, 512 columns, on each rank. Before the ring each turns 2048 x
// (4096 + 512) x 2 B into half of the heads of 4,096 tokens, so a block has 4096 x 256 x 2 B; two
// of them are 4 x 2048 x 8192 x 4096 / 2 operations.
TEST_CASE("context parallelism of Llama-3 405B in two levels") {
  TransformerShard shard{.tensor = 4, .sequence_parallel = true, .micro_batch = 1};
  shard.context = 4;
  shard.context_inner = 2;
  shard.context_method = ContextMethod::ulysses_ring;
  const PartSteps steps = transformer_part(TransformerPart::attention, llama405b(), shard);
  const auto forward = text_of(steps.forward), backward = text_of(steps.backward);
  using Lines = std::vector<std::string>;
  CHECK(Lines(forward.begin() + 4, forward.end() - 4) ==
        Lines{"all_to_all 18874368", "wait", "shift 2097152", "gemm 68719476736", "wait",
              "gemm 68719476736", "all_to_all 16777216", "wait"});
  CHECK(Lines(backward.begin() + 5, backward.end() - 7) ==
        Lines{"all_to_all 16777216", "wait", "shift 4194304", "gemm 171798691840", "wait",
              "gemm 171798691840", "all_to_all 18874368", "wait"});
}

// 16 ranks for 8 key heads: each head is on two of them, so a rank has h x (A/16 + 2 x 128)
// columns.
TEST_CASE("fewer key heads than tensor-parallel ranks") {
  const TransformerShard shard{.tensor = 16, .sequence_parallel = true, .micro_batch = 1};
  const PartSteps attention = transformer_part(TransformerPart::attention, llama405b(), shard);
  CHECK(text_of(attention.forward)[3] == "gemm 343597383680");  // 2 x 8192 x 16384 x 1280
  CHECK(parameters(TransformerPart::attention, llama405b(), 16) ==
        16'384LL * 1'280 + 16'384LL * 16'384 / 16 + 16'384);
}

// DeepSeek-V3's attention, t = 1, T = 4,096: latent vectors of 1,536 and 512 + 64; 128 heads with
// queries and keys of 192 and values of 128.
TEST_CASE("latent attention") {
  TransformerSpec model;
  model.layers = 61;
  model.hidden = 7'168;
  model.heads = 128;
  model.latent = LatentAttention{1'536, 512, 128, 64, 128};
  model.vocabulary = 129'280;
  model.sequence = 4'096;
  model.element = Bytes{2};
  const PartSteps attention = transformer_part(TransformerPart::attention, model, {});
  CHECK(text_of(attention.forward) ==
        std::vector<std::string>{"memory 117440512",   // norm
                                 "gemm 90194313216",   // 2 x 4096 x 7168 x 1536
                                 "memory 25165824",    // norm of 1,536
                                 "gemm 309237645312",  // 2 x 4096 x 1536 x 128 x 192
                                 "gemm 33822867456",   // 2 x 4096 x 7168 x 576
                                 "memory 8388608",     // norm of 512
                                 "gemm 137438953472",  // 2 x 4096 x 512 x 128 x 256
                                 "gemm 687194767360",  // half of 2 x 4096^2 x 128 x (192 + 128)
                                 "gemm 962072674304",  // 2 x 4096 x 128 x 128 x 7168
                                 "memory 176160768"});
  // Backwards the scores take 3 x 192 + 2 x 128 elements of a head for 192 + 128: 2.6 times.
  CHECK(text_of(attention.backward)[3] == "gemm 1786706395136");
  CHECK(parameters(TransformerPart::attention, model, 1) == 187'114'496);
}

// h = 8, f = 32, 4 tokens: the weights of the first matrix of the MLP are 256 elements. Its product
// reads 32 + 256 elements and writes 4 x 32; that of its weights' gradient reads 32 + 128 and
// writes 256. A rank that sums gradients of 4 B over its micro-batches reads and writes those
// instead.
TEST_CASE("A product says what its result is, and sums of gradients are read and written") {
  TransformerSpec model;
  model.layers = 1;
  model.hidden = 8;
  model.heads = 2;
  model.feed_forward = 32;
  model.vocabulary = 16;
  model.sequence = 4;
  model.element = Bytes{2};
  model.gradient_element = Bytes{4};
  TransformerShard by{.tensor = 1, .micro_batch = 1};
  const auto product_of = [&](const std::vector<PartStep>& steps, Bytes result) {
    for (const PartStep& step : steps)
      if (const auto* compute = std::get_if<Compute>(&step.what))
        if (compute->result == result) return compute->memory_traffic;
    return Bytes{};
  };
  const PartSteps alone = transformer_part(TransformerPart::mlp, model, by);
  CHECK(product_of(alone.forward, Bytes{2 * 128}) == Bytes{2 * 288 + 2 * 128});
  CHECK(product_of(alone.backward, Bytes{2 * 256}) == Bytes{2 * 160 + 2 * 256});
  by.sums_gradients = true;
  const PartSteps summed = transformer_part(TransformerPart::mlp, model, by);
  CHECK(product_of(summed.forward, Bytes{2 * 128}) == Bytes{2 * 288 + 2 * 128});
  CHECK(product_of(summed.backward, Bytes{2 * 256}) == Bytes{});
  CHECK(product_of(summed.backward, Bytes{8 * 256}) == Bytes{2 * 160 + 8 * 256});
}
