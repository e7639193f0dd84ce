// A proved message program as a collective algorithm: the program's threads become lanes, and its
// steps stages.
//
// A stage posts its sends, then waits for its receives. So a thread's steps fall into stages where
// a send follows a receive, where a step waits for another thread or is waited for, and where local
// work stands between messages; what a stage puts together would not have been done apart in
// another order or at another time.
#pragma once

#include <memory>

#include "system/collective/message_program.h"
#include "system/collective/program_check.h"
#include "system/collective_algorithm.h"

namespace orrery {

// An algorithm that is made for one kind of collective among so many ranks.
struct CustomAlgorithm {
  Collective kind;
  int ranks;
  std::shared_ptr<const CollectiveAlgorithm> algorithm;
};

// It supports the program's kind of collective and its number of ranks, nothing else.
// REQUIRES: execution == execute(program), without a fault.
CustomAlgorithm make_explicit_algorithm(const MessageProgram& program,
                                        const ProgramExecution& execution);

}  // namespace orrery
