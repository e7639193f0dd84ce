#include "simulation/forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "core/base/log.h"
#include "core/trace/tee_sink.h"
#include "core/units/unit_text.h"
#include "network/backends.h"
#include "network/spread_links.h"
#include "simulation/devices.h"
#include "simulation/few_parts.h"
#include "simulation/make_job.h"
#include "simulation/packet_cost.h"
#include "simulation/result/memory_notice.h"
#include "system/compute/variation.h"
#include "system/rank/job_runner.h"

namespace orrery {
namespace {

// The job of an experiment as far as a forecast needs it.
class WrittenJob {
 public:
  WrittenJob(const Experiment& experiment, Folding folding)
      : experiment_(experiment),
        topology_(experiment.topology),
        network_(
            find_backend(experiment.network.backend)->make(queue_, topology_, experiment_.network)),
        job_(make_job(experiment_, topology_)),
        devices_(experiment_, job_.ranks),
        compute_(devices_, experiment_.npu.variation, job_.ranks),
        runner_(queue_, *network_, topology_, experiment_.system, job_, compute_, nobody_,
                folding) {}

  const Topology& topology() const { return topology_; }
  JobRunner& runner() { return runner_; }

 private:
  Experiment experiment_;
  EventQueue queue_;
  Topology topology_;
  std::unique_ptr<NetworkBackend> network_;
  Job job_;
  Devices devices_;
  VariedCompute compute_;
  TeeSink nobody_{{}};
  JobRunner runner_;
};

// "global_batch: 128 takes a 16th of that": of micro-batches that are simulated one by one, so few
// that the pipeline is still filled for most of the time.
std::string fewer_batches(const Experiment& experiment) {
  const auto* transformer = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (transformer == nullptr || !few_batches(transformer->training)) return "";
  const TransformerTraining& training = transformer->training;
  const std::int32_t all = training.micro_batches();
  for (std::int32_t part = 16; part > 1; part /= 2) {
    const std::int32_t fewer = all / part;
    if (all % part != 0 || fewer % period_of(training) != 0 || fewer < 8 * training.pipeline)
      continue;
    return fmt::format(
        "each of {} micro-batches is simulated: workload.training.global_batch: {} takes a {} of "
        "that, for an iteration of {}",
        all, training.global_batch / part,
        part == 2   ? "half"
        : part == 4 ? "quarter"
                    : fmt::format("{}th", part),
        fewer);
  }
  return "";
}

// What would shorten a long run, as a sentence; "" if nothing is known.
std::string remedy_for(const Forecast& forecast, const WorkAhead& ahead,
                       const Experiment& experiment) {
  std::vector<std::string> clauses;
  if (!forecast.unfolded_because.empty())
    clauses.push_back(
        fmt::format("every rank is simulated, because {}", forecast.unfolded_because));
  const bool in_packets = forecast.in_packets > TotalBytes();
  if (in_packets)
    clauses.emplace_back(
        "network.backend: fluid takes seconds, without queues and losses; fewer bytes (layers, "
        "samples, iterations) are as much faster");
  if (std::string fewer = fewer_batches(experiment); !fewer.empty())
    clauses.push_back(std::move(fewer));
  if (const auto* most = ahead.most();
      most != nullptr && most->second.messages * 2 > ahead.messages && !in_packets) {
    const auto& [communicator, kind, size] = most->first;
    const WorkAhead::Calls& calls = most->second;
    std::string faster;
    if (calls.chunks > 1) faster = "fewer chunks";
    if (!is_automatic(experiment.system.collectives[static_cast<int>(kind)].algorithms))
      faster += fmt::format("{}an algorithm of fewer steps (algorithms: auto)",
                            faster.empty() ? "" : " or ");
    clauses.push_back(
        fmt::format("{} of {} by {} sends {:.0f} % of the messages{}{}", name_of(kind),
                    to_text(size), calls.algorithm,
                    static_cast<double>(calls.messages) * 100 / static_cast<double>(ahead.messages),
                    faster.empty() ? "" : ": faster with ", faster));
  }
  return fmt::format("{}", fmt::join(clauses, "; "));
}

// Where messages take all shortest paths, each has a share on many links. Measured on fat trees and
// leaf-spines of 128 to 2,000 NPUs, 35 to 220 links a message, on the machine of docs/speed.md: to
// find the links of a pair takes 0.05 us for each, and those of a message 0.005 more; 0.2 to 0.3
// where the solver has to know all of them, because links fail or some ways are given. Where some
// messages stand for all, to compare those of all pairs takes 0.6 us for each pair, and 0.13 for
// each link between two leaves.
double seconds_of_spread(const WorkAhead& ahead, const SpreadLinks& spread,
                         const RoutingSpec& routing, std::int32_t ranks, bool is_folded) {
  constexpr double compared = 0.62e-6, between = 0.13e-6, found = 0.05e-6;
  const bool solves_all = !routing.faults.empty() || !routing.routes.empty();
  const double of_message = solves_all && !is_folded ? 0.25e-6 : 0.005e-6;
  const double pairs = static_cast<double>(ahead.targets) * ranks;
  double seconds = 0;
  for (std::size_t level = 0; level < spread.on_level.size(); ++level) {
    const double messages = static_cast<double>(ahead.messages_on[level]);
    seconds += spread.on_level[level] * (of_message * messages + found * std::min(messages, pairs));
  }
  if (!is_folded) return seconds;
  const double leaves = static_cast<double>(spread.leaves);
  return seconds + compared * pairs + between * spread.links * std::min(pairs, leaves * leaves);
}

Forecast forecast_of(const Experiment& experiment, const Topology& topology,
                     const JobRunner& runner, const WorkAhead& ahead) {
  const BackendTraits& traits = *find_backend(experiment.network.backend)->traits;
  // With the operations and the bookkeeping of its paths, on the machine of docs/speed.md.
  constexpr double on_graphs = 1.2e-6;
  const bool slower = experiment.topology.graph != nullptr && traits.seconds_per_message > 0;
  const double of_message = slower ? on_graphs : traits.seconds_per_message;
  Forecast forecast{.unfolded_because = runner.unfolded_because(),
                    .ranks = topology.npu_count(),
                    .simulated = runner.simulated_ranks(),
                    .messages = ahead.messages,
                    .in_packets = {},
                    .cpu_s = static_cast<double>(ahead.messages) * of_message,
                    .remedy = ""};
  if (traits.has_packets) {
    forecast.cpu_s = packet_cpu_seconds(experiment.network, topology, ahead.bytes);
    if (forecast.cpu_s > 0)
      for (const TotalBytes bytes : ahead.bytes) forecast.in_packets += bytes;
  }
  if (slower && traits.shares_links)
    forecast.cpu_s += seconds_of_spread(ahead, spread_links(topology, experiment.network.routing),
                                        experiment.network.routing, topology.npu_count(),
                                        forecast.unfolded_because.empty());
  if (forecast.cpu_s >= kLongRun) forecast.remedy = remedy_for(forecast, ahead, experiment);
  return forecast;
}

}  // namespace

Forecast forecast_of(const Experiment& experiment, const Topology& topology, JobRunner& runner) {
  return forecast_of(experiment, topology, runner, runner.work_ahead());
}

Forecast forecast_of(const Experiment& experiment, Folding folding) {
  if (folding == Folding::where_exact && experiment.ties == Ties::seed)
    folding = Folding::off_for_ties;
  std::optional<WrittenJob> written;  // with the most operations of those that are looked at
  const auto ahead_of = [&](const Experiment& few) {
    if (!written) return written.emplace(few, folding).runner().work_ahead();
    const Topology& topology = written->topology();
    const Job job = make_job(few, topology);
    CollectiveRecipes recipes(topology, few.system, job.communicators);
    return work_ahead(job, topology, written->runner().fold(), recipes);
  };
  const WorkAhead ahead = sum_of_all_batches(experiment, [&](const Experiment& few_batches) {
    return sum_of_all_iterations(few_batches, ahead_of);
  });
  return forecast_of(experiment, written->topology(), written->runner(), ahead);
}

std::string why_not_folded(const Experiment& experiment) {
  return forecast_of(experiment).unfolded_because;
}

std::string work_text(const Forecast& forecast) {
  const bool in_packets = forecast.in_packets > TotalBytes();
  std::string text =
      fmt::format("about {:.2g} messages{} are simulated", static_cast<double>(forecast.messages),
                  in_packets ? fmt::format(", {} in packets,", to_text(forecast.in_packets)) : "");
  if (forecast.cpu_s > 0) text += ", some " + cpu_time_text(forecast.cpu_s);
  return text;
}

std::vector<std::string> say_if_long(const Experiment& experiment, const Forecast& forecast) {
  if (forecast.cpu_s < kLongRun) return {};
  std::vector<std::string> notices = memory_notices(experiment);
  for (const std::string& notice : notices)
    log::write(log::Level::notice, log::Room::simulation, notice);
  log::record(log::Level::notice, log::Room::simulation, "{}{}{}", work_text(forecast),
              forecast.remedy.empty() ? "" : ": ", forecast.remedy);
  return notices;
}

std::string work_together(std::span<const Experiment> experiments) {
  double seconds = 0;
  for (const Experiment& experiment : experiments) seconds += forecast_of(experiment).cpu_s;
  if (seconds < kLongRun) return "";
  return fmt::format("{} experiments are simulated, some {} together", experiments.size(),
                     cpu_time_text(seconds));
}

// 25 us for the operations of a layer, forwards and backwards.
bool is_long_job(const WorkloadSpec& workload) {
  constexpr double most = 50'000;
  double layers = 0;
  for (const WorkloadSpec* part : parts_of(workload))
    if (const auto* transformer = std::get_if<TransformerWorkload>(&part->what);
        transformer != nullptr && few_batches(transformer->training))
      layers += static_cast<double>(transformer->model.layers) *
                transformer->training.micro_batches() * part->iterations;
  return layers > most;
}

}  // namespace orrery
