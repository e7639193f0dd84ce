#include "core/base/log.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/count_progress.h"
#include "frontends/cli/host_meter.h"
#include "frontends/cli/interrupt.h"
#include "frontends/report/result_folder.h"
#include "frontends/report/traffic_report.h"
#include "frontends/report/wrapped_text.h"
#include "frontends/yaml/load_traffic.h"
#include "simulation/simulate_traffic.h"

namespace orrery::cli {

namespace {

std::string report(const TrafficResult& result, Format format) {
  switch (format) {
    case Format::json:
      return traffic_json(result);
    case Format::csv:
      return traffic_csv(result);
    case Format::text:
      break;
  }
  return traffic_text(result);
}

TrafficResult simulated(const TrafficExperiment& loaded, const InterruptGuard& interrupt,
                        const Terminal& terminal) {
  const HostMeter meter;
  std::optional<CountProgress> progress;
  TrafficOptions options;
  options.stop = [&] { return interrupt.interrupted(); };
  options.progress = [&](std::size_t delivered, std::size_t all) {
    if (!progress) progress.emplace(terminal, all, "flows delivered");
    progress->show(delivered);
  };
  TrafficResult result = simulate_traffic(loaded.experiment, loaded.traffic, options);
  result.host = meter.used();
  return result;
}

}  // namespace

ExitCode traffic(const TrafficRunOptions& options, const Terminal& terminal) {
  const TrafficExperiment loaded = load_traffic(options.file, options.overrides);
  const Overwrite overwrite = options.force ? Overwrite::allow : Overwrite::refuse;
  const InterruptGuard interrupt;  // until all is written
  if (!options.output.empty()) prepare_result_folder(options.output, overwrite);
  TrafficResult result = simulated(loaded, interrupt, terminal);
  result.provenance = provenance_of(loaded.experiment, options.invocation);
  for (const std::string& notice : result.notices)
    log::write(log::Level::notice, log::Room::frontends, notice);
  if (result.partial)
    log::write(log::Level::error, log::Room::frontends,
               "interrupted: the result is partial, and marked so");
  const std::string text = report(result, options.format);
  terminal.out << (options.format == Format::text ? wrapped_text(text, terminal.width) : text);
  if (!options.output.empty()) write_traffic(options.output, result, options.flows, overwrite);
  return result.partial ? interrupted : ok;
}

}  // namespace orrery::cli
