// The command that a shell script runs, as far as it can be known without running it: variables,
// arrays, defaults (${A:-8}), arithmetic ($((A * B))), quotes and lines that end in \. Branches of
// `if` are read one after the other, as if all of them ran. A list of arguments in JSON is a launch
// line too.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct LaunchWord {
  std::string text;  // what is not known stays as it is written: "$NAME", "$(hostname)"
  int line = 0;      // from 1; 0 in a JSON list
};

struct LaunchLine {
  std::vector<LaunchWord> words;
  bool has_branches = false;  // the script has an `if` or a `case`
};

// The last command of `text` that has one of `marks` among its words; no words if there is none.
// `given`: variables, over what the script says. Throws ConfigError about `file`.
LaunchLine launch_line(const std::string& file, const std::string& text,
                       const std::vector<std::string_view>& marks,
                       const std::map<std::string, std::string>& given);

}  // namespace orrery
