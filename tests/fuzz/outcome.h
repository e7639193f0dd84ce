// What the program made of an input, and whether it may.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/fuzz/workspace.h"

namespace orrery::fuzz {

struct Limits {
  double seconds = 5;              // of processor time, before it must answer
  std::int64_t bytes = 2LL << 30;  // of memory
};

struct Outcome {
  int exit_code = 0;
  int signal = 0;                // that ended it, 0 = none
  bool hangs = false;            // it did not answer in time, nor to Ctrl-C
  std::int64_t most_memory = 0;  // that it had, in bytes
  std::string message = {};      // standard error
};

// "" if all is well: done, or refused with a reason. `arguments`: what the program was asked to do.
// A simulation may find that its memory does not suffice; who only reads an input may not.
std::string what_is_wrong(const Outcome& outcome, const std::vector<std::string>& arguments,
                          const Limits& limits);

// Counts what came out, and keeps a few inputs of each kind of finding in a folder.
class Findings {
 public:
  Findings(std::filesystem::path folder, const Limits& limits)
      : folder_(std::move(folder)), limits_(limits) {}

  // `input` says which one it was, for who wants it again.
  void note(const Outcome& outcome, const Seed& seed, const std::string& input);

  std::uint64_t inputs() const { return inputs_; }
  std::uint64_t count() const { return count_; }
  std::string summary() const;

 private:
  void keep(const std::string& what, const Outcome& outcome, const Seed& seed,
            const std::string& input) const;

  std::filesystem::path folder_;
  Limits limits_;
  std::uint64_t inputs_ = 0, count_ = 0;
  std::map<int, std::uint64_t> exit_codes_;
  std::map<std::string, std::uint64_t> kinds_;  // of findings: what is wrong, without numbers
};

}  // namespace orrery::fuzz
