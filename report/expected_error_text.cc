#include "report/expected_error_text.h"

#include <fmt/format.h>

#include <span>

namespace orrery {

namespace {

std::string joined(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string band_text(const ExpectedError& error) {
  const double percent = 100 * error.band;
  return percent < 1 ? fmt::format("+-{:.1f} %", percent) : fmt::format("+-{:.0f} %", percent);
}

std::string expected_error_text(const ExpectedError& error, std::size_t room) {
  const std::string start =
      fmt::format("{} by {} rows of {}", band_text(error), error.rows, joined(error.devices));
  for (std::size_t named = error.sets.size(); named > 0; --named) {
    const char* rest = named < error.sets.size() ? ", ..." : "";
    const std::string text =
        fmt::format("{} ({}{})", start, joined(std::span(error.sets).first(named)), rest);
    if (text.size() <= room) return text;
  }
  return start;
}

}  // namespace orrery
