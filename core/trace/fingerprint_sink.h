// One number for everything a run computed: 128 bits over (rank, operation, begin, end, size) of
// every compute and collective span. Two runs with the same fingerprint had the same times,
// whatever the order in which their events were executed, because the spans' hashes are added.
//
// A span's hash is weight(rank) * hash(operation, begin, end, size) with odd weights, so that one
// rank that stands for many costs one product with the sum of their weights, and still counts as if
// each of them had been seen.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/trace/trace_sink.h"

namespace orrery {

class FingerprintSink : public TraceSink {
 public:
  FingerprintSink() = default;
  // Every span is of a representative and stands for the same one on each rank that it represents.
  explicit FingerprintSink(std::span<const std::int32_t> representative_of_rank);

  void on_span(const Span& span) override;

  std::string hex() const;  // 32 digits

 private:
  std::array<std::uint64_t, 2> sums_{};
  std::vector<std::array<std::uint64_t, 2>> weights_;  // of representatives: of all their ranks
};

}  // namespace orrery
