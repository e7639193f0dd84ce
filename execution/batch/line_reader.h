// The lines of a file descriptor as they come, until a signal ends it: std::getline() would go on
// waiting for a terminal or a pipe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace orrery {

class LineReader {
 public:
  // `stop` is asked a few times a second.
  LineReader(int file, std::function<bool()> stop) : file_(file), stop_(std::move(stop)) {}

  // Without its end. Nothing when there is no more, or `stop` says so. Throws IoError.
  std::optional<std::string> next();

 private:
  bool wait() const;
  bool fill();

  int file_;
  std::function<bool()> stop_;
  std::string kept_;  // what was read after the last line
  std::size_t searched_ = 0;
  bool ended_ = false;
};

}  // namespace orrery
