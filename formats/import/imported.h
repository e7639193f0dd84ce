// What an import gives: a file, and what it says of the one that it was made from.
#pragma once

#include <string>
#include <vector>

namespace orrery {

struct Imported {
  std::string yaml;
  int read = 0;                      // fields that count
  std::vector<std::string> ignored;  // fields that do not, each once
  std::vector<std::string> unknown;  // fields of no known meaning
  std::vector<std::string> assumed;  // what the file does not say, as sentences
};

}  // namespace orrery
