#include "frontends/cli/kineto_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/quoted.h"
#include "core/units/unit_text.h"
#include "report/text_table.h"

namespace orrery::cli {

namespace {

using kineto::Profile;
using kineto::Times;

// Count, sum and quantiles, as cells.
std::vector<std::string> row_of(std::string name, const Times& times) {
  std::vector<std::string> cells = {std::move(name), std::to_string(times.each.size()),
                                    to_text(times.sum)};
  for (const double share : {0.0, 0.5, 0.9, 0.99, 1.0})
    cells.push_back(to_text(times.quantile(share)));
  return cells;
}

TextTable table_of(const char* what) {
  return TextTable({{what, left_aligned},
                    {"number"},
                    {"sum"},
                    {"least"},
                    {"half"},
                    {"90 %"},
                    {"99 %"},
                    {"most"}});
}

std::string activity_text(const kineto::Activity& activity) {
  TextTable table({{"", left_aligned}, {""}, {""}});
  const auto row = [&](const char* name, Duration time) {
    const double span = static_cast<double>(std::max<std::int64_t>(activity.span.value, 1));
    table.add_row({name, to_text(time),
                   fmt::format("{:.1f} %", 100 * static_cast<double>(time.value) / span)});
  };
  row("device", activity.span);
  row("compute", activity.compute);
  row("exposed", activity.exposed);
  row("memory", activity.memory);
  row("idle", activity.idle);
  return table.text();
}

std::string kernels_text(const Profile& profile, std::int32_t top) {
  std::vector<const std::pair<const std::string, Times>*> longest;
  for (const auto& kernel : profile.by_name) longest.push_back(&kernel);
  std::ranges::stable_sort(longest, std::ranges::greater{},
                           [](const auto* kernel) { return kernel->second.sum; });
  TextTable table = table_of("kernel");
  const std::size_t shown =
      top == 0 ? longest.size() : std::min(longest.size(), static_cast<std::size_t>(top));
  for (std::size_t i = 0; i < shown; ++i)
    table.add_row(row_of(printable(longest[i]->first, 60), longest[i]->second));
  std::string text = table.text();
  if (shown < longest.size())
    text += fmt::format("and {} kernels more: --top 0 shows all\n", longest.size() - shown);
  return text;
}

std::string collectives_text(const Profile& profile) {
  if (profile.collectives.empty()) return "";
  TextTable table = table_of("collective");
  for (const auto& [key, times] : profile.collectives)
    table.add_row(
        row_of(fmt::format("{} of {} ranks, {} B", key.name, key.ranks, key.size.value), times));
  return '\n' + table.text();
}

}  // namespace

std::string text_of(const Profile& profile, std::int32_t top) {
  return activity_text(profile.activity) + '\n' + kernels_text(profile, top) +
         collectives_text(profile);
}

}  // namespace orrery::cli
