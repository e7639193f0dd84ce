// What the stages of a pipeline do in the first iteration: a lane for each stage.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/lanes.h"
#include "report/html/sections.h"

namespace orrery {

namespace {

constexpr std::size_t most_marks = 4000;

// What a stage does with its micro-batches; the optimizer is not one of the steps.
struct StageTime {
  std::int64_t stage = 0, steps = 0;
  Duration first = {}, last = {};  // when the first step begins, and the last one ends
  Duration in_steps = {}, waiting = {};
};

std::string name_of_step(const ResultJson& row) {
  std::string name = text_of(row, "step");
  std::ranges::replace(name, '_', ' ');
  return name == "together" ? "forward and backward" : name;
}

Paint paint_of_step(const std::string& name) {
  if (name == "input gradient") return paint_of_part("backward");
  if (name == "weight gradient") return {palette::pipeline, 1};
  if (name == "forward and backward") return {palette::pipeline, 0};
  return paint_of_part(name);
}

// "backward of micro-batch 3, chunk 1: 12.1 ms from 80 ms, 2.1 ms of them waiting"
std::string text_of_step(const ResultJson& row) {
  std::string text = name_of_step(row);
  if (row.contains("micro_batch") && !row["micro_batch"].is_null())
    text += fmt::format(" of micro-batch {}, chunk {}", count_of(row, "micro_batch"),
                        count_of(row, "chunk"));
  const Duration begin = duration_of(row, "begin_ps"), end = duration_of(row, "end_ps");
  text += fmt::format(": {} from {}", to_text(end - begin), to_text(begin));
  const Duration waiting = duration_of(row, "exposed_ps");
  return waiting.value == 0 ? text : text + fmt::format(", {} of them waiting", to_text(waiting));
}

// Rows come by stage, then by time.
std::vector<StageTime> stage_times(const ResultJson& rows) {
  std::vector<StageTime> times;
  for (const ResultJson& row : rows) {
    const Duration begin = duration_of(row, "begin_ps"), end = duration_of(row, "end_ps");
    if (times.empty() || times.back().stage != count_of(row, "stage"))
      times.push_back({.stage = count_of(row, "stage"), .first = begin});
    if (text_of(row, "step") == "optimizer") continue;
    StageTime& stage = times.back();
    ++stage.steps;
    stage.last = end;
    stage.in_steps += end - begin;
    stage.waiting += duration_of(row, "exposed_ps");
  }
  return times;
}

Duration end_of(const ResultJson& steps) {
  Duration end;
  for (const ResultJson& row : steps) end = std::max(end, duration_of(row, "end_ps"));
  return end;
}

Figure lanes_figure(const ReportedRun& run, std::size_t index, Duration longest) {
  const ResultJson& rows = rows_of(run.result, "steps");
  const std::vector<StageTime> stages = stage_times(rows);
  const Duration end = end_of(rows);
  const StageTime& waits_most = *std::ranges::min_element(stages, {}, &StageTime::in_steps);
  Figure figure{.caption = caption_of(run)};
  figure.answer = fmt::format(
      "The first iteration takes {}. Stage {} is outside of its passes longest, {}: {} before the "
      "first, {} between them, {} after the last.",
      to_text(end), waits_most.stage, to_text(end - waits_most.in_steps), to_text(waits_most.first),
      to_text(waits_most.last - waits_most.first - waits_most.in_steps),
      to_text(end - waits_most.last));
  LaneChart chart{
      .text = {fmt::format("pipeline-chart-{}", index), "Steps of the stages", figure.answer},
      .quantity = "time of the first iteration",
      .unit = axis_unit(longest),
      .reach = static_cast<double>(longest.value),
      .waiting_name = "of it waiting for exchanges",
      .most_marks = most_marks / run.coarseness};
  for (const StageTime& stage : stages)
    chart.lanes.push_back({fmt::format("stage {}", stage.stage), {}});
  auto lane = chart.lanes.begin();
  std::int64_t of_stage = stages.front().stage;
  for (const ResultJson& row : rows) {
    if (count_of(row, "stage") != of_stage) ++lane;
    of_stage = count_of(row, "stage");
    const std::string name = name_of_step(row);
    lane->marks.push_back({.name = name,
                           .paint = paint_of_step(name),
                           .begin = number_of(row, "begin_ps"),
                           .end = number_of(row, "end_ps"),
                           .waiting = number_of(row, "exposed_ps"),
                           .text = text_of_step(row)});
  }
  figure.picture = drawn(chart);
  figure.table = {{"stage", "passes", "first begins", "last ends", "in passes", "of it waiting"},
                  {},
                  run.has_tables ? "steps.csv" : ""};
  for (const StageTime& stage : stages)
    figure.table.rows.push_back({cell(fmt::format("stage {}", stage.stage)),
                                 cell_of_count(stage.steps), cell(stage.first), cell(stage.last),
                                 cell(stage.in_steps), cell(stage.waiting)});
  figure.note =
      "One rank of each stage is drawn. Where a lane is empty, the stage waits for others. "
      "`orrery run --trace` has every operation.";
  return figure;
}

}  // namespace

Section what_pipeline_does(ReportedRuns runs) {
  Section section{"pipeline", "What does the pipeline do?", {}};
  Duration longest;
  for (const ReportedRun& run : runs)
    longest = std::max(longest, end_of(rows_of(run.result, "steps")));
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!rows_of(runs[i].result, "steps").empty())
      section.figures.push_back(lanes_figure(runs[i], i, longest));
  return section;
}

}  // namespace orrery
