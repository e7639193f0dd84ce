#include "simulation/expected_error.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <tuple>

namespace orrery {

namespace {

#define VALIDATION_ROW(set, era, experts, ranks, sequence, hidden, error) \
  {set, {era, experts, ranks, sequence, hidden}, error},
constexpr ValidationRow rows_of_the_tree[] = {
#include "simulation/validation_rows.def"
};
#undef VALIDATION_ROW

std::string_view device_of(std::string_view era) { return era.substr(0, era.find('-')); }

double factor(std::int64_t one, std::int64_t other) {
  return std::abs(std::log2(static_cast<double>(one) / static_cast<double>(other)));
}

// Least first.
auto distance(const PredictedRun& one, const PredictedRun& other) {
  return std::tuple{device_of(one.era) != device_of(other.era), one.era != other.era,
                    one.experts != other.experts,
                    factor(one.ranks, other.ranks) + factor(one.sequence, other.sequence) +
                        factor(one.hidden, other.hidden)};
}

std::string upper_case(std::string_view name) {
  std::string text(name);
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

// Each name once, the most frequent first, then in the order of their first row.
std::vector<std::string> by_frequency(const std::vector<std::string>& names) {
  std::vector<std::string> once;
  for (const std::string& name : names)
    if (std::ranges::find(once, name) == once.end()) once.push_back(name);
  std::ranges::stable_sort(once, std::ranges::greater{}, [&](const std::string& name) {
    return std::ranges::count(names, name);
  });
  return once;
}

}  // namespace

std::span<const ValidationRow> validation_rows() { return rows_of_the_tree; }

std::optional<ExpectedError> expected_error(const PredictedRun& prediction,
                                            std::span<const ValidationRow> rows) {
  constexpr std::int64_t most_rows = 14;
  constexpr std::size_t least_rows = 4;
  if (rows.size() < least_rows) return std::nullopt;
  std::vector<const ValidationRow*> nearest;
  for (const ValidationRow& row : rows) nearest.push_back(&row);
  std::ranges::stable_sort(
      nearest, {}, [&](const ValidationRow* row) { return distance(prediction, row->run); });
  const auto of_device = std::ranges::count_if(rows, [&](const ValidationRow& row) {
    return device_of(row.run.era) == device_of(prediction.era);
  });
  if (of_device >= most_rows) nearest.resize(most_rows);
  std::vector<double> errors;
  std::vector<std::string> devices, sets;
  for (const ValidationRow* row : nearest) {
    errors.push_back(std::abs(row->error));
    devices.push_back(upper_case(device_of(row->run.era)));
    sets.emplace_back(row->set);
  }
  std::ranges::sort(errors);
  // The least place that four fifths of the n + 1 places do not exceed.
  const std::size_t place = (4 * (errors.size() + 1) + 4) / 5;
  return ExpectedError{.band = errors[place - 1],
                       .rows = static_cast<std::int32_t>(errors.size()),
                       .devices = by_frequency(devices),
                       .sets = by_frequency(sets)};
}

}  // namespace orrery
