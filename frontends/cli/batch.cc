#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "execution/interrupt.h"
#include "execution/simulations.h"
#include "frontends/cli/batch_request.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/failure_json.h"
#include "frontends/cli/line_reader.h"
#include "report/json_report.h"
#include "simulation/simulate.h"

namespace orrery::cli {

namespace {

struct Answer {
  std::string line;  // with its end
  bool failed = false;
};

Answer answer_of(std::int64_t number, const std::string& line, const BatchOptions& options,
                 const InterruptGuard& interrupt) {
  try {
    const Experiment experiment = load_batch_line(number, line, options.overrides);
    SimulateOptions how;
    how.stop = [&interrupt] { return interrupt.interrupted(); };
    how.fold = options.fold;
    Outcome outcome = simulate_one(experiment, how);
    std::string result;
    if (outcome.result) {
      outcome.result->provenance = provenance_of(experiment, options.invocation);
      result = run_json_line(*outcome.result, {});
    }
    if (outcome.failure.exit_code == ok) return {std::move(result)};
    const std::string error = failure_json(outcome.failure);
    if (result.empty()) return {fmt::format("{{\"error\":{}}}\n", error), true};
    result.pop_back();
    return {fmt::format("{{\"error\":{},\"result\":{}}}\n", error, result), true};
  } catch (...) {
    return {fmt::format("{{\"error\":{}}}\n", failure_json(std::current_exception())), true};
  }
}

// Takes lines in their order and gives answers in their order; what is between runs on all threads.
class Desk {
 public:
  Desk(LineReader reader, std::ostream& out) : reader_(std::move(reader)), out_(out) {}

  // False if there are no more. Throws IoError.
  bool take(std::int64_t& number, std::string& line) {
    const std::lock_guard lock(reading_);
    while (std::optional<std::string> next = reader_.next()) {
      ++lines_;
      if (next->find_first_not_of(" \t\r") == std::string::npos) continue;
      number = lines_;
      line = std::move(*next);
      const std::lock_guard order(writing_);
      waiting_[number] = {};
      return true;
    }
    return false;
  }

  // Waits when answers pile up behind one that takes long.
  void give(std::int64_t number, Answer answer) {
    constexpr std::size_t at_most = 1'024;
    std::unique_lock lock(writing_);
    room_.wait(lock,
               [&] { return waiting_.size() < at_most || waiting_.begin()->first == number; });
    failed_ = failed_ || answer.failed;
    waiting_[number] = std::move(answer);
    while (!waiting_.empty() && !waiting_.begin()->second.line.empty()) {
      out_ << waiting_.begin()->second.line;
      waiting_.erase(waiting_.begin());
    }
    out_.flush();  // who waits for this answer may write the next line then
    room_.notify_all();
  }

  bool failed() const { return failed_; }

 private:
  std::mutex reading_, writing_;
  std::condition_variable room_;
  LineReader reader_;
  std::ostream& out_;
  std::int64_t lines_ = 0;
  std::map<std::int64_t, Answer> waiting_;  // by number of their lines; empty: not known yet
  bool failed_ = false;
};

}  // namespace

ExitCode batch(const BatchOptions& options, const Terminal& terminal) {
  const InterruptGuard interrupt;
  Desk desk({STDIN_FILENO, [&] { return interrupt.interrupted(); }}, terminal.out);
  std::vector<std::exception_ptr> broken(options.jobs);
  const auto work = [&](std::exception_ptr& error) {
    try {
      std::int64_t number = 0;
      std::string line;
      while (desk.take(number, line))
        desk.give(number, answer_of(number, line, options, interrupt));
    } catch (...) {
      error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < options.jobs; ++i) others.emplace_back(work, std::ref(broken[i]));
  work(broken.front());
  for (std::thread& thread : others) thread.join();
  for (const std::exception_ptr& error : broken)
    if (error) std::rethrow_exception(error);
  if (interrupt.interrupted()) return interrupted;
  return desk.failed() ? simulation_failed : ok;
}

}  // namespace orrery::cli
