#include "core/trace/fingerprint_sink.h"

#include <fmt/format.h>

namespace orrery {

namespace {

// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA'14): a bijection in which every bit of
// the input changes every bit of the output with probability near one half.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9;
  x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11eb;
  return x ^ (x >> 31);
}

// Two unrelated starts: the first digits of the fractions of pi and e.
constexpr std::array<std::uint64_t, 2> starts = {0x243f'6a88'85a3'08d3, 0xb7e1'5162'8aed'2a6a};

std::uint64_t hash(const Span& span, std::uint64_t start) {
  // Added after each field, so that equal fields do not cancel and the order of fields matters.
  constexpr std::uint64_t golden_ratio = 0x9e37'79b9'7f4a'7c15;
  std::uint64_t value = start;
  for (const std::int64_t field : {span.operation, span.begin.since_start.value,
                                   span.end.since_start.value, span.size.value}) {
    value = mix(value ^ static_cast<std::uint64_t>(field)) + golden_ratio;
  }
  return mix(value);
}

// Odd: a product with it loses nothing.
std::uint64_t weight(std::int32_t rank, std::uint64_t start) {
  return mix(static_cast<std::uint64_t>(rank) ^ ~start) | 1;
}

}  // namespace

FingerprintSink::FingerprintSink(std::span<const std::int32_t> representative_of_rank) {
  for (std::size_t rank = 0; rank < representative_of_rank.size(); ++rank) {
    const auto representative = static_cast<std::size_t>(representative_of_rank[rank]);
    if (weights_.size() <= representative) weights_.resize(representative + 1);
    for (std::size_t i = 0; i < starts.size(); ++i)
      weights_[representative][i] += weight(static_cast<std::int32_t>(rank), starts[i]);
  }
}

void FingerprintSink::on_span(const Span& span) {
  if (span.kind != SpanKind::compute && span.kind != SpanKind::collective) return;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::uint64_t factor =
        weights_.empty() ? weight(span.rank, starts[i]) : weights_[span.rank][i];
    sums_[i] += factor * hash(span, starts[i]);
  }
}

std::string FingerprintSink::hex() const {
  return fmt::format("{:016x}{:016x}", sums_[0], sums_[1]);
}

}  // namespace orrery
