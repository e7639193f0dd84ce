// Where a command prints: results to `out`, everything else to `error`.
#pragma once

#include <cstddef>
#include <ostream>

#include "report/wrapped_text.h"

namespace orrery {

struct Terminal {
  std::ostream& out;
  std::ostream& error;
  bool shows_progress = false;        // `error` is a terminal on which a line can be rewritten
  std::size_t width = default_width;  // characters of a line of text on `out`
};

}  // namespace orrery
