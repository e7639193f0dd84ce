// What went wrong, for programs: of `--error-format json` and of the lines of `orrery batch`.
#pragma once

#include <exception>
#include <string>

#include "execution/failure.h"

namespace orrery::cli {

// {"exit_code": 2, "message": "...", "problems": [...]} in one line, without its end. `problems`
// has file, line, column, path, what and remedy of each mistake in the configuration, as in
// Diagnostic; it is empty for everything else.
std::string failure_json(const std::exception_ptr& error);
std::string failure_json(const Failure& failure);

}  // namespace orrery::cli
