#include "execution/simulations.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "core/base/log.h"
#include "execution/host_meter.h"
#include "execution/interrupt.h"
#include "execution/progress/progress_line.h"
#include "simulation/simulate.h"
#include "system/job.h"
#include "workload/job_stopped.h"
#include "workload/platform_facts.h"

namespace orrery {

namespace {

// Of a job that contradicts itself. A run finds one contradiction of a trace, the check all.
Failure contradiction(const Experiment& experiment, Failure failure) {
  if (std::holds_alternative<GraphWorkload>(experiment.workload.what))
    failure.text +=
        "\n`orrery trace check FILES` lists all contradictions between the ranks of a trace";
  return failure;
}

Outcome simulate_unmeasured(const Experiment& experiment, const SimulateOptions& options) {
  try {
    Outcome outcome{simulate(experiment, options), {}};
    if (outcome.result->partial) {
      outcome.failure = {interrupted, "interrupted: the result is partial, and marked so"};
    } else if (!outcome.result->unreceived.empty()) {
      const std::string text =
          fmt::format("error: {}", fmt::join(outcome.result->unreceived, "\n"));
      outcome.failure = contradiction(experiment, {simulation_failed, text});
    }
    return outcome;
  } catch (const JobStopped&) {
    return {std::nullopt, {interrupted, "interrupted: nothing was simulated yet"}};
  } catch (const StuckError& stuck) {
    return {stuck.partial, contradiction(experiment, describe_failure(std::current_exception()))};
  } catch (const JobError&) {
    return {std::nullopt, contradiction(experiment, describe_failure(std::current_exception()))};
  } catch (...) {
    return {std::nullopt, describe_failure(std::current_exception())};
  }
}

std::size_t thread_count(std::span<const Experiment> experiments) {
  // Folded, an NPU takes some 300 bytes: of these platforms one after the other.
  constexpr std::int64_t large = 1'000'000;
  const auto is_large = [](const Experiment& experiment) {
    return facts_of(experiment.topology).npus > large;
  };
  if (std::ranges::any_of(experiments, is_large)) return 1;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::min(cores, experiments.size());
}

}  // namespace

Outcome simulate_one(const Experiment& experiment, const SimulateOptions& options) {
  const HostMeter meter;
  Outcome outcome = simulate_unmeasured(experiment, options);
  if (outcome.result) outcome.result->host = meter.used();
  return outcome;
}

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
      options.page = extras.page;
      options.links = extras.links;
      options.progress = [&line, i](const Progress& progress) { line.update(i, progress); };
      outcomes[i] = simulate_one(experiments[i], options);
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < thread_count(experiments); ++i) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  return outcomes;
}

void print_remarks(std::span<const Outcome> outcomes) {
  std::set<std::string> said;
  for (const Outcome& outcome : outcomes)
    if (outcome.result) said.insert(outcome.result->told.begin(), outcome.result->told.end());
  const auto say = [&](log::Level level, const std::string& text) {
    if (said.insert(text).second) log::write(level, log::Room::simulation, text);
  };
  for (const Outcome& outcome : outcomes) {
    if (outcome.result)
      for (const std::string& notice : outcome.result->notices) say(log::Level::notice, notice);
    if (!outcome.failure.text.empty()) say(log::Level::error, outcome.failure.text);
  }
}

}  // namespace orrery
