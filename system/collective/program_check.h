// Proves a message program without a network: executes it on sets of contributions, like
// plan_check.h, but with memory that has places.
//
// It refuses a program in which
//   - a rank waits for ever, or a message is never received, or is as long as its receive is not
//   - something is sent, copied or added that is not there, or added to another piece
//   - two threads of a rank use the same place, one of them to write, and nothing orders the two
//     (then the result would hang on who is faster)
//   - in the end a rank lacks a contribution to a piece of its result, or has one twice
// The third makes one execution stand for all of them. Of a program that does not track its data
// it proves what sizes and messages tell (program_reach.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "system/collective/message_program.h"

namespace orrery {

struct ProgramFault {
  std::string what;  // a sentence without a full stop, with rank, thread and step, and piece
  int line = 0;      // of the step that is to blame, 0 = none alone is
};

// One message of a proved program.
struct Transfer {
  Position from;
  StepName send;
  Position to;
  StepName receive;
  std::vector<std::int32_t> pieces;  // that it carries; empty if the program does not track data
};

struct ProgramExecution {
  std::optional<ProgramFault> fault;  // with one, the rest is incomplete
  std::vector<Transfer> transfers;
};

ProgramExecution execute(const MessageProgram& program);

}  // namespace orrery
