// Whether the job fits into the memory of an NPU: a bar for each stage.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/bars.h"
#include "report/html/sections.h"

namespace orrery {

namespace {

constexpr std::array kinds{"parameters", "gradients",   "optimizer",
                           "buffers",    "activations", "again"};
constexpr std::size_t most_memory_bars = 64;

std::string name_of_kind(const std::string& kind) {
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
                 .limit_name = limit.value > 0 ? "memory of an NPU, less its reserve" : "",
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
  return figure;
}

}  // namespace

Section whether_it_fits(ReportedRuns runs) {
  Section section{"memory", "Does it fit?", {}};
  const Bytes largest = largest_memory(runs);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!rows_of(runs[i].result, "memory").empty())
      section.figures.push_back(memory_figure(runs[i], i, largest));
  return section;
}

}  // namespace orrery
