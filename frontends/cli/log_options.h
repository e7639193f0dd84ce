// What every command says beside its results: -v, -q, --log-level, --log-file,
// --error-format.
#pragma once

#include <string>
#include <vector>

#include "core/base/log.h"

namespace CLI {
class App;
}

namespace orrery::cli {

struct LogOptions {
  int verbose = 0;  // 1: what is decided; 2: single events
  bool quiet = false;
  std::vector<std::string> levels;    // "LEVEL" of all rooms or "ROOM=LEVEL"; later ones count
  std::string file;                   // "" = none
  std::string error_format = "text";  // or "json": what ends a command as failure_json()
};

// As one group of the command's options.
void add_log_options(CLI::App& command, LogOptions& options);

// Throws ConfigError for a level or a room that is unknown.
log::Settings settings_of(const LogOptions& options);

// A notice of the command itself.
void say(const std::string& text);

}  // namespace orrery::cli
