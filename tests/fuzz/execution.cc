#include "tests/fuzz/execution.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "frontends/cli/command_line.h"

namespace orrery::fuzz {

namespace fs = std::filesystem;

namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Processor time that a process has had; 0 if it is gone.
double processor_seconds(pid_t process) {
  clockid_t clock{};
  return clock_getcpuclockid(process, &clock) == 0 ? seconds_of(clock) : 0;
}

void sleep_a_little() {
  const timespec time{0, 2'000'000};
  nanosleep(&time, nullptr);
}

// Watches one input of a process. A simulation may be long: then it ends by Ctrl-C.
class Watch {
 public:
  // `ask_after`: seconds of processor time.
  Watch(pid_t process, double processor_at_begin, const Limits& limits, double ask_after)
      : process_(process),
        limit_(limits.seconds),
        ask_after_(ask_after),
        processor_begin_(processor_at_begin),
        begin_(seconds_of(CLOCK_MONOTONIC)) {}

  // Asks the process to end, or ends it. True if it had to be ended.
  bool end_if_late() {
    const double processor = processor_seconds(process_) - processor_begin_;
    const double passed = seconds_of(CLOCK_MONOTONIC) - begin_;
    constexpr double patience = 20;  // where other processes take turns, or it waits for nothing
    const double next = asked_ == 0 ? ask_after_ : limit_;
    if (processor < next && passed < patience * limit_) return false;
    if (asked_ == 0 || (asked_ == 1 && ask_after_ < limit_)) {  // it may not have listened yet
      kill(process_, SIGINT);
      ++asked_;
      return false;
    }
    if (processor < 2 * limit_ && passed < (patience + 1) * limit_) return false;
    kill(process_, SIGKILL);
    return true;
  }
  bool asked() const { return asked_ > 0; }

