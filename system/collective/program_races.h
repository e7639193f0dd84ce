// Finds two steps of a message program that use the same memory and whose order is left to chance.
//
// One step comes before another for certain if a chain leads from it to the other: the order within
// a thread, a step that waits for another, a message. L. Lamport, "Time, clocks, and the ordering
// of events in a distributed system", CACM 21(7), 1978.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "system/collective/program_check.h"

namespace orrery {

// A step that has been done.
struct ProgramEvent {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  Position rank;
  StepName step;
  std::size_t sender;  // of a receive: the event that sent its message
};

// `events`: all steps, in an order in which they can be done.
std::optional<ProgramFault> find_race(const MessageProgram& program,
                                      const std::vector<ProgramEvent>& events);

}  // namespace orrery
