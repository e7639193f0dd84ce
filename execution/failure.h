// What went wrong, for the user and for the shell.
#pragma once

#include <exception>
#include <string>

#include "execution/exit_code.h"

namespace orrery {

struct Failure {
  ExitCode exit_code = ok;
  std::string text;  // for standard error, without the last line's end
};

// Of any exception that a command lets out.
Failure describe_failure(const std::exception_ptr& error);

}  // namespace orrery
