// Core attention of GPT-3 175B on one of 8 tensor-parallel ranks, written out by hand: 12 heads of
// 128, one sample of 2,048 tokens, so 12 x 2048 x 2048 = 50,331,648 pairs.
#include "workload/model/unfused_attention.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "workload/model/transformer.h"

namespace orrery {
namespace {

const UnfusedAttention attention_of_gpt3{2'048, 2'048, 12, 128, 128, Bytes{2}};

std::vector<std::string> text_of(const std::vector<Compute>& kernels) {
  std::vector<std::string> texts;
  for (const Compute& work : kernels)
    texts.push_back((work.flops > Flops{} ? "product of " : "") +
                    std::to_string(work.memory_traffic.value));
  return texts;
}

TEST_CASE("unfused attention reads and writes all pairs again and again") {
  // A product moves 2 B for each pair and for 2 x 2048 x 12 x 128 = 6,291,456 other elements;
  // softmax 2 x 2 B a pair, dropout 2 x 2 B and a byte of mask, softmax backwards 3 x 2 B.
  CHECK(text_of(attention_of_gpt3.forward()) == std::vector<std::string>{"product of 113246208",
                                                                         "201326592", "251658240",
                                                                         "product of 113246208"});
  CHECK(text_of(attention_of_gpt3.backward()) ==
        std::vector<std::string>{"product of 113246208", "product of 113246208", "251658240",
                                 "301989888", "product of 113246208", "product of 113246208"});
  for (const Compute& work : attention_of_gpt3.forward())  // 2 x pairs x 128
    CHECK((work.flops == Flops{} || work.flops == Flops{12'884'901'888}));
}

// 2 x 2 B a pair more, before the softmax and behind it.
TEST_CASE("a mask that is a kernel of its own is one pass over all pairs each way") {
  UnfusedAttention attention = attention_of_gpt3;
  attention.masked_apart = true;
  CHECK(text_of(attention.forward()) ==
        std::vector<std::string>{"product of 113246208", "201326592", "201326592", "251658240",
                                 "product of 113246208"});
  CHECK(text_of(attention.backward()) ==
        std::vector<std::string>{"product of 113246208", "product of 113246208", "251658240",
                                 "301989888", "201326592", "product of 113246208",
                                 "product of 113246208"});
}

std::ptrdiff_t dropouts_backwards(Recompute recompute) {
  TransformerSpec model;
  model.layers = 96;
  model.hidden = 12'288;
  model.heads = 96;
  model.vocabulary = 51'200;
  model.sequence = 2'048;
  model.element = Bytes{2};
  model.attention = AttentionKernel::unfused;
  const TransformerShard shard{.tensor = 8, .micro_batch = 1, .recompute = recompute};
  const PartSteps steps = transformer_part(TransformerPart::attention, model, shard);
  return std::count_if(steps.backward.begin(), steps.backward.end(), [](const PartStep& step) {
    const auto* work = std::get_if<Compute>(&step.what);
    return work != nullptr && work->memory_traffic == bytes(251'658'240);
  });
}

TEST_CASE("selective recomputation repeats what is between the projections") {
  // Dropout backwards moves as much as forwards.
  CHECK(dropouts_backwards(Recompute::none) == 1);
  CHECK(dropouts_backwards(Recompute::selective) == 2);
  CHECK(dropouts_backwards(Recompute::full) == 2);
}

}  // namespace
}  // namespace orrery
