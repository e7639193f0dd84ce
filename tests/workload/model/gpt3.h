#pragma once
// GPT-3 175B, in 16-bit elements (Brown et al. 2020, table 2.1), with Megatron-LM's padded
// vocabulary.
#include "workload/model/transformer.h"

namespace orrery::test {

inline TransformerSpec gpt3() {
  TransformerSpec spec;
  spec.layers = 96;
  spec.hidden = 12'288;
  spec.heads = 96;
  spec.vocabulary = 51'200;
  spec.sequence = 2'048;
  spec.element = Bytes{2};
  return spec;
}

}  // namespace orrery::test
