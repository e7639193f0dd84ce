#include "simulation/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/log.h"
#include "core/trace/fingerprint_sink.h"
#include "core/trace/tee_sink.h"
#include "core/units/range_error.h"
#include "core/units/unit_text.h"
#include "network/backends.h"
#include "network/network_error.h"
#include "network/traced_backend.h"
#include "simulation/devices.h"
#include "simulation/make_job.h"
#include "simulation/problems.h"
#include "simulation/result/collect_result.h"
#include "simulation/result/equal_part_rows.h"
#include "simulation/run_observer.h"
#include "simulation/sinks/level_activity.h"
#include "simulation/sinks/link_activity.h"
#include "simulation/sinks/message_log.h"
#include "simulation/sinks/span_log.h"
#include "simulation/sinks/step_sink.h"
#include "simulation/sinks/summary_sink.h"
#include "simulation/sinks/traffic_matrix.h"
#include "system/compute/variation.h"
#include "system/rank/job_runner.h"
#include "workload/platform_facts.h"

namespace orrery {
namespace {

// The backend of the experiment; with a span for every message if `spans` wants them.
std::unique_ptr<NetworkBackend> make_network(EventQueue& queue, const Topology& topology,
                                             const NetworkSpec& spec, TraceSink& spans) {
  auto network = find_backend(spec.backend)->make(queue, topology, spec);
  if (!spans.wants_messages()) return network;
  return std::make_unique<TracedBackend>(queue, std::move(network), spans);
}

std::vector<TraceSink*> message_sinks(TrafficMatrix& matrix, LevelActivity& activity,
                                      MessageLog& message_log, const SimulateOptions& options) {
  std::vector<TraceSink*> sinks;
  if (MessageLog::wanted()) sinks.push_back(&message_log);
  if (options.activity) sinks.push_back(&activity);
  if (options.matrix) sinks.push_back(&matrix);
  if (options.spans != nullptr) sinks.push_back(options.spans);
  if (options.observer != nullptr) sinks.push_back(options.observer);
  return sinks;
}

std::vector<TraceSink*> span_sinks(SummarySink& summary, FingerprintSink& fingerprint,
                                   StepSink& steps, SpanLog& span_log,
                                   const SimulateOptions& options) {
  std::vector<TraceSink*> sinks = {&summary, &fingerprint};
  if (options.page) sinks.push_back(&steps);
  if (SpanLog::wanted()) sinks.push_back(&span_log);
  if (options.spans != nullptr) sinks.push_back(options.spans);
  if (options.observer != nullptr) sinks.push_back(options.observer);
  return sinks;
}

// For each rank; empty if all are simulated.
std::vector<std::int32_t> representatives(const Fold& fold, std::int32_t ranks) {
  std::vector<std::int32_t> of_rank;
  for (Rank rank = 0; !fold.none() && rank < ranks; ++rank)
    of_rank.push_back(fold.representative(rank));
  return of_rank;
}

VariationSpec seeded(VariationSpec spec, std::uint64_t seed) {
  spec.seed = seed;
  return spec;
}

Folding folding_of(const Experiment& experiment, const SimulateOptions& options) {
  if (!options.fold || options.spans != nullptr) return Folding::off;
  return experiment.ties == Ties::seed ? Folding::off_for_ties : Folding::where_exact;
}

// Before and after what takes seconds where NPUs are counted in millions.
void stop_if_asked(const SimulateOptions& options) {
  if (options.stop && options.stop()) throw JobStopped();
}

class Simulation {
 public:
  // `told`: of the result's notices, if a forecast was told before.
  Simulation(const Experiment& experiment, const SimulateOptions& options,
             std::optional<std::vector<std::string>> told)
      : experiment_(experiment),
        options_(options),
        told_(std::move(told)),
        queue_({experiment.ties, experiment.seed, experiment.tie_draw}),
        topology_(experiment.topology),
        activity_(topology_, experiment.network.routing),
        message_sinks_(message_sinks(matrix_, activity_, message_log_, options)),
        link_activity_(options.activity ? std::make_unique<LinkActivity>(topology_) : nullptr),
        network_(make_network(queue_, topology_, experiment.network, message_sinks_)),
        job_(make_job(experiment, topology_, std::nullopt, options.stop)),
        device_(experiment, job_.ranks),
        compute_(device_, seeded(experiment.npu.variation, experiment.seed), job_.ranks),
        span_log_(job_),
        sinks_(span_sinks(summary_, fingerprint_, steps_, span_log_, options)),
        runner_(queue_, *network_, topology_, experiment.system, job_, compute_, sinks_,
                folding_of(experiment, options)),
        summary_(job_.ranks, runner_.fold(), job_.labels.size()),
        fingerprint_(representatives(runner_.fold(), job_.ranks)),
        steps_(experiment, job_, runner_.fold()) {
    if (link_activity_) network_->watch_links(link_activity_->bins());
  }

  // Nothing if the job has to be run without folding: ranks wait for each other because of limits,
  // and one of them, of many alike, would have to begin beyond its own.
  std::optional<RunResult> run();
  const std::string& unfolded_because() const { return runner_.unfolded_because(); }

 private:
  void log_beginning() const;
  RunResult collect(bool stopped) const;

