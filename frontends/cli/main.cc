// The process around the command line.
#include <unistd.h>

#include <iostream>

#include "frontends/cli/command_line.h"

int main(int count, char** arguments) {
  std::ios::sync_with_stdio(false);
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  return orrery::cli::run_command_line({arguments + 1, arguments + count}, ORRERY_VERSION,
                                       {std::cout, std::cerr, is_terminal});
}
