// Arguments -> a command -> an exit code. The whole program but for the process around it, so that
// tests can call it.
#pragma once

#include <string>
#include <vector>

#include "execution/exit_code.h"
#include "execution/terminal.h"

namespace orrery::cli {

struct Build {
  std::string version, commit;
};

// `arguments` without the program's name. Nothing is thrown: what goes wrong is printed on
// terminal.error and becomes an exit code.
ExitCode run_command_line(const std::vector<std::string>& arguments, const Build& build,
                          const Terminal& terminal);

}  // namespace orrery::cli
