// How much room a link with credits has behind it, and what it carries with that. The equations are
// in docs/models/credit.md.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/units/units.h"
#include "network/credit_spec.h"

namespace orrery {

// With so many segments of room a link whose end passes them on never waits for credits: a credit
// is back after two segments and two latencies. As many at a link of no bandwidth, which sends
// nothing.
constexpr std::int64_t segments_of_full_link(Bytes segment, Bandwidth bandwidth, Duration latency) {
  if (bandwidth == Bandwidth{}) return 2;
  const std::int64_t piece = transfer_time(segment, bandwidth).value;
  const std::int64_t turn = (latency * 2).value;
  return 2 + turn / piece + (turn % piece != 0 ? 1 : 0);
}

// What is written, or what the link needs to be full, and 64 KiB at least.
constexpr Bytes room_behind(const CreditSpec& credit, Bandwidth bandwidth, Duration latency) {
  if (credit.buffer) return *credit.buffer;
  return std::max(kibibytes(64),
                  credit.segment * segments_of_full_link(credit.segment, bandwidth, latency));
}

}  // namespace orrery
