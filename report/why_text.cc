#include "report/why_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/row_table.h"
#include "simulation/binding_part.h"
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

std::string bound_after(std::string text, const TimePart& part) {
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

double share_of_kind(const std::vector<TimePart>& parts, const TimePart& of) {
  double share = 0;
  for (const TimePart& part : parts)
    if (kind_of(part) == kind_of(of)) share += part.share;
  return share;
}

// The largest part of the kind that takes most of the time, as the bar has it.
const TimePart& largest(const std::vector<TimePart>& parts) {
  const TimePart* most = &parts.front();
  double share = share_of_kind(parts, *most);
  for (const TimePart& part : parts)
    if (const double other = share_of_kind(parts, part); other > share) {
      most = &part;
      share = other;
    }
  return *most;
}

// "EP, 47.3 % (29.8 points of it on fabric)": of a kind that is more than its largest part.
std::string name_and_share(const RunResult& result, const TimePart& part) {
  if (&part == &result.why.front() || &part != &largest(result.why))
    return fmt::format("{}, {}", name_of(part), percent(part.share));
  return fmt::format("{}, {} ({:.1f} points of it{})", kind_of(part),
                     percent(share_of_kind(result.why, part)), 100 * part.share,
                     part.level.empty() ? "" : " on " + part.level);
}

// The part of the level that carries beside this one, for about as long. Which of both a time is
// counted for says nothing: one alone gains little. Null if there is none.
const TimePart* works_beside(const RunResult& result, const TimePart& part) {
  if (!is_waiting(part) || part.beside.empty()) return nullptr;
  const auto other = std::ranges::find_if(result.why, [&](const TimePart& one) {
    return one.part == part.part && one.level == part.beside && one.bound_by == part.bound_by;
  });
  return other == result.why.end() ? nullptr : &*other;
}

TimePart both(TimePart part, const TimePart& other) {
  part.level += " and " + other.level;
  part.time += other.time;
  part.share += other.share;
  part.bandwidth += other.bandwidth;
  part.latency += other.latency;
  part.rest += other.rest;
  return part;
}

// Of a part that goes on while ranks compute, too: what is waited for is not all of it.
std::string binding_sentence(const RunResult& result, const TimePart& part) {
  const double carried =
      static_cast<double>(result.bound.value) / static_cast<double>(result.finish.value);
  return fmt::format(
      "{}, {}, bound by bandwidth ({} carries for {} of the time, beside computing){}{}",
      name_of(part), percent(part.share), result.bound_by, percent(carried),
      part.knob.empty() ? "" : ": ", part.knob);
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

std::string_view kind_of(const TimePart& part) {
  std::string_view kind = part.part;
  for (const std::string_view pass : {" forward", " backward", " update"})
    if (kind.ends_with(pass)) kind.remove_suffix(pass.size());
  return kind;
}

std::string why_sentence(const RunResult& result, std::size_t room) {
  if (result.why.empty()) return "";
  if (const TimePart* binding = binding_part(result); binding == &result.why.front())
    return without_alternatives(binding_sentence(result, *binding), room);
  const TimePart& longest = largest(result.why);
  const TimePart* beside = works_beside(result, longest);
  const TimePart most = beside == nullptr ? longest : both(longest, *beside);
  const std::string named = beside == nullptr
                                ? name_and_share(result, longest)
                                : fmt::format("{}, {}", name_of(most), percent(most.share));
  const std::string bound = bound_after(named, most);
  std::string text = bound;
  if (!most.knob.empty()) text += ": " + most.knob;
  text = without_alternatives(text, room);
  if (!is_waiting(most) && !most.beside.empty()) return text;
  // What holds up the largest part may be its own bound. What holds up the next one may not.
  if (is_waiting(most) && most.rest.value > most.time.value / 100) return text;
  const auto next = std::ranges::find_if(result.why, [&](const TimePart& part) {
    return &part != &longest && &part != beside && is_waiting(part);
  });
  if (next == result.why.end() || next->share < 0.01) return text;
  // Where there is no room for both, what holds up the next one is worth more than the first's
  // knob, or than that computing is bound by its rate.
  const std::string next_named = name_and_share(result, *next);
  const std::string other = bound_after(next_named, *next);
  const std::string setting = text.substr(0, text.find(", or ", bound.size()));
  const bool is_setting = most.knob.starts_with("training.");
  if (is_waiting(most)) {
    // A setting costs nothing, so it stays where bandwidth need not be named.
    for (const std::string& second : {other, next_named})
      for (const std::string& first : {text, is_setting ? setting : bound}) {
        std::string with_next = fmt::format("{}; next {}", first, second);
        if (with_next.size() <= room) return with_next;
      }
    return text;
  }
  std::string with_next;
  const auto fits = [&](const std::string& first, const std::string& second) {
    with_next = fmt::format("{}; next {}", first, second);
    return with_next.size() <= room;
  };
  if (fits(text, other)) return with_next;
  if (is_setting) return fits(setting, other) || fits(setting, next_named) ? with_next : text;
  return fits(bound, other) || fits(named, other) ? with_next : text;
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