 private:
  pid_t process_;
  double limit_, ask_after_, processor_begin_, begin_;
  int asked_ = 0;
};

void set_limit(int resource, rlim_t most) {
  const rlimit limit{most, most};
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

[[noreturn]] void become(const fs::path& program, const Seed& seed, const Limits& limits,
                         const fs::path& error) {
  set_limit(RLIMIT_AS, static_cast<rlim_t>(limits.bytes));
  set_limit(RLIMIT_CORE, 0);
  dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
  dup2(open(error.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), seed.arguments.begin(), seed.arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  _exit(127);
}

void set_end(Outcome& outcome, int status) {
  if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
  else
    outcome.exit_code = WEXITSTATUS(status);
}

}  // namespace

Outcome run_program(const fs::path& program, const Seed& seed, const Limits& limits,
                    const fs::path& folder) {
  const fs::path error = folder / "standard_error";
  const pid_t process = fork();
  if (process == 0) become(program, seed, limits, error);
  Watch watch(process, 0, limits, limits.seconds);
  Outcome outcome;
  rusage used{};
  int status = 0;
  while (wait4(process, &status, WNOHANG, &used) == 0) {
    outcome.hangs = watch.end_if_late() || outcome.hangs;
    sleep_a_little();
  }
  set_end(outcome, status);
  outcome.hangs = outcome.hangs || (watch.asked() && outcome.signal == SIGINT);
  outcome.most_memory = used.ru_maxrss * 1024;
  outcome.message = text_of(error);
  return outcome;
}

namespace {

// What a child says of an input that it has done; the message follows.
struct Answer {
  std::int32_t exit_code = 0;
  std::uint32_t length = 0;
  std::int64_t most_memory = 0;
};
constexpr std::size_t most_message = 2'000;  // with the answer, less than a pipe takes at once

// Does one input after the other, and answers.
[[noreturn]] void run_inputs(Workspace& workspace, const Inputs& inputs, const Limits& limits,
                             int answers) {
#ifndef __SANITIZE_ADDRESS__
  set_limit(RLIMIT_AS, static_cast<rlim_t>(limits.bytes));
#endif
  set_limit(RLIMIT_CORE, 0);
  std::signal(SIGINT, SIG_IGN);  // but while a command waits for it
  for (std::uint64_t number = inputs.first; number < inputs.end; ++number) {
    const Seed& seed = workspace.prepare(inputs.seed, number);
    std::ostringstream out, error;
    Answer answer{.exit_code =
                      cli::run_command_line(seed.arguments, {"1.2.3", "abc"}, {out, error})};
    workspace.restore(seed);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    answer.most_memory = used.ru_maxrss * 1024;
    const std::string message = error.str().substr(0, most_message);
    answer.length = static_cast<std::uint32_t>(message.size());
    std::string bytes(reinterpret_cast<const char*>(&answer), sizeof answer);
    bytes += message;
    if (write(answers, bytes.data(), bytes.size()) != std::ssize(bytes)) _exit(1);
    if (answer.most_memory > limits.bytes / 2) break;  // it would count for the inputs to come
  }
  _exit(0);
}

// A child at work, seen from its parent.
class Child {
 public:
  Child(Workspace& workspace, const Inputs& inputs, const Limits& limits) : limits_(limits) {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error(std::strerror(errno));
    process_ = fork();
    if (process_ == 0) {
      close(ends[0]);
      run_inputs(workspace, inputs, limits, ends[1]);
    }
    close(ends[1]);
    answers_ = ends[0];
    watch_input(0);
  }
  ~Child() {
    close(answers_);
    if (process_ == 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Waits a little for the next answer; nothing if there is none yet, or none will come.
  std::optional<Outcome> next() {
    if (auto outcome = take_answer()) return outcome;
    pollfd ready{answers_, POLLIN, 0};
    if (poll(&ready, 1, 20) == 0) {
      hangs_ = watch_->end_if_late() || hangs_;
      return std::nullopt;
    }
    char bytes[4096];
    const ssize_t count = read(answers_, bytes, sizeof bytes);
    if (count > 0) {
      received_.append(bytes, static_cast<std::size_t>(count));
      return take_answer();
    }
    ended_ = true;
    return std::nullopt;
  }
  bool ended() const { return ended_; }

  // How the child ended; nothing if that was as it should be. REQUIRES: ended().
  std::optional<Outcome> last_words() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
    Outcome outcome;
    set_end(outcome, status);
    if (outcome.signal == 0) outcome.exit_code += 1'000;  // not one of the program's own
    outcome.hangs = hangs_;
    return outcome;
  }

 private:
  // Only what can be interrupted hears Ctrl-C here, and 10^6 inputs have 1,000 long simulations.
  void watch_input(double processor_at_begin) {
    watch_.emplace(process_, processor_at_begin, limits_, limits_.seconds / 5);
  }

  std::optional<Outcome> take_answer() {
    Answer answer;
    if (received_.size() < sizeof answer) return std::nullopt;
    std::memcpy(&answer, received_.data(), sizeof answer);
    const std::size_t whole = sizeof answer + answer.length;
    if (received_.size() < whole) return std::nullopt;
    Outcome outcome;
    outcome.exit_code = answer.exit_code;
    outcome.most_memory = answer.most_memory;
    outcome.message = received_.substr(sizeof answer, answer.length);
    received_.erase(0, whole);
    watch_input(processor_seconds(process_));
    return outcome;
  }

  Limits limits_;
  pid_t process_ = 0;
  int answers_ = -1;
  std::string received_;
  std::optional<Watch> watch_;  // of the input under way
  bool hangs_ = false, ended_ = false;
};

}  // namespace

void run_in_process(Workspace& workspace, const Inputs& inputs, const Limits& limits,
                    const std::function<bool()>& time_is_up, const Note& note) {
  Inputs left = inputs;
  while (left.first < left.end && !time_is_up()) {
    Child child(workspace, left, limits);
    while (!child.ended() && !time_is_up())
      if (const auto outcome = child.next()) note(left.first++, *outcome);
    if (!child.ended()) return;
    if (const auto outcome = child.last_words()) note(left.first++, *outcome);
  }
}

}  // namespace orrery::fuzz
