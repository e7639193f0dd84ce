// Memory beyond the NPUs (SystemSpec::remote_memory): how long a request takes, waiting included.
#pragma once

#include <vector>

#include "core/units/units.h"
#include "system/operation_source.h"
#include "system/system_spec.h"

namespace orrery {

class RemoteMemory {
 public:
  RemoteMemory(const RemoteMemorySpec& spec, std::int32_t ranks);

  // Of a request at `now`. Calls are in the order of time; those of ranks that share are served in
  // the order of the calls.
  Duration time_of(Rank rank, Bytes size, Time now);

 private:
  RemoteMemorySpec spec_;
  std::vector<Time> free_;  // of each part: when what was asked of it is over; empty = none waits
};

}  // namespace orrery
