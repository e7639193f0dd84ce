#include <chrono>
#include <optional>

#include "core/base/log.h"
#include "execution/host_meter.h"
#include "execution/interrupt.h"
#include "execution/progress/count_progress.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/named_examples.h"
#include "frontends/yaml/load_traffic.h"
#include "report/result_folder.h"
#include "report/traffic_report.h"
#include "report/wrapped_text.h"
#include "simulation/simulate_traffic.h"

namespace orrery::cli {

namespace {

std::string report(const TrafficResult& result, const TrafficRunOptions& options) {
  switch (options.format) {
    case Format::json:
      return traffic_json(result, options.report);
    case Format::csv:
      return traffic_csv(result);
    case Format::text:
      break;
  }
  return traffic_text(result, options.report);
}

TrafficResult simulated(const TrafficExperiment& loaded, const InterruptGuard& interrupt,
                        const Terminal& terminal) {
  const HostMeter meter;
  std::optional<CountProgress> progress;
  TrafficOptions options;
  options.stop = [&] { return interrupt.interrupted(); };
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> interrupted_at;
  options.give_up = [&] {
    constexpr auto patience = std::chrono::seconds(2);
    if (!interrupted_at) interrupted_at = Clock::now();
    return Clock::now() - *interrupted_at > patience;
  };
  if (const std::string notice = notice_of_long_run(loaded.experiment, loaded.traffic);
      !notice.empty())
    log::write(log::Level::notice, log::Room::frontends, notice);
  options.progress = [&](std::size_t delivered, std::size_t all) {
    if (!progress) progress.emplace(terminal, all, "flows delivered");
    progress->show(delivered);
  };
  TrafficResult result = simulate_traffic(loaded.experiment, loaded.traffic, options);
  result.host = meter.used();
  return result;
}

void print_remarks(const TrafficResult& result, const std::string& of) {
  for (const std::string& notice : result.notices)
    log::write(log::Level::notice, log::Room::frontends, of + notice);
  if (result.partial)
    log::write(log::Level::error, log::Room::frontends,
               of + "interrupted: the result is partial, and marked so");
}

std::string comparison(std::span<const TrafficResult> results, const SimulationOptions& options) {
  switch (options.format) {
    case Format::json:
      return traffic_comparison_json(results);
    case Format::csv:
      return traffic_comparison_csv(results);
    case Format::text:
      break;
  }
  return traffic_comparison_text(results);
}

}  // namespace

// One after the other: the files of a comparison of flows are few.
ExitCode compare_traffic(std::span<const TrafficExperiment> files, const SimulationOptions& options,
                         const Terminal& terminal) {
  const Overwrite overwrite = options.force ? Overwrite::allow : Overwrite::refuse;
  const InterruptGuard interrupt;  // until all is written
  if (!options.output.empty()) prepare_result_folder(options.output, overwrite);
  if (options.predict || options.what_if || options.ties > 0)
    log::write(log::Level::notice, log::Room::frontends,
               "--predict, --what-if and --ties are for workloads: flows are only simulated");
  std::vector<TrafficResult> results;
  for (const TrafficExperiment& file : files) {
    if (interrupt.interrupted()) break;
    results.push_back(simulated(file, interrupt, terminal));
    results.back().provenance = provenance_of(file.experiment, options.invocation);
    print_remarks(results.back(), file.experiment.name + ": ");
  }
  terminal.out << comparison(results, options);
  if (!options.output.empty()) write_traffic_comparison(options.output, results, overwrite);
  return interrupt.interrupted() ? interrupted : ok;
}

ExitCode traffic(const TrafficRunOptions& options, const Terminal& terminal) {
  return traffic_loaded(load_traffic(experiment_of(options.file), options.overrides), options,
                        terminal);
}

ExitCode traffic_loaded(const TrafficExperiment& asked, const TrafficRunOptions& options,
                        const Terminal& terminal) {
  constexpr std::int64_t most_pauses = 1'000'000;  // lines of pfc.txt, about 25 bytes each
  TrafficExperiment loaded = asked;
  if (options.flows) loaded.experiment.network.switches.pause_log = most_pauses;
  const Overwrite overwrite = options.force ? Overwrite::allow : Overwrite::refuse;
  const InterruptGuard interrupt;  // until all is written
  if (!options.output.empty()) prepare_result_folder(options.output, overwrite);
  TrafficResult result = simulated(loaded, interrupt, terminal);
  result.provenance = provenance_of(loaded.experiment, options.invocation);
  print_remarks(result, "");
  const std::string text = report(result, options);
  terminal.out << (options.format == Format::text ? wrapped_text(text, terminal.width) : text);
  if (!options.output.empty())
    write_traffic(options.output, result, options.flows, options.report, overwrite);
  return result.partial ? interrupted : ok;
}

}  // namespace orrery::cli
