// The options of a launch line of Megatron-LM, by megatron_flags.def.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/import/imported.h"
#include "formats/import/launch_line.h"

namespace orrery {

enum class FlagUse : std::uint8_t { number, on, read, ignored };

struct MegatronFlag {
  const char* name;  // without --
  FlagUse use;
  int values;            // words that follow; many: up to the next option
  const char* key;       // of the workload, of number and on; else ""
  const char* sentence;  // of read and ignored
};

// All of them, in the order of the table.
std::span<const MegatronFlag> megatron_flags();

class MegatronArguments {
 public:
  // Counts, in `notes`, what is read, ignored and unknown. Throws ConfigError.
  MegatronArguments(std::string file, const LaunchLine& line, Imported& notes);

  bool has(const std::string& flag) const { return given_.contains(flag); }
  // Throws ConfigError if it is no whole number from `least` on.
  std::optional<std::int64_t> number(const std::string& flag, std::int64_t least = 0) const;
  std::string word(const std::string& flag) const;  // the first value; "" if there is none
  // Processes that the launcher starts; nothing if the line does not say.
  std::optional<std::int64_t> processes() const;

  [[noreturn]] void refuse(const std::string& flag, const std::string& what,
                           const std::string& remedy) const;

 private:
  struct Given {
    std::vector<std::string> values;
    int line = 0;
  };

  void read_launcher(const std::vector<LaunchWord>& words, std::size_t count);

  std::string file_;
  std::map<std::string, Given> given_;
  std::map<std::string, std::string> launcher_;
};

}  // namespace orrery
