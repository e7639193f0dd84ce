// The process around the command line.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>

#include "frontends/cli/command_line.h"
#include "frontends/cli/commit.h"

namespace {

// Of the terminal on standard output; default_width in a pipe or a file.
std::size_t output_width() {
  constexpr std::size_t least = 40;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return orrery::default_width;
  return std::max<std::size_t>(least, size.ws_col);
}

}  // namespace

int main(int count, char** arguments) {
  std::ios::sync_with_stdio(false);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that becomes too large is an error, not the end
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  return orrery::cli::run_command_line({arguments + 1, arguments + count},
                                       {ORRERY_VERSION, orrery::cli::commit},
                                       {std::cout, std::cerr, is_terminal, output_width()});
}
