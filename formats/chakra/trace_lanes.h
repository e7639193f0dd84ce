// The lanes of all ranks of a trace, and which of them a node's work is on.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/chakra/trace_names.h"
#include "formats/chakra/trace_settings.h"
#include "system/job.h"

namespace orrery::chakra {

// Where a node's work is until all files are read: one of these, or the stream with a number of
// TraceNames behind them.
namespace lane {
inline constexpr std::int32_t processor = 0, host = 1, memory = 2, communication = 3, structure = 4;
inline constexpr std::int32_t first_stream = 5;
}  // namespace lane

class TraceLaneTable {
 public:
  // REQUIRES: `lanes` is not automatic.
  TraceLaneTable(TraceLanes lanes, const TraceNames& names);

  const std::vector<LaneSpec>& all() const { return lanes_; }
  std::int32_t of(std::int32_t lane) const { return number_of_[static_cast<std::size_t>(lane)]; }

 private:
  std::vector<LaneSpec> lanes_;
  std::vector<std::int32_t> number_of_;
};

}  // namespace orrery::chakra
