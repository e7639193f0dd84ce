// What the option tables of the command line say, for man pages and completion: so that neither can
// differ from what the program takes.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace orrery::cli {

struct OptionEntry {
  std::vector<std::string> names;  // "-o", "--output"; of a positional one its name
  std::string value;               // "DIR"; "" of a flag
  std::string help;
  std::vector<std::string> words;  // that the value can be, if the help lists them: "text or json"
  bool is_positional = false;
  bool is_required = false;
  bool is_repeatable = false;  // of a positional one
};

struct CommandEntry {
  std::string name;  // "topo show"; "" of the program
  std::string sentence, footer;
  std::vector<OptionEntry> options;  // in the order of the help
  std::vector<CommandEntry> below;
};

// Without what is hidden.
CommandEntry option_tables(const CLI::App& program);

}  // namespace orrery::cli
