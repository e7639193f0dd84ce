// The collectives as nccl-tests measures them: names, and what "bandwidth" means for each.
//
//   algbw  size / time
//   busbw  algbw times a factor of the operation and the number of ranks n, so that it does not
//          depend on n where the links are the limit (nccl-tests, doc/PERFORMANCE.md)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/units/units.h"
#include "system/collective_algorithm.h"

namespace orrery {

enum class BusFactor : std::uint8_t {
  one,
  share,        // (n - 1) / n: a rank keeps its own part
  twice_share,  // 2 (n - 1) / n: what a reduce-scatter and an all-gather move
};

struct CollectiveOperation {
  std::string_view name;  // as name_of(Collective)
  BusFactor factor;
  std::string_view redop;  // as nccl-tests prints it: "sum", "none"
  bool counts_per_rank;    // nccl-tests' `count` is that of one rank's piece, not of `size`
};

// One line for each collective that has a size. Those that the system layer knows can be simulated.
inline constexpr CollectiveOperation collective_operations[] = {
    {"all_reduce", BusFactor::twice_share, "sum", false},
    {"reduce_scatter", BusFactor::share, "sum", true},
    {"all_gather", BusFactor::share, "none", true},
    {"all_to_all", BusFactor::share, "none", true},
    {"all_to_allv", BusFactor::share, "none", true},
    {"broadcast", BusFactor::one, "none", false},
    {"reduce", BusFactor::one, "sum", false},
    {"gather", BusFactor::share, "none", true},
    {"scatter", BusFactor::share, "none", true},
};

const CollectiveOperation* find_operation(std::string_view name);  // nullptr if unknown

// Those that can be simulated, in the order of the enumeration.
std::vector<Collective> simulated_operations();

// The one of them with that name.
std::optional<Collective> find_simulated(std::string_view name);

// In GB/s, 1e9 bytes per second. REQUIRES: time > 0, ranks >= 2, find_operation(operation).
double algorithm_bandwidth(Bytes size, Duration time);
double bus_bandwidth(std::string_view operation, std::int64_t ranks, Bytes size, Duration time);

// (simulated - measured) / measured.
double relative_error(Duration simulated, Duration measured);

}  // namespace orrery
