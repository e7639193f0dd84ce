#include "execution/process/process_pool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <iostream>

#include "core/base/check.h"
#include "core/base/io_error.h"

namespace orrery {

namespace {

constexpr int cannot_begin = 71;  // EX_OSERR of sysexits.h

constexpr std::array ending_signals = {SIGINT, SIGTERM, SIGHUP};

sigset_t set_of_ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : ending_signals) sigaddset(&signals, signal);
  return signals;
}

void redirect(int stream, const char* path, int flags) {
  constexpr mode_t readable_by_all = 0644;
  const int file = open(path, flags, readable_by_all);
  if (file < 0 || dup2(file, stream) < 0) _exit(cannot_begin);
  if (file != stream) close(file);
}

// In the child. Nothing that `work` throws may reach what the copied stack belongs to.
[[noreturn]] void become_child(pid_t parent, const sigset_t& mask, const std::string& log,
                               const ProcessPool::Work& work) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(cannot_begin);  // it ended before it could have been noticed
  for (const int signal : ending_signals) std::signal(signal, SIG_DFL);
  setpgid(0, 0);
  redirect(STDIN_FILENO, "/dev/null", O_RDONLY);
  redirect(STDOUT_FILENO, "/dev/null", O_WRONLY);
  redirect(STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  _exit(work(std::cerr));
}

int exit_code_of(int status) {
  constexpr int of_signal = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : of_signal + WTERMSIG(status);
}

sigset_t child_signal() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

}  // namespace

ProcessPool::ProcessPool(std::size_t at_most) : at_most_(at_most) {
  const sigset_t child = child_signal();
  sigprocmask(SIG_BLOCK, &child, &mask_before_);  // it stays pending until wait() takes it
}

ProcessPool::~ProcessPool() {
  signal_all(SIGKILL);
  while (!empty()) wait();
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

void ProcessPool::start(std::size_t task, const Work& work, const std::string& log) {
  CHECK(!full(), "{} processes run", children_.size());
  const pid_t parent = getpid();
  // A signal that comes before the child has its own handlers waits until it has them.
  const sigset_t ending = set_of_ending_signals();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &ending, &before);
  const pid_t child = fork();
  if (child == 0) become_child(parent, mask_before_, log, work);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) throw IoError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  children_[child] = task;
}

// One that has ended already.
std::optional<ChildExit> ProcessPool::ended() {
  int status = 0;
  rusage usage{};
  for (pid_t child = 0; (child = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
    const auto found = children_.find(child);
    if (found == children_.end()) continue;  // not one of ours
    const ChildExit exit{found->second, exit_code_of(status), Bytes{usage.ru_maxrss * 1024}};
    children_.erase(found);
    return exit;
  }
  return std::nullopt;
}

std::optional<ChildExit> ProcessPool::wait() {
  if (std::optional<ChildExit> exit = ended()) return exit;
  const sigset_t child = child_signal();
  const timespec second{1, 0};
  sigtimedwait(&child, nullptr, &second);
  return ended();
}

void ProcessPool::signal_all(int signal) const {
  for (const auto& [child, task] : children_) kill(child, signal);
}

void ProcessPool::signal(std::size_t task, int signal) const {
  for (const auto& [child, its_task] : children_)
    if (its_task == task) kill(child, signal);
}

}  // namespace orrery
