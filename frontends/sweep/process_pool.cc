#include "frontends/sweep/process_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/base/check.h"
#include "core/base/io_error.h"

namespace orrery {

namespace {

// Where the standard streams of a child lead.
class Redirections {
 public:
  explicit Redirections(const std::string& log) {
    posix_spawn_file_actions_init(&actions_);
    open(STDIN_FILENO, "/dev/null", O_RDONLY);
    open(STDOUT_FILENO, "/dev/null", O_WRONLY);
    open(STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  }
  ~Redirections() { posix_spawn_file_actions_destroy(&actions_); }
  Redirections(const Redirections&) = delete;
  Redirections& operator=(const Redirections&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  void open(int stream, const char* path, int flags) {
    constexpr mode_t readable_by_all = 0644;
    posix_spawn_file_actions_addopen(&actions_, stream, path, flags, readable_by_all);
  }

  posix_spawn_file_actions_t actions_{};
};

int exit_code_of(int status) {
  constexpr int of_signal = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : of_signal + WTERMSIG(status);
}

}  // namespace

ProcessPool::~ProcessPool() {
  signal_all(SIGTERM);
  while (!empty()) wait();
}

void ProcessPool::start(std::size_t task, const std::vector<std::string>& arguments,
                        const std::string& log) {
  CHECK(!full() && !arguments.empty(), "{} processes run", children_.size());
  const Redirections redirections(log);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));  // POSIX promises not to write there
  pointers.push_back(nullptr);
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int error = posix_spawn(&child, arguments.front().c_str(), redirections.actions(),
                                &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0)
    throw IoError(fmt::format("cannot start {}: {}", arguments.front(), std::strerror(error)));
  children_[child] = task;
}

std::optional<ChildExit> ProcessPool::wait() {
  int status = 0;
  const pid_t child = waitpid(-1, &status, 0);
  if (child < 0) {
    CHECK(errno == EINTR, "waitpid: {}", std::strerror(errno));
    return std::nullopt;
  }
  const auto found = children_.find(child);
  if (found == children_.end()) return std::nullopt;  // not one of ours
  const ChildExit exit{found->second, exit_code_of(status)};
  children_.erase(found);
  return exit;
}

void ProcessPool::signal_all(int signal) const {
  for (const auto& [child, task] : children_) kill(child, signal);
}

std::string path_of_this_program() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw IoError(fmt::format("cannot read /proc/self/exe: {}", error.message()));
  return path.string();
}

}  // namespace orrery
