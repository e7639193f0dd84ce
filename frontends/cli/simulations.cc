#include "frontends/cli/simulations.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <set>
#include <thread>

#include "core/base/log.h"
#include "frontends/cli/interrupt.h"
#include "frontends/cli/progress_line.h"
#include "simulation/simulate.h"

namespace orrery::cli {

namespace {

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Of the process: simulations beside each other share it.
std::int64_t peak_memory_bytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return std::int64_t{use.ru_maxrss} * 1'024;
}

Outcome simulate_unmeasured(const Experiment& experiment, const SimulateOptions& options) {
  try {
    Outcome outcome{simulate(experiment, options), {}};
    if (outcome.result->partial) {
      outcome.failure = {interrupted, "interrupted: the result is partial, and marked so"};
    } else if (!outcome.result->unreceived.empty()) {
      outcome.failure = {simulation_failed,
                         fmt::format("error: {}", fmt::join(outcome.result->unreceived, "\n"))};
    }
    return outcome;
  } catch (const StuckError& stuck) {
    return {stuck.partial, describe_failure(std::current_exception())};
  } catch (...) {
    return {std::nullopt, describe_failure(std::current_exception())};
  }
}

Outcome simulate_one(const Experiment& experiment, const SimulateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = thread_cpu_seconds();
  Outcome outcome = simulate_unmeasured(experiment, options);
  if (outcome.result) {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    outcome.result->host = {wall.count(), thread_cpu_seconds() - cpu_start, peak_memory_bytes()};
  }
  return outcome;
}

std::size_t thread_count(std::size_t simulations) {
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::min(cores, simulations);
}

}  // namespace

std::vector<Outcome> simulate_all(std::span<const Experiment> experiments, const Terminal& terminal,
                                  const Extras& extras) {
  const InterruptGuard interrupt;
  ProgressLine line(terminal, experiments.size());
  std::vector<Outcome> outcomes(experiments.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < experiments.size(); i = next++) {
      SimulateOptions options;
      options.stop = [&interrupt] { return interrupt.interrupted(); };
      options.fold = extras.fold;
      options.spans = extras.spans;
      options.observer = extras.observer;
      options.matrix = extras.matrix;
      options.activity = extras.activity;
      options.progress = [&line, i](const Progress& progress) { line.update(i, progress); };
      outcomes[i] = simulate_one(experiments[i], options);
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < thread_count(experiments.size()); ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  return outcomes;
}

void print_remarks(std::span<const Outcome> outcomes) {
  std::set<std::string> said;
  const auto say = [&](log::Level level, const std::string& text) {
    if (said.insert(text).second) log::write(level, log::Room::simulation, text);
  };
  for (const Outcome& outcome : outcomes) {
    if (outcome.result)
      for (const std::string& notice : outcome.result->notices) say(log::Level::notice, notice);
    if (!outcome.failure.text.empty()) say(log::Level::error, outcome.failure.text);
  }
}

}  // namespace orrery::cli
