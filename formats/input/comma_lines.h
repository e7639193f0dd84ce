// Lines of values with commas between them. What follows a # is a comment; lines without values
// are skipped.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace orrery {

class CommaLines {
 public:
  explicit CommaLines(const std::string& text) : stream_(text) {}

  // Goes to the next line with values; false if there is none.
  bool next();
  int number() const { return number_; }                            // of the line, from 1 on
  const std::vector<std::string>& cells() const { return cells_; }  // without spaces around them

 private:
  std::istringstream stream_;
  int number_ = 0;
  std::vector<std::string> cells_;
};

}  // namespace orrery
