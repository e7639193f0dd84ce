// Measured times, for a comparison with simulated ones. Two formats, told apart by their
// contents:
//
//   nccl-tests   what all_reduce_perf and its kin print; columns are found by the names in the
//                header, the first `time` (out-of-place) counts, lines that are no rows are skipped
//   CSV          a line of column names, among them `bytes` and `time_us`; where there are columns
//                `op` and `ranks`, rows of other operations and groups are skipped ("all_reduce
//                (NVLS)" is an all_reduce)
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/units/units.h"

namespace orrery {

using MeasuredTimes = std::map<Bytes, Duration>;

// Throws IoError if the file cannot be read, ConfigError if it is neither of the two, has no row
// for this operation and number of ranks, or several for one size.
MeasuredTimes read_measured_times(const std::string& path, std::string_view operation,
                                  std::int64_t ranks);

}  // namespace orrery
