#include "execution/what_ifs.h"

#include <fmt/format.h>

#include "core/base/log.h"
#include "simulation/packet_cost.h"
#include "simulation/simulate.h"
#include "simulation/what_if.h"

namespace orrery {

namespace {

bool add_what_if(const Experiment& experiment, bool fold, const Terminal& terminal,
                 RunResult& result) {
  const std::vector<Alternative> changes = alternatives(experiment, result);
  if (const std::string text = what_if_text(changes.size(), result.host.cpu_s); !text.empty())
    log::record(log::Level::notice, log::Room::simulation, "{}", text);
  std::vector<Experiment> experiments;
  for (const Alternative& change : changes) experiments.push_back(change.experiment);
  const std::vector<Outcome> outcomes = simulate_all(experiments, terminal, {.fold = fold});
  std::vector<const RunResult*> changed;
  bool complete = true;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const bool done = outcomes[i].result && !outcomes[i].result->partial;
    complete = complete && outcomes[i].failure.exit_code != interrupted;
    changed.push_back(done ? &*outcomes[i].result : nullptr);
    if (!done)
      result.notices.push_back(
          fmt::format("what if {} has no result: {}", changes[i].change, outcomes[i].failure.text));
  }
  add_gains(result, changes, changed);
  return complete;
}

}  // namespace

std::string what_if_text(std::size_t changes, double cpu_s) {
  const double all = static_cast<double>(changes) * cpu_s;
  if (all < kLongRun) return "";
  return fmt::format("--what-if simulates {} changes now, each about as long as the run: some {}",
                     changes, cpu_time_text(all));
}

bool add_what_ifs(std::span<const Experiment> experiments, bool fold, const Terminal& terminal,
                  std::vector<Outcome>& outcomes) {
  bool complete = true;
  for (std::size_t i = 0; i < outcomes.size() && complete; ++i)
    if (outcomes[i].result && !outcomes[i].result->partial)
      complete = add_what_if(experiments[i], fold, terminal, *outcomes[i].result);
  return complete;
}

}  // namespace orrery
