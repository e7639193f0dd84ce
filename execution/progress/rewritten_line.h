// How far long work is: a line on a terminal, rewritten at most ten times a second and gone when
// this is; and for who listens to level info, a record of each tenth of the work.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "execution/terminal.h"

namespace orrery {

class RewrittenLine {
 public:
  // Nothing is shown before `first_after`. `what` ends the records: "30 % simulated".
  RewrittenLine(const Terminal& terminal, std::chrono::milliseconds first_after, std::string what);
  ~RewrittenLine();
  RewrittenLine(const RewrittenLine&) = delete;
  RewrittenLine& operator=(const RewrittenLine&) = delete;

  // Whether anybody sees what show() is told.
  bool is_seen() const;

  // From any thread. `fraction` of the work is done, in [0, 1]; asks for a text, from the seconds
  // since the beginning, if the line is due.
  void show(double fraction, const std::function<std::string(double elapsed)>& text);

 private:
  using Clock = std::chrono::steady_clock;

  void record(double fraction);

  Terminal terminal_;
  std::string what_;
  Clock::time_point start_ = Clock::now(), next_;
  std::mutex mutex_;
  int recorded_ = 0;  // tenths
  bool printed_ = false;
};

}  // namespace orrery
