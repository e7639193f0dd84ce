// Whether the job fits into the memory of an NPU: a bar for each stage, and a line over the first
// iteration.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/bars.h"
#include "report/html/over_time_figure.h"
#include "report/html/sections.h"

namespace orrery {

namespace {

constexpr std::array kinds{"parameters",  "gradients", "optimizer", "buffers",
                           "activations", "loss",      "again"};
constexpr std::size_t most_memory_bars = 64;

std::string name_of_kind(const std::string& kind) {
  if (kind == "loss") return "the loss at the peak";
  return kind == "again" ? "recomputed at the peak" : kind;
}

// Of a stage of a run, or of an NPU.
Bytes largest_memory(ReportedRuns runs) {
  Bytes largest;
  for (const ReportedRun& run : runs) {
    if (rows_of(run.result, "memory").empty()) continue;
    largest = std::max(largest, bytes_of(run.result, "npu_memory"));
    for (const ResultJson& row : rows_of(run.result, "memory"))
      largest = std::max(largest, bytes_of(row, "total"));
  }
  return largest;
}

Figure memory_figure(const ReportedRun& run, std::size_t index, Bytes largest) {
  Figure figure{.caption = caption_of(run)};
  const Bytes limit = bytes_of(run.result, "npu_memory");
  BarChart chart{.text = {fmt::format("memory-chart-{}", index), "Memory of a rank", ""},
                 .quantity = "memory of a rank at its peak",
                 .unit = axis_unit(largest),
                 .limit_name = limit.value > 0 ? "memory of an NPU" : "",
                 .reach = static_cast<double>(largest.value)};
  figure.table.columns = {"stage", "kind", "size"};
  Bytes fullest;
  std::int64_t fullest_stage = 0;
  for (const ResultJson& row : rows_of(run.result, "memory")) {
    const std::string label = fmt::format("stage {}", count_of(row, "stage"));
    Bar bar{.label = label};
    if (limit.value > 0) bar.limit = static_cast<double>(limit.value);
    for (const char* kind : kinds) {
      const Bytes size = bytes_of(row, kind);
      bar.parts.push_back({name_of_kind(kind), static_cast<double>(size.value),
                           paint_of_memory(kind), to_text(size)});
      figure.table.rows.push_back({cell(label), cell(name_of_kind(kind)), cell(size)});
    }
    if (bytes_of(row, "total") > fullest) {
      fullest = bytes_of(row, "total");
      fullest_stage = count_of(row, "stage");
    }
    if (chart.bars.size() < most_memory_bars) chart.bars.push_back(std::move(bar));
  }
  const std::string where = fmt::format("Stage {} of {} needs {}, the most", fullest_stage,
                                        text_of(run.result, "name"), to_text(fullest));
  figure.answer = limit.value == 0 ? where + "; the memory of the NPU is not known."
                  : fullest > limit
                      ? fmt::format("{}: it does not fit into {}.", where, to_text(limit))
                      : fmt::format("{}: it fits into {}.", where, to_text(limit));
  chart.text.description = figure.answer;
  figure.picture = drawn(chart);
  if (limit.value > 0) figure.note = "The mark is the memory of an NPU, less its reserve.";
  return figure;
}

// What a rank has at each time: what is always there, what each pass under way leaves for its
// backward pass (as much as the mean of those at the peak), and what the loss needs or is computed
// again.
class RankMemory {
 public:
  explicit RankMemory(const ResultJson& peak)
      : activations_(bytes_of(peak, "activations")),
        again_(bytes_of(peak, "again") + bytes_of(peak, "loss")),
        fixed_(bytes_of(peak, "total") - activations_ - again_),
        at_peak_(count_of(peak, "in_flight")),
        line_{.name = fmt::format("stage {}", count_of(peak, "stage")),
              .values = {{Duration{}, static_cast<double>(fixed_.value)}},
              .is_step = true} {}

  // REQUIRES: steps come by the time at which they begin.
  void add(const ResultJson& step) {
    const std::string kind = text_of(step, "step");
    const bool is_together = kind == "together";  // a forward and a backward pass
    if (kind == "forward" || is_together) ++in_flight_;
    const bool goes_back = kind != "forward" && kind != "weight_gradient";
    note(duration_of(step, "begin_ps"), goes_back ? again_ : Bytes{});
    if (kind == "backward" || kind == "weight_gradient" || is_together) --in_flight_;
    note(duration_of(step, "end_ps"), Bytes{});
  }

  const TimeLine& line() const { return line_; }

 private:
  void note(Duration time, Bytes again) {
    const double of_passes = static_cast<double>(activations_.value) *
                             static_cast<double>(in_flight_) / static_cast<double>(at_peak_);
    line_.values.push_back({time, static_cast<double>(fixed_.value + again.value) + of_passes});
  }

  Bytes activations_, again_, fixed_;
  std::int64_t at_peak_, in_flight_ = 0;
  TimeLine line_;
};

// Of each stage whose steps the result has.
std::vector<TimeLine> memory_lines(const ResultJson& result) {
  std::vector<TimeLine> lines;
  for (const ResultJson& row : rows_of(result, "memory")) {
    RankMemory memory(row);
    for (const ResultJson& step : rows_of(result, "steps")) {
      const bool is_pass = text_of(step, "step") != "optimizer";
      if (is_pass && count_of(step, "stage") == count_of(row, "stage")) memory.add(step);
    }
    if (memory.line().values.size() > 1 && count_of(row, "in_flight") > 0)
      lines.push_back(memory.line());
  }
  return lines;
}

Figure memory_over_time(const ReportedRun& run, std::size_t index, std::vector<TimeLine> lines) {
  std::vector<TimeLine> limits;
  const Bytes limit = bytes_of(run.result, "npu_memory");
  if (limit.value > 0) {
    Duration end;
    for (const TimeLine& line : lines) end = std::max(end, line.values.back().time);
    const auto size = static_cast<double>(limit.value);
    limits.push_back({"memory of an NPU", {{Duration{}, size}, {end, size}}});
  }
  return over_time_figure(
      run, index,
      bytes_over_time({"memory-time-chart", "memory over the first iteration", "memory of a rank",
                       "stage", "Each pass under way counts as much as the others of its stage."},
                      std::move(lines), std::move(limits)));
}

}  // namespace

Section whether_it_fits(ReportedRuns runs) {
  Section section{"memory", "Does it fit?", {}};
  const Bytes largest = largest_memory(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (rows_of(runs[i].result, "memory").empty()) continue;
    section.figures.push_back(memory_figure(runs[i], i, largest));
    if (std::vector<TimeLine> lines = memory_lines(runs[i].result); !lines.empty())
      section.figures.push_back(memory_over_time(runs[i], i, std::move(lines)));
  }
  return section;
}

}  // namespace orrery
