// Child processes, so many at a time. POSIX only.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

struct ChildExit {
  std::size_t task;  // as given to start()
  int exit_code;     // 128 + the signal if one ended it, as shells count
};

class ProcessPool {
 public:
  explicit ProcessPool(std::size_t at_most) : at_most_(at_most) {}
  // Ends what still runs with SIGTERM, and waits for it.
  ~ProcessPool();
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;

  bool full() const { return children_.size() >= at_most_; }
  bool empty() const { return children_.empty(); }

  // arguments[0] is the program's path. It gets a process group of its own, so that Ctrl-C on the
  // terminal does not reach it. Its standard output is thrown away, its standard error goes
  // to the file `log`. Throws IoError if it cannot be started. REQUIRES: !full().
  void start(std::size_t task, const std::vector<std::string>& arguments, const std::string& log);

  // Waits until a child ends. Nothing if a signal to this process came first. REQUIRES: !empty().
  std::optional<ChildExit> wait();

  void signal_all(int signal) const;

 private:
  std::size_t at_most_;
  std::map<pid_t, std::size_t> children_;  // to their tasks
};

// Of the running program, to start it again. Throws IoError where /proc does not tell.
std::string path_of_this_program();

}  // namespace orrery
