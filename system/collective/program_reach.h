// What can be proved of a message program that does not say which data its messages carry: that
// they can carry what the collective needs. Every rank must hear, by way of others perhaps, from
// every rank whose data it needs, and must receive at least as much as it lacks.
//
// This is necessary, not sufficient: a contribution that is added twice goes unseen.
#pragma once

#include <optional>
#include <vector>

#include "system/collective/program_check.h"
#include "system/collective/program_races.h"

namespace orrery {

// `events`: as for find_race.
std::optional<ProgramFault> find_unreached(const MessageProgram& program,
                                           const std::vector<ProgramEvent>& events);

}  // namespace orrery
