#include "execution/fit_efficiency.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/base/log.h"
#include "core/units/unit_text.h"
#include "execution/simulations.h"
#include "simulation/binding_part.h"

namespace orrery {

namespace {

// A simulation that failed: nothing can be fitted.
struct Failed {
  ExitCode exit_code;
};

// Of a run that the bytes of a level hold up: its time says little of the processor.
void warn_of_levels(const TimedRun& run, const RunResult& result) {
  if (result.bound_by == "compute" || result.bound > result.finish) return;
  const Duration least{result.bound.value / iteration_count(result)};
  if (binding_part(result) == nullptr && run.measured >= least) return;
  log::write(log::Level::notice, log::Room::simulation,
             fmt::format("{}: {} alone takes {} of {}, so the time says little of the processor; "
                         "leave the run out, or check the bandwidth of its file",
                         run.name, result.bound_by, to_text(least), to_text(run.measured)));
}

// log(simulated / measured) of these runs. Throws Failed.
std::vector<double> residuals(const EfficiencyFit& fit, std::span<const double> values,
                              std::span<const std::size_t> rows, const Terminal& terminal,
                              bool warns) {
  const std::vector<Outcome> outcomes = simulate_all(fit.experiments(values, rows), terminal);
  std::vector<double> found;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].failure.exit_code != ok) {
      print_remarks(outcomes);
      throw Failed{outcomes[i].failure.exit_code};
    }
    if (warns) warn_of_levels(fit.runs()[rows[i]], *outcomes[i].result);
    const double simulated = static_cast<double>(iteration_time(*outcomes[i].result)->value);
    found.push_back(std::log(simulated / static_cast<double>(fit.runs()[rows[i]].measured.value)));
  }
  return found;
}

}  // namespace

FitOutcome fit_efficiency(const EfficiencyFit& fit, const Terminal& terminal) {
  bool warns = true;  // once, with the values that the fit begins with
  const CalibrationModel model = [&](std::span<const double> values,
                                     std::span<const std::size_t> rows) {
    return residuals(fit, values, rows, terminal, std::exchange(warns, false));
  };
  try {
    return {ok, calibrate(fit.parameters(), fit.runs().size(), model)};
  } catch (const Failed& failed) {
    return {failed.exit_code, {}};
  }
}

}  // namespace orrery
