#include "core/base/spec_problem.h"

#include <fmt/format.h>

#include <utility>

namespace orrery {

std::string item_key(std::string_view list, std::size_t index) {
  return fmt::format("{}[{}]", list, index);
}

void add_below(SpecProblems& problems, std::string_view part, SpecProblems of_part) {
  for (SpecProblem& problem : of_part) {
    const bool joined = problem.key.empty() || problem.key.front() == '[' || part.empty();
    problem.key = fmt::format("{}{}{}", part, joined ? "" : ".", problem.key);
    problems.push_back(std::move(problem));
  }
}

void check_at_least(SpecProblems& problems, std::string_view key, std::int64_t value,
                    std::int64_t least) {
  if (value >= least) return;
  problems.push_back({std::string(key), fmt::format("{} is out of range", value),
                      fmt::format("it must be at least {}", least)});
}

void check_divides(SpecProblems& problems, std::string_view key, std::int64_t divisor,
                   std::int64_t number, std::string_view what) {
  if (divisor <= 0 || number % divisor == 0) return;
  problems.push_back({std::string(key),
                      fmt::format("{} does not divide the {} {}", divisor, number, what),
                      fmt::format("choose a divisor of {}", number)});
}

}  // namespace orrery
