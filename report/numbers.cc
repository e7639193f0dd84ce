#include "report/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace orrery {

namespace {

double quotient(Duration part, Duration whole) {
  return static_cast<double>(part.value) / static_cast<double>(whole.value);
}

std::string tenths_of_percent(std::int64_t tenths) {
  return fmt::format("{}.{} %", tenths / 10, tenths % 10);
}

}  // namespace

TimeUnit common_unit(Duration largest) {
  if (largest < microseconds(1)) return {"ns", nanoseconds(1)};
  if (largest < milliseconds(100)) return {"us", microseconds(1)};
  if (largest < milliseconds(100'000)) return {"ms", milliseconds(1)};
  return {"s", milliseconds(1'000)};
}

std::string in_unit(Duration duration, TimeUnit unit) {
  const std::int64_t resolution = unit.size.value / 1'000;
  const std::int64_t size = std::abs(duration.value);
  const std::int64_t thousandths =
      size / resolution + (size % resolution * 2 >= resolution ? 1 : 0);
  return fmt::format("{}{}.{:03}", duration.value < 0 ? "-" : "", thousandths / 1'000,
                     thousandths % 1'000);
}

std::vector<std::string> percentages(std::span<const Duration> parts) {
  const Duration whole = std::accumulate(parts.begin(), parts.end(), Duration{});
  if (whole == Duration{}) return std::vector<std::string>(parts.size(), "-");
  std::vector<std::int64_t> tenths;
  std::vector<double> remainders;
  for (const Duration part : parts) {
    const double exact = quotient(part, whole) * 1'000;
    tenths.push_back(static_cast<std::int64_t>(exact));
    remainders.push_back(exact - std::floor(exact));
  }
  for (auto missing = 1'000 - std::accumulate(tenths.begin(), tenths.end(), std::int64_t{0});
       missing > 0; --missing) {
    const auto largest = std::max_element(remainders.begin(), remainders.end());
    ++tenths[static_cast<std::size_t>(largest - remainders.begin())];
    *largest = -1;
  }
  std::vector<std::string> texts;
  for (const std::int64_t share : tenths) texts.push_back(tenths_of_percent(share));
  return texts;
}

std::string percentage(Duration part, Duration whole) {
  if (whole == Duration{}) return "-";
  return tenths_of_percent(std::llround(quotient(part, whole) * 1'000));
}

std::string ratio(Duration part, Duration whole) {
  if (whole == Duration{}) return "-";
  return fmt::format("{:.3f}", quotient(part, whole));
}

std::string short_number(double number) {
  for (const char* suffix : {"", " k", " M"}) {
    if (number < 10'000)
      return number < 100 ? fmt::format("{:.2f}{}", number, suffix)
                          : fmt::format("{:.0f}{}", number, suffix);
    number /= 1'000;
  }
  return fmt::format("{:.0f} G", number);
}

}  // namespace orrery
