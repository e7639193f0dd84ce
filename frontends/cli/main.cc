// The process around the command line.
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "frontends/cli/command_line.h"
#include "frontends/cli/commit.h"

int main(int count, char** arguments) {
  std::ios::sync_with_stdio(false);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too large is an error, not the end
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  return orrery::cli::run_command_line({arguments + 1, arguments + count},
                                       {ORRERY_VERSION, orrery::cli::commit},
                                       {std::cout, std::cerr, is_terminal});
}
