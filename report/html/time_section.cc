// Where an iteration's time goes: bars of systems, and of the stages of a pipeline.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/bars.h"
#include "report/html/sections.h"
#include "simulation/time_part.h"

namespace orrery {

namespace {

using Parts = std::vector<std::pair<std::string, Duration>>;

// They add up to the finish of the rank that finishes last.
Parts parts_of(const ResultJson& run) {
  Parts parts{{"compute", duration_of(run, "compute_ps")}};
  for (const auto& [kind, time] : rows_of(run, "exposed_by").items())
    parts.emplace_back(kind, Duration{time.get<std::int64_t>()});
  parts.emplace_back("idle", duration_of(run, "idle_ps"));
  Duration rest = duration_of(run, "finish_ps");
  for (const auto& part : parts) rest.value -= part.second.value;
  if (rest.value > 0) parts.emplace_back("other lanes", rest);
  return parts;
}

// Of parts that are waited for.
std::pair<std::string, Duration> longest_wait(const Parts& parts) {
  std::pair<std::string, Duration> longest;
  for (std::size_t i = 1; i < parts.size(); ++i)
    if (parts[i].first != "idle" && parts[i].second.value > longest.second.value)
      longest = parts[i];
  return longest;
}

// "Hier takes 19.7 ms an iteration (the mean of 2): 14.9 % of that is computed, 83.1 % (16.4 ms)
// goes to all_reduce." All times are of an iteration.
std::string answer_of(const ResultJson& run) {
  const Parts parts = parts_of(run);
  const Duration finish = duration_of(run, "finish_ps");
  const bool is_partial = run.value("partial", false);
  const std::int64_t iterations =
      is_partial ? 1 : std::max<std::int64_t>(1, count_of(run, "iterations"));
  const auto [kind, wait] = longest_wait(parts);
  std::string answer = text_of(run, "name");
  if (is_partial)
    answer += fmt::format(" did not come to its end: {} were simulated", to_text(finish));
  else
    answer += fmt::format(" takes {} an iteration", to_text(duration_of(run, "iteration_ps")));
  if (iterations > 1) answer += fmt::format(" (the mean of {})", iterations);
  answer += fmt::format(": {} of that is computed", share_of(parts.front().second, finish));
  if (wait.value > 0)
    answer += fmt::format(", {} ({}) goes to {}", share_of(wait, finish),
                          to_text(Duration{wait.value / iterations}), kind);
  return answer + '.';
}

bool is_computed(const ResultJson& part) {
  const std::string bound = text_of(part, "bound_by");
  return bound == name_of(BoundBy::compute_rate) || bound == name_of(BoundBy::memory_bandwidth) ||
         bound == name_of(BoundBy::launches);
}

// What it is bound by, and what to change: of the longest part that is waited for.
std::string advice_of(const ResultJson& run) {
  for (const ResultJson& part : rows_of(run, "why")) {
    const std::string name = text_of(part, "part"), level = text_of(part, "level");
    if (name == "compute" || is_computed(part) || text_of(part, "knob").empty()) continue;
    return fmt::format(" The largest part of the waiting, {}{}, is bound by {}; what helps: {}.",
                       name, level.empty() ? "" : " on " + level, text_of(part, "bound_by"),
                       text_of(part, "knob"));
  }
  return "";
}

Bar bar_of(const std::string& label, const Parts& parts, std::optional<double> limit) {
  Bar bar{.label = label, .parts = {}, .limit = limit};
  for (const auto& [name, time] : parts)
    bar.parts.push_back(
        {name, static_cast<double>(time.value), paint_of_part(name), to_text(time)});
  return bar;
}

// A row for each bar and part.
void add_rows(FigureTable& table, const std::string& label, const Parts& parts, Duration whole) {
  for (const auto& [name, time] : parts) {
    const double share =
        whole.value == 0 ? 0 : static_cast<double>(time.value) / static_cast<double>(whole.value);
    table.rows.push_back({cell(label), cell(name), cell(time), cell_of_share(share)});
  }
}

Figure systems_figure(ReportedRuns runs) {
  Figure figure;
  BarChart chart{.text = {"time-chart", "Time by part", ""},
                 .quantity = "simulated time, all iterations",
                 .limit_name = "lower bound"};
  figure.table = {{"system", "part", "time", "share"}, {}, runs[0].has_tables ? "exposed.csv" : ""};
  Duration longest;
  for (const ReportedRun& run : runs) {
    const Duration finish = duration_of(run.result, "finish_ps");
    const Parts parts = parts_of(run.result);
    longest = std::max(longest, finish);
    chart.bars.push_back(bar_of(text_of(run.result, "name"), parts,
                                static_cast<double>(duration_of(run.result, "bound_ps").value)));
    add_rows(figure.table, text_of(run.result, "name"), parts, finish);
    figure.answer += (figure.answer.empty() ? "" : " ") + answer_of(run.result);
    if (runs.size() == 1) figure.answer += advice_of(run.result);
  }
  chart.unit = axis_unit(longest);
  chart.text.description = figure.answer;
  figure.picture = drawn(chart);
  figure.note =
      "Each bar is the rank that finishes last. No run that computes and sends the same "
      "can be faster than the lower bound.";
  return figure;
}

constexpr std::size_t most_stages = 64;

// None without a pipeline.
const ResultJson& stages_of(const ReportedRun& run) {
  static const ResultJson none = ResultJson::array();
  const ResultJson& training = rows_of(run.result, "training");
  if (!training.is_object()) return none;
  const ResultJson& stages = rows_of(training, "stages");
  return stages.size() < 2 ? none : stages;
}

Duration longest_stage(ReportedRuns runs) {
  Duration longest;
  for (const ReportedRun& run : runs)
    for (const ResultJson& stage : stages_of(run))
      longest = std::max(longest, duration_of(stage, "finish_ps"));
  return longest;
}

Figure stages_figure(const ReportedRun& run, std::size_t index, Duration longest) {
  const ResultJson& stages = stages_of(run);
  Figure figure;
  figure.caption = fmt::format("{}: the stages of the pipeline", text_of(run.result, "name"));
  BarChart chart{.text = {fmt::format("stages-chart-{}", index), figure.caption, ""},
                 .quantity = "simulated time",
                 .unit = axis_unit(longest),
                 .reach = static_cast<double>(longest.value)};
  figure.table = {{"stage", "part", "time", "share"}, {}, run.has_tables ? "stages.csv" : ""};
  Duration least_bubble{INT64_MAX}, most_bubble;
  std::int64_t least_stage = 0, most_stage = 0;
  for (const ResultJson& stage : stages) {
    Parts parts;
    for (const auto& [name, time] : stage.at("parts_ps").items())
      parts.emplace_back(name, Duration{time.get<std::int64_t>()});
    const Duration finish = duration_of(stage, "finish_ps"),
                   bubble = duration_of(stage.at("parts_ps"), "bubble");
    if (bubble < least_bubble) least_stage = count_of(stage, "stage");
    if (bubble > most_bubble) most_stage = count_of(stage, "stage");
    least_bubble = std::min(least_bubble, bubble);
    most_bubble = std::max(most_bubble, bubble);
    const std::string label = fmt::format("stage {}", count_of(stage, "stage"));
    if (chart.bars.size() < most_stages) chart.bars.push_back(bar_of(label, parts, std::nullopt));
    add_rows(figure.table, label, parts, finish);
  }
  figure.answer = fmt::format(
      "Stage {} waits longest for the other stages, {} (bubble); stage {} waits least, {}.",
      most_stage, to_text(most_bubble), least_stage, to_text(least_bubble));
  if (stages.size() > most_stages)
    figure.note = fmt::format("The first {} of {} stages are drawn; the table has all.",
                              most_stages, stages.size());
  chart.text.description = figure.answer;
  figure.picture = drawn(chart);
  return figure;
}

}  // namespace

Section where_time_goes(ReportedRuns runs) {
  Section section{"time", "Where does an iteration's time go?", {systems_figure(runs)}};
  const Duration longest = longest_stage(runs);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!stages_of(runs[i]).empty()) section.figures.push_back(stages_figure(runs[i], i, longest));
  return section;
}

}  // namespace orrery
