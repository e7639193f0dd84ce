#include "report/backend_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {

namespace {

// Items behind a heading, in lines of at most 100 columns as far as the items allow.
std::string listed(const std::string& heading, std::span<const std::string> items) {
  constexpr std::size_t columns = 100;
  std::string text = heading;
  std::size_t used = heading.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::size_t wanted = 2 + items[i].size();  // with a space before it and what ends it
    const bool fits = used + wanted <= columns;
    used = fits ? used + wanted : wanted + 1;
    text += fmt::format("{}{}{}", fits ? " " : "\n  ", items[i], i + 1 < items.size() ? ";" : "\n");
  }
  return text;
}

std::string choice_of(const RunResult& result) {
  return fmt::format("{}, because {}\n", result.backend, result.backend_because);
}

std::string ignored_by(const RunResult& result) {
  if (result.ignored.empty()) return "";
  return ignored_text(result.backend, " in " + result.name, result.ignored);
}

// Of systems that are compared: one line if all have the same.
std::string chosen_efficiencies(std::span<const RunResult> results) {
  const auto as_first = [&](const RunResult& result) {
    return chosen_efficiency(result.efficiency) == chosen_efficiency(results.front().efficiency);
  };
  if (results.empty() || std::ranges::all_of(results, as_first))
    return results.empty() ? "" : chosen_efficiency(results.front().efficiency);
  std::string text;
  for (const RunResult& result : results)
    if (!result.efficiency.name.empty())
      text +=
          fmt::format("efficiency of {}: {}\n", result.name, efficiency_text(result.efficiency));
  return text;
}

std::string parallelism_text(const std::string& heading, const std::string& chosen) {
  return chosen.empty() ? "" : fmt::format("{}: {}\n", heading, chosen);
}

}  // namespace

std::string ignored_text(std::string_view backend, std::string_view where,
                         std::span<const std::string> ignored) {
  return listed(fmt::format("IGNORED by the {} backend{}:", backend, where), ignored);
}

std::string backend_text(const RunResult& result) {
  const std::string chosen = result.backend_because.empty() ? "" : "backend: " + choice_of(result);
  return chosen + ignored_by(result) + chosen_efficiency(result.efficiency) +
         parallelism_text("parallelism", result.parallelism_chosen);
}

std::string efficiency_text(const EfficiencyInForce& efficiency) {
  std::string text = efficiency.name;
  if (efficiency.error)
    text += fmt::format(" (mean error {:.1f} % over {} {})", *efficiency.error * 100,
                        efficiency.runs, efficiency.runs == 1 ? "run" : "runs");
  if (!efficiency.because.empty()) text += ", " + efficiency.because;
  return text;
}

std::string chosen_efficiency(const EfficiencyInForce& efficiency) {
  if (efficiency.because.empty()) return "";
  return fmt::format("efficiency: {}\n", efficiency_text(efficiency));
}

std::string backends_text(std::span<const RunResult> results) {
  const auto as_first = [&](const RunResult& result) {
    return result.backend_because == results.front().backend_because;
  };
  std::string text;
  if (!std::ranges::all_of(results, as_first)) {
    for (const RunResult& result : results)
      if (!result.backend_because.empty())
        text += fmt::format("backend of {}: {}", result.name, choice_of(result));
  } else if (!results.empty() && !results.front().backend_because.empty()) {
    text += "backend: " + choice_of(results.front());
  }
  for (const RunResult& result : results)
    if (!result.ignored.empty()) text += "* " + ignored_by(result);
  text += chosen_efficiencies(results);
  for (const RunResult& result : results)
    text += parallelism_text("parallelism of " + result.name, result.parallelism_chosen);
  return text;
}

}  // namespace orrery