  const Experiment& experiment_;
  const SimulateOptions& options_;
  std::optional<std::vector<std::string>> told_;
  EventQueue queue_;
  Topology topology_;
  TrafficMatrix matrix_;
  LevelActivity activity_;
  MessageLog message_log_;
  TeeSink message_sinks_;
  std::unique_ptr<LinkActivity> link_activity_;  // if it was asked for
  std::unique_ptr<NetworkBackend> network_;
  Job job_;
  Devices device_;
  VariedCompute compute_;
  SpanLog span_log_;
  TeeSink sinks_;
  JobRunner runner_;
  // Made when it is known for how many ranks a span stands; nothing is emitted before run().
  SummarySink summary_;
  FingerprintSink fingerprint_;
  StepSink steps_;
};

void Simulation::log_beginning() const {
  const auto info = [](const std::string& text) {
    log::write(log::Level::info, log::Room::simulation, text);
  };
  if (!log::is_on(log::Level::info, log::Room::simulation)) return;
  info(fmt::format("{}: {} ranks on the {} backend", experiment_.name, job_.ranks,
                   experiment_.network.backend));
  if (const std::string& why = unfolded_because(); !why.empty())
    info(fmt::format("every rank is simulated: {}", why));
  else if (!runner_.fold().none())
    info(fmt::format("simulated ranks: {}, each for {}", job_.ranks / runner_.fold().multiplicity(),
                     runner_.fold().multiplicity()));
}

std::optional<RunResult> Simulation::run() {
  stop_if_asked(options_);
  if (!told_) told_ = say_if_long(experiment_, forecast_of(experiment_, topology_, runner_));
  stop_if_asked(options_);
  log_beginning();
  if (options_.observer != nullptr) options_.observer->begin(experiment_, job_, runner_.fold());
  runner_.start();
  const auto stop = [&] {
    if (options_.progress) options_.progress({runner_.progress(), queue_.now(), queue_.executed()});
    return runner_.done() || (options_.stop && options_.stop());
  };
  bool ran_dry = false;
  std::string broken;  // what the network cannot do
  try {
    ran_dry = queue_.run(stop);
    if (ran_dry && !runner_.finished() && !runner_.fold().none()) return std::nullopt;
    while (ran_dry && !runner_.finished() && runner_.unblock()) ran_dry = queue_.run(stop);
  } catch (const NetworkError& error) {
    broken = error.what();
  }
  if (!runner_.finished()) runner_.emit_open_spans();
  log::record(log::Level::info, log::Room::simulation, "{} events until {}", queue_.executed(),
              to_text(queue_.now()));
  const bool stopped = broken.empty() && !ran_dry && !runner_.done();
  RunResult result = collect(stopped);
  if (!broken.empty())
    result.partial_reason = "network";
  else if (stopped)
    result.partial_reason = "interrupted";
  else if (!runner_.finished())
    result.partial_reason = "stuck";
  result.partial = !result.partial_reason.empty();
  if (options_.observer != nullptr) options_.observer->end(result);
  if (!broken.empty()) throw StuckError(broken, std::move(result));
  if (result.partial_reason == "stuck")
    throw StuckError(
        fmt::format("the job is stuck at {}: nothing is left to happen, and\n{}{}",
                    to_text(queue_.now()), runner_.describe_stuck(10), network_->unfinished()),
        std::move(result));
  return result;
}

RunResult Simulation::collect(bool stopped) const {
  const FinishedRun finished{experiment_, topology_,     job_,    *network_,     runner_,
                             summary_,    options_.fold, stopped, options_.links};
  RunResult result = collect_result(finished);
  result.told = told_.value_or(std::vector<std::string>());
  result.fingerprint = fingerprint_.hex();
  result.events = queue_.executed();
  result.activity = activity_.rows();
  if (link_activity_) result.link_activity = link_activity_->rows();
  result.steps = steps_.rows();
  if (options_.page) add_equal_parts(result, finished);
  result.matrix = matrix_.rows(group_names(job_, topology_));
  if (!result.matrix.empty()) result.node_ranks = node_size(facts_of(experiment_.topology));
  return result;
}

// With the keys of the rates that a time beyond the clock may come from.
RangeError with_rates(const RangeError& error, const Experiment& experiment) {
  const auto& levels = experiment.topology.levels;
  const auto slowest = std::ranges::min_element(levels, {}, &LevelSpec::bandwidth);
  std::string rates = fmt::format("{} of platform.topology.levels[{}]", to_text(slowest->bandwidth),
                                  slowest - levels.begin());
  if (const GraphSpec* graph = experiment.topology.graph.get())
    rates = to_text(std::ranges::min_element(graph->links, {}, &Link::bandwidth)->bandwidth) +
            " of a link of platform.topology";
  if (experiment.npu.peak > FlopRate{})
    rates += fmt::format(", {} of platform.npu.peak", to_text(experiment.npu.peak));
  return RangeError(fmt::format("{}\n  the slowest rates: {}", error.what(), rates));
}

RunResult simulate_within_clock(const Experiment& experiment, const SimulateOptions& options) {
  stop_if_asked(options);
  std::optional<std::vector<std::string>> told;
  if (is_long_job(experiment.workload))
    told = say_if_long(experiment, forecast_of(experiment, folding_of(experiment, options)));
  if (auto result = Simulation(experiment, options, told).run()) return *std::move(result);
  SimulateOptions unfolded = options;
  unfolded.fold = false;
  RunResult result = *Simulation(experiment, unfolded, told).run();
  result.unfolded_because = "ranks wait for each other";
  return result;
}

}  // namespace

RunResult simulate(const Experiment& experiment, const SimulateOptions& options) {
  refuse_problems(experiment);
  try {
    return simulate_within_clock(experiment, options);
  } catch (const RangeError& error) {
    throw with_rates(error, experiment);
  }
}

}  // namespace orrery
