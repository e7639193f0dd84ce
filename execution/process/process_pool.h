// Child processes of this program, so many at a time. Linux only.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>

#include "core/units/units.h"

namespace orrery {

struct ChildExit {
  std::size_t task;  // as given to start()
  int exit_code;     // 128 + the signal if one ended it, as shells count
  Bytes peak_memory{};
};

// The children are copies of this process and have all of its memory: what they work on cannot
// change behind their back. They do not outlive it, whatever ends it: the kernel kills them.
class ProcessPool {
 public:
  explicit ProcessPool(std::size_t at_most);
  // Kills what still runs.
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  bool full() const { return children_.size() >= at_most_; }
  bool empty() const { return children_.empty(); }

  // `work` runs in a child, which ends with what it returns. The child has a process group of its
  // own, so that Ctrl-C on the terminal does not reach it, and no handlers of signals. Its standard
  // output is thrown away, its standard error, `messages`, goes to the file `log`. Throws IoError
  // if there can be no more processes. REQUIRES: !full(), and that this process has a single
  // thread, which lives as long as the pool.
  using Work = std::function<int(std::ostream& messages)>;
  void start(std::size_t task, const Work& work, const std::string& log);

  // Waits until a child ends. Nothing if a signal to this process came first, or a second went by.
  // REQUIRES: !empty().
  std::optional<ChildExit> wait();

  void signal_all(int signal) const;
  void signal(std::size_t task, int signal) const;

 private:
  std::optional<ChildExit> ended();

  std::size_t at_most_;
  std::map<pid_t, std::size_t> children_;  // to their tasks
  sigset_t mask_before_{};
};

}  // namespace orrery
