#include "report/why_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/row_table.h"
#include "simulation/critical_stage.h"

namespace orrery {

namespace {

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// "bandwidth (99.9 % of it)": how much of the wait the one bound explains.
std::string bound_text(const TimePart& part) {
  const Duration explained = part.bound_by == BoundBy::bandwidth ? part.bandwidth
                             : part.bound_by == BoundBy::latency ? part.latency
                                                                 : Duration{};
  std::string text(name_of(part.bound_by));
  if (explained > Duration{})
    text += fmt::format(" ({} of it)", percent(static_cast<double>(explained.value) /
                                               static_cast<double>(part.time.value)));
  if (!part.held_by.empty()) text += " on " + part.held_by;
  return text;
}

std::string taken(const TimePart& part) {
  std::string text = fmt::format("{}, {}", name_of(part), percent(part.share));
  if (part.bound_by != BoundBy::nothing) text += ", bound by " + bound_text(part);
  return text;
}

bool is_waiting(const TimePart& part) {
  switch (part.bound_by) {
    case BoundBy::compute_rate:
    case BoundBy::memory_bandwidth:
    case BoundBy::launches:
    case BoundBy::nothing:
      return false;
    default:
      return true;
  }
}

// Of what could be changed, as much as there is room for; the first always.
std::string without_alternatives(std::string text, std::size_t room) {
  while (text.size() > room) {
    const std::size_t other = text.rfind(", or "), more = text.rfind("; ");
    const std::size_t last = other == std::string::npos  ? more
                             : more == std::string::npos ? other
                                                         : std::max(other, more);
    if (last == std::string::npos) break;
    text.erase(last);
  }
  return text;
}

}  // namespace

std::string name_of(const TimePart& part) {
  return part.level.empty() ? part.part : fmt::format("{} on {}", part.part, part.level);
}

std::string why_sentence(const RunResult& result, std::size_t room) {
  if (result.why.empty()) return "";
  const TimePart& most = result.why.front();
  std::string text = taken(most);
  if (!most.knob.empty()) text += ": " + most.knob;
  text = without_alternatives(text, room);
  // What holds up the largest part may be its own bound. What holds up the next one may not.
  if (is_waiting(most) && most.rest.value > most.time.value / 100) return text;
  const auto next = std::ranges::find_if(
      result.why, [&](const TimePart& part) { return &part != &most && is_waiting(part); });
  if (next == result.why.end() || next->share < 0.01) return text;
  // Where there is no room for both, what holds up the next one is worth more than the first's
  // knob.
  const std::string named = fmt::format("{}, {}", name_of(most), percent(most.share));
  for (const std::string& first : {text, taken(most), named}) {
    std::string with_next = fmt::format("{}; next {}", first, taken(*next));
    if (with_next.size() <= room) return with_next;
  }
  return text;
}

std::string why_table(const RunResult& result) {
  constexpr double least = 0.001;
  std::vector<TimePart> shown;
  std::ranges::copy_if(result.why, std::back_inserter(shown),
                       [](const TimePart& part) { return part.share >= least; });
  const TextTable table = table_of(shown);
  if (table.empty()) return "";
  std::string text = '\n' + table.text();
  if (const StageRow* stage = critical_stage(result);
      stage != nullptr && stage->rank != result.training->last_stage().rank)
    text += fmt::format("(rank {}, stage {}, which waits least for the others)\n", stage->rank,
                        stage->stage);
  return text;
}

}  // namespace orrery
