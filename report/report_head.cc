#include "report/report_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/units/unit_text.h"
#include "report/expected_error_text.h"
#include "report/numbers.h"
#include "report/training_report.h"
#include "report/why_text.h"
#include "report/wrapped_text.h"

namespace orrery {

namespace {

constexpr std::size_t name_width = 11;
constexpr const char* rest_name = "rest";

std::string memory(const RunResult& result) {
  if (result.memory.empty()) return "";
  const MemoryRow& most = *std::ranges::max_element(result.memory, {}, &MemoryRow::total);
  const std::string room = result.npu_memory ? " of " + to_text(*result.npu_memory) : "";
  return fmt::format(", memory {}{}", to_text(most.total), room);
}

HeadLine iteration(const RunResult& result, std::size_t room) {
  constexpr const char* unknown_error = " (error unknown)";
  const std::optional<Duration> time = iteration_time(result);
  std::string text = time ? to_text(*time) : result.partial ? "not finished" : "-";
  if (time && result.jobs.size() > 1)
    text += fmt::format(", until the last job, {}, ends",
                        std::ranges::max_element(result.jobs, {}, &JobRow::finish)->name);
  if (time && result.expected_error) text += ' ' + band_text(*result.expected_error);
  if (time && result.training && result.efficiency.of_another_device) text += unknown_error;
  if (time && result.samples)
    text += fmt::format(", {} samples/s", short_number(static_cast<double>(*result.samples) * 1e12 /
                                                       static_cast<double>(time->value)));
  if (const std::string rate = tokens_per_second_text(result); !rate.empty())
    text += fmt::format(", {} tokens/s a NPU", rate);
  if (const std::string utilisation = model_utilisation_text(result); !utilisation.empty())
    text += fmt::format(", MFU {}", utilisation);
  if (const std::string dropped = dropped_copies_text(result); !dropped.empty())
    text += fmt::format(" ({} of copies dropped)", dropped);
  if (const std::string causal = causal_utilisation_text(result); !causal.empty())
    text += fmt::format(" (causal {})", causal);
  text += memory(result);
  if (const std::size_t at = text.find(unknown_error);
      at != std::string::npos && text.size() > room)
    text.replace(at, std::string_view(unknown_error).size(), " +-?");
  return {"iteration", text};
}

struct Slice {
  std::string name;
  double share = 0;
};

// As short as a bar has room for.
std::string short_name(const TimePart& part) {
  const std::string_view kind = kind_of(part);
  return std::string(kind == "memory-bound kernels" ? "memory-bound" : kind);
}

// The largest parts by name, and what is left of the time.
std::vector<Slice> slices(const RunResult& result, std::size_t most_named) {
  std::vector<Slice> all;
  for (const TimePart& part : result.why) {
    const std::string name = short_name(part);
    const auto known = std::ranges::find(all, name, &Slice::name);
    (known == all.end() ? all.emplace_back(Slice{name}) : *known).share += part.share;
  }
  constexpr double least = 0.0005;  // of those that show as 0.0 %
  std::erase_if(all, [](const Slice& slice) { return slice.share < least; });
  std::ranges::stable_sort(all, std::ranges::greater{}, &Slice::share);
  if (all.size() <= most_named) return all;
  Slice rest{rest_name};
  for (std::size_t i = most_named; i < all.size(); ++i) rest.share += all[i].share;
  all.resize(most_named);
  all.push_back(rest);
  return all;
}

// "[######====+...]  # compute 41.0 %  = TP 30.1 %": cells are rounded where slices end.
std::string bar(const std::vector<Slice>& slices, double cells) {
  constexpr std::string_view signs = "#=+";
  std::string drawn, legend;
  double end = 0;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    end += slices[i].share;
    const auto until = static_cast<std::size_t>(std::lround(std::min(end, 1.0) * cells));
    const char sign = slices[i].name == rest_name ? '.' : signs[i];
    drawn.append(until - std::min(until, drawn.size()), sign);
    legend += fmt::format("  {} {} {:.1f} %", sign, slices[i].name, 100 * slices[i].share);
  }
  return fmt::format("[{}]{}", drawn, legend);
}

// With as many names as a line has room for, then as long as it has.
std::string bar(const RunResult& result, std::size_t room) {
  std::string text;
  for (std::size_t named = 3; named > 0; --named)
    for (const double cells : {24.0, 16.0, 12.0}) {
      text = bar(slices(result, named), cells);
      if (text.size() <= room) return text;
    }
  return text;
}

}  // namespace

std::vector<HeadLine> head_lines(const RunResult& result, std::size_t width,
                                 std::size_t lines_of_why) {
  const std::size_t room = width - name_width;
  std::vector<HeadLine> lines{iteration(result, room)};
  if (result.why.empty()) return lines;
  lines.push_back({"time", bar(result, room)});
  constexpr std::size_t loss_at_break = 10;
  lines.push_back(
      {"why",
       why_sentence(result, lines_of_why == 1 ? room : lines_of_why * (room - loss_at_break))});
  return lines;
}

std::string head_text(const RunResult& result, std::size_t width, std::size_t lines_above) {
  constexpr std::size_t others = 2, most_of_why = 2;
  const std::size_t used = std::min(lines_above + others, most_head_lines - 1);
  std::string text;
  for (const HeadLine& line :
       head_lines(result, width, std::min(most_of_why, most_head_lines - used)))
    text +=
        wrapped_lines(fmt::format("{:<{}}{}", line.name, name_width, line.text), width, name_width);
  return text;
}

}  // namespace orrery
