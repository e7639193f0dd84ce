// The user's input is wrong: what, where, and what to do about it. Collected while loading, thrown
// together, printed once by main as `file:line:column: error: path: what: remedy`, exit code 2.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace orrery {

struct Diagnostic {
  std::string file = {};         // "" when the value came from the command line
  int line = 0, column = 0;      // from 1; 0 = unknown
  std::string path = {};         // "platform.topology.levels[1].bandwidth"; "" for a whole file
  std::string what = {};         // `"400" has no unit`
  std::string remedy = {};       // `write for example 400 Gb/s or 50 GB/s`
  std::string source_line = {};  // the text of that line, for the caret; "" if there is none
};

// "file:line:column: error: path: what: remedy", then the source line and a caret where known.
std::string format_diagnostic(const Diagnostic& diagnostic);

class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::vector<Diagnostic> diagnostics);
  explicit ConfigError(Diagnostic diagnostic)
      : ConfigError(std::vector<Diagnostic>{std::move(diagnostic)}) {}

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace orrery
