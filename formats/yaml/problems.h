// Collects everything that is wrong with the user's input, so that one run reports all of it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/base/suggestion.h"
#include "formats/yaml/yaml_node.h"

namespace orrery::yaml {

using orrery::character_length;
using orrery::in_quotes;

// What to do about a file that a key names and that cannot be read.
inline constexpr const char* unreadable_remedy = "the path is relative to the file that names it";

class Problems {
 public:
  // A problem at the same position with the same words is kept once: a value that an alias repeats
  // is wrong in one place only.
  void add(const Place& place, std::string path, std::string what, std::string remedy);
  // Problems of the key `path`, which was made of another one, and of those below it name that one,
  // which stands in the file.
  void name_as_written(std::string path, std::string written);
  // What another reader found.
  void add(Diagnostic diagnostic);
  std::size_t count() const { return diagnostics_.size() + not_kept_; }
  // Null if there is none.
  const Diagnostic* first() const { return diagnostics_.empty() ? nullptr : &diagnostics_.front(); }

  // Throws ConfigError with the first 20, in the order of the files, if there are any.
  void throw_if_any();

 private:
  struct Written {
    std::string path, written;
  };

  std::string as_written(std::string path) const;

  std::vector<Written> written_;
  std::vector<Diagnostic> diagnostics_;
  std::size_t not_kept_ = 0;
};

}  // namespace orrery::yaml
