// The program as a user calls it, without a process around it, on files that are gone afterwards.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "frontends/cli/command_line.h"

namespace orrery::test {

struct Printed {
  int exit_code;
  std::string out, error;
};

inline Printed run_orrery(const std::vector<std::string>& arguments) {
  std::ostringstream out, error;
  const int exit_code = cli::run_command_line(arguments, {"1.2.3", "abc"}, {out, error});
  return {exit_code, out.str(), error.str()};
}

// A folder of files.
class Files {
 public:
  Files() { std::filesystem::create_directories(folder_); }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return path(name);
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("orrery_cli_test." + std::to_string(getpid()));
};

}  // namespace orrery::test
