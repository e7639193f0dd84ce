#include <fmt/format.h>
#include <unistd.h>

#include "execution/batch/answer_lines.h"
#include "execution/interrupt.h"
#include "execution/simulations.h"
#include "frontends/cli/batch_request.h"
#include "frontends/cli/commands.h"
#include "frontends/cli/failure_json.h"
#include "report/json_report.h"
#include "simulation/simulate.h"

namespace orrery::cli {

namespace {

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

}  // namespace

ExitCode batch(const BatchOptions& options, const Terminal& terminal) {
  const InterruptGuard interrupt;
  const bool failed =
      answer_lines({STDIN_FILENO, [&] { return interrupt.interrupted(); }}, terminal.out,
                   options.jobs, [&](std::int64_t number, const std::string& line) {
                     return answer_of(number, line, options, interrupt);
                   });
  if (interrupt.interrupted()) return interrupted;
  return failed ? simulation_failed : ok;
}

}  // namespace orrery::cli
