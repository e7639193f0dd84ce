// The smallest change of a training with which it fits into the devices' memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "workload/platform_facts.h"
#include "workload/workload_spec.h"

namespace orrery {

// Of all changes of few settings that are allowed and need at most `room`, that of the fewest
// settings, and of these the one that adds least work and traffic. Nothing if none fits. REQUIRES:
// the ranks of the platform are those of the training, or more.
std::optional<TransformerTraining> fitting_change(const TransformerWorkload& written,
                                                  const PlatformFacts& platform, Bytes room);

// The same, and those after it that change one setting more at most; at most so many.
std::vector<TransformerTraining> fitting_changes(const TransformerWorkload& written,
                                                 const PlatformFacts& platform, Bytes room,
                                                 std::size_t most);

// "tensor: 8, sharding: zero1": what differs, as keys of workload.training; "" if nothing does.
// `data` follows from the others where it is not written.
std::string changed_settings(const TransformerTraining& training,
                             const TransformerTraining& written, bool writes_data = false);

}  // namespace orrery
