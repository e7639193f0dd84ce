// Answers lines on several threads, in the order of the lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

#include "execution/batch/line_reader.h"

namespace orrery {

struct Answer {
  std::string line;  // with its end
  bool failed = false;
};

using AnswerLine = std::function<Answer(std::int64_t number, const std::string& line)>;

// Answers every line that is not blank; lines are counted from 1, blank ones too. `answer` is
// called on any of the threads and throws nothing. An answer is written, and flushed, as soon as
// all before it are: who waits for it may write the next line then. Returns whether an answer
// failed. Throws IoError.
bool answer_lines(LineReader reader, std::ostream& out, std::size_t threads,
                  const AnswerLine& answer);

}  // namespace orrery
