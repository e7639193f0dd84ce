// Where a command prints: results to `out`, everything else to `error`.
#pragma once

#include <ostream>

namespace orrery::cli {

struct Terminal {
  std::ostream& out;
  std::ostream& error;
  bool shows_progress = false;  // `error` is a terminal on which a line can be rewritten
};

}  // namespace orrery::cli
