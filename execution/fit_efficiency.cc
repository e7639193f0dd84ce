#include "execution/fit_efficiency.h"

#include <cmath>
#include <span>
#include <vector>

#include "execution/simulations.h"

namespace orrery {

namespace {

// A simulation that failed: nothing can be fitted.
struct Failed {
  ExitCode exit_code;
};

// log(simulated / measured) of these runs. Throws Failed.
std::vector<double> residuals(const EfficiencyFit& fit, std::span<const double> values,
                              std::span<const std::size_t> rows, const Terminal& terminal) {
  const std::vector<Outcome> outcomes = simulate_all(fit.experiments(values, rows), terminal);
  std::vector<double> found;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].failure.exit_code != ok) {
      print_remarks(outcomes);
      throw Failed{outcomes[i].failure.exit_code};
    }
    const double simulated = static_cast<double>(iteration_time(*outcomes[i].result)->value);
    found.push_back(std::log(simulated / static_cast<double>(fit.runs()[rows[i]].measured.value)));
  }
  return found;
}

}  // namespace

FitOutcome fit_efficiency(const EfficiencyFit& fit, const Terminal& terminal) {
  const CalibrationModel model = [&](std::span<const double> values,
                                     std::span<const std::size_t> rows) {
    return residuals(fit, values, rows, terminal);
  };
  try {
    return {ok, calibrate(fit.parameters(), fit.runs().size(), model)};
  } catch (const Failed& failed) {
    return {failed.exit_code, {}};
  }
}

}  // namespace orrery
