#include "frontends/yaml/describe_transformer.h"

#include <fmt/format.h>

namespace orrery::yaml {

namespace {

// The largest product of the model: the operations of a whole iteration stay below 2^63.
bool sums_fit(const TransformerSpec& spec) {
  const auto real = [](std::int64_t value) { return static_cast<long double>(value); };
  const long double width = real(spec.hidden) + real(spec.mlp_width()) + real(spec.query_width());
  const long double matrices = width * width * 8 + width * real(spec.vocabulary);
  const long double of_experts =
      real(spec.experts.count) * real(spec.expert_width()) * real(spec.hidden) * 3;
  const long double tokens = real(spec.sequence) * (real(spec.sequence) + 1);
  constexpr long double most = 4.6e18L;  // half of 2^63
  return (matrices + of_experts) * real(spec.layers) < most && tokens * width * 10 < most;
}

}  // namespace

void divides(Reader& reader, std::string_view key, std::int64_t divisor, std::int64_t number,
             std::string_view what) {
  if (divisor <= 0 || number % divisor == 0) return;
  reader.wrong(key, fmt::format("{} does not divide the {} {}", divisor, number, what),
               fmt::format("choose a divisor of {}", number));
}

void check_transformer(Reader& model, const TransformerSpec& spec) {
  if (!model.clean()) return;
  if (spec.element == Bytes{1})
    model.wrong("data_type",
                "software that trains in fp8 multiplies in 8 bits, and keeps and sends activations "
                "in 16",
                "write data_type: bf16 and eight_bit_products: true");
  if (spec.head_dimension == 0 && !spec.latent)
    divides(model, "heads", spec.heads, spec.hidden, "of hidden");
  if (spec.key_value_heads > 0)
    divides(model, "key_value_heads", spec.key_value_heads, spec.heads, "heads");
  if (spec.eight_bit_products && spec.element > Bytes{2})
    model.wrong("eight_bit_products", "operands are cast from 16 bits",
                "write data_type: bf16 or fp16, or leave it out");
  if (!sums_fit(spec))
    model.wrong_map("the sizes multiply to more than 9.2e18", "check for a digit too many");
}

}  // namespace orrery::yaml
