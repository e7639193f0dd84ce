// `orrery sweep plan`: how many points, which ones, and how long they will take.
#include <fmt/format.h>

#include <algorithm>

#include "execution/process/scratch_folder.h"
#include "execution/sweep/sweep_probes.h"
#include "frontends/cli/sweep_points.h"

namespace orrery::cli {

namespace {

constexpr std::size_t most_probes = 3;

std::string keys_of(const SweepAxis& axis) {
  std::string keys;
  for (const SweepSetting& setting : axis.steps.front())
    keys += (keys.empty() ? "" : " with ") + setting.key;
  return fmt::format("  {}: {} values\n", keys, axis.steps.size());
}

std::string counts_of(const Sweep& sweep, std::size_t points) {
  const std::size_t all = count_combinations(sweep);
  std::string text = fmt::format("{}: {} points", sweep.name, points);
  if (points < all) text += fmt::format(", which `where` leaves of {}", all);
  text += fmt::format("\n  experiments: {}\n", sweep.experiments.size());
  for (const SweepAxis& axis : sweep.axes) text += keys_of(axis);
  return text;
}

// The first, the middle and the last point: they differ most often.
std::vector<SweepPoint> probe_points(const Sweep& sweep, std::size_t points) {
  const std::size_t most = 100'000;  // a plan of a huge grid looks at its beginning only
  std::vector<SweepPoint> known = wanted_points(sweep, std::min(points, most));
  std::vector<SweepPoint> chosen{known.front()};
  if (known.size() > 2) chosen.push_back(known[known.size() / 2]);
  if (known.size() > 1) chosen.push_back(known.back());
  chosen.resize(std::min(chosen.size(), most_probes));
  return chosen;
}

}  // namespace

ExitCode sweep_plan(const SweepCommandOptions& given, const Terminal& terminal) {
  const Sweep sweep = sweep_of(given);
  const std::vector<SweepPoint> first = wanted_points(sweep, 3);
  const std::size_t points = count_points(sweep);
  SweepCommandOptions options = given;
  if (options.output.empty()) options.output = "DIR";
  terminal.out << counts_of(sweep, points) << "first points:\n";
  for (const SweepRow& row : loaded(sweep, first, options).rows)
    terminal.out << "  " << command_of(row) << '\n';
  if (!options.probes) return ok;
  const ScratchFolder folder("plan");
  options.output = folder.path();
  const std::optional<std::string> estimate =
      sweep_estimate(loaded(sweep, probe_points(sweep, points), options), points, options.jobs);
  if (!estimate) return interrupted;
  terminal.out << *estimate;
  return ok;
}

}  // namespace orrery::cli
