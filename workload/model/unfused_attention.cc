#include "workload/model/unfused_attention.h"

namespace orrery {

namespace {

constexpr Bytes mask{1};

}  // namespace

Compute UnfusedAttention::product(std::int64_t width) const {
  const std::int64_t matrices = 2 * tokens * heads * width;
  return {Flops{2 * pairs() * width}, element * (pairs() + matrices), std::nullopt};
}

Compute UnfusedAttention::pass_over_pairs(Bytes each) const {
  return {Flops{}, each * pairs(), std::nullopt};
}

std::vector<Compute> UnfusedAttention::forward() const {
  std::vector<Compute> kernels{product(key_width), pass_over_pairs(element * 2),
                               pass_over_pairs(element * 2 + mask), product(value_width)};
  if (masked_apart) kernels.insert(kernels.begin() + 1, pass_over_pairs(element * 2));
  return kernels;
}

std::vector<Compute> UnfusedAttention::backward() const {
  std::vector<Compute> kernels{
      product(value_width),         product(value_width), pass_over_pairs(element * 2 + mask),
      pass_over_pairs(element * 3),  // the softmax's result and gradient, and what comes out
      product(key_width),           product(key_width)};
  if (masked_apart) kernels.insert(kernels.begin() + 4, pass_over_pairs(element * 2));
  return kernels;
}

}  // namespace orrery
