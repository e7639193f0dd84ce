// How long a rank's own work takes. Pure: the same work on the same device takes the same time, and
// the same operation of the same rank always varies in the same way.
#pragma once

#include <cstdint>
#include <string>

#include "core/units/units.h"
#include "system/operation_source.h"

namespace orrery {

// Who does the work, and when: for devices that are not all equally fast.
struct Occasion {
  Rank rank = 0;
  OperationId operation = 0;
  std::int32_t iteration = 0;  // of the operation's label
  Time begin;
};

// Which limit of the device sets the time of an operation.
enum class ComputeLimit : std::uint8_t {
  rate,    // its operations, or a measured time
  memory,  // its memory traffic
  launch,  // what it takes to start it, more than what it does
};
inline constexpr std::size_t compute_limit_count = 3;

class ComputeModel {
 public:
  virtual ~ComputeModel() = default;

  // The time on the device itself.
  virtual Duration time_of(const Compute& work) const = 0;

  virtual ComputeLimit limit_of(const Compute&) const { return ComputeLimit::rate; }

  // The time of one rank's operation. Of one job it depends on the rank only if
  // why_ranks_differ() says so.
  virtual Duration time_on(const Occasion&, const Compute& work) const { return time_of(work); }

  // The time of the work on the rank's device, as it is before it varies.
  virtual Duration time_without_variation(Rank rank, const Compute& work) const {
    return time_on({.rank = rank, .operation = 0, .iteration = 0, .begin = Time{}}, work);
  }

  // As a clause, "compute times vary (jitter)"; "" if every rank takes the same time for the same
  // work.
  virtual std::string why_ranks_differ() const { return ""; }
};

}  // namespace orrery
