// Where packets wait, and where they are lost: queues and kinds of traffic in all; queues, switches
// and connections over time, of those that the experiment names.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/bars.h"
#include "report/html/over_time_figure.h"
#include "report/html/sections.h"
#include "report/numbers.h"

namespace orrery {

namespace {

constexpr std::size_t most_queues_shown = 20;

// What a queue of packets did, by the worst of it.
struct QueueLook {
  const char* name;
  Paint paint;
};

QueueLook look_of(const ResultJson& queue) {
  if (count_of(queue, "drops") > 0) return {"loses packets", {palette::ink, 1}};
  if (count_of(queue, "marks") > 0) return {"marks packets", {palette::idle, 2}};
  return {"neither", {palette::idle, 0}};
}

std::string counted(std::int64_t count, const char* of) {
  return fmt::format("{} {}{}", count, of, count == 1 ? "" : "s");
}

std::string answer_of_queues(const ReportedRun& run, const ResultJson& queues) {
  const ResultJson& packets = run.result["packets"];
  const auto longest = std::ranges::max_element(
      queues, {}, [](const ResultJson& queue) { return bytes_of(queue, "most_waiting"); });
  const auto worst = std::ranges::max_element(
      queues, {}, [](const ResultJson& queue) { return count_of(queue, "drops"); });
  const std::int64_t drops = count_of(packets, "drops");
  const double all = number_of(packets, "packets");
  std::string answer = text_of(run.result, "name");
  if (drops == 0)
    answer += fmt::format(" loses none of {} packets and marks {}.", short_number(all),
                          count_of(packets, "marks"));
  else
    answer += fmt::format(" loses {} of {} packets ({:.2g} %), {} of them before {}.", drops,
                          short_number(all), 100 * static_cast<double>(drops) / all,
                          count_of(*worst, "drops"), text_of(*worst, "name"));
  return answer + fmt::format(" At most {} wait at a time, before {}.",
                              to_text(bytes_of(*longest, "most_waiting")),
                              text_of(*longest, "name"));
}

Figure queues_figure(const ReportedRun& run, std::size_t index) {
  const ResultJson& queues = rows_of(run.result["packets"], "queues");
  Figure figure{.caption = caption_of(run), .answer = answer_of_queues(run, queues)};
  BarChart chart{.text = {fmt::format("queues-chart-{}", index), "Queues", figure.answer},
                 .quantity = "most bytes that waited before the link at a time"};
  figure.table = {{"link", "most waiting", "packets", "lost", "marked"},
                  {},
                  "",
                  {"", "packets.queues.*.most_waiting", "packets.queues.*.packets",
                   "packets.queues.*.drops", "packets.queues.*.marks"}};
  Bytes most;
  for (const ResultJson& queue : queues) {
    const Bytes waiting = bytes_of(queue, "most_waiting");
    const std::string name = text_of(queue, "name");
    const QueueLook look = look_of(queue);
    most = std::max(most, waiting);
    if (chart.bars.size() < most_queues_shown)
      chart.bars.push_back(
          {.label = name,
           .parts = {{look.name, static_cast<double>(waiting.value), look.paint,
                      fmt::format("{}, {} lost, {} marked", to_text(waiting),
                                  count_of(queue, "drops"), count_of(queue, "marks"))}}});
    figure.table.rows.push_back(
        {cell(name), cell(waiting), cell_of_count(count_of(queue, "packets")),
         cell_of_count(count_of(queue, "drops")), cell_of_count(count_of(queue, "marks"))});
  }
  chart.unit = axis_unit(most);
  figure.picture = drawn(chart);
  figure.note = "Queues that lose most come first. All are in the result with --all-links.";
  return figure;
}

Figure waits_figure(const ReportedRun& run, std::size_t index) {
  const ResultJson& kinds = rows_of(run.result["packets"], "waits");
  const auto in_all = [](const ResultJson& kind) {
    return duration_of(kind, "at_source_ps") + duration_of(kind, "in_switches_ps");
  };
  const ResultJson& slowest = *std::ranges::max_element(kinds, {}, in_all);
  Figure figure{.caption = caption_of(run)};
  figure.answer = fmt::format(
      "Packets of {} wait longest: {} at their source and {} in switches, on average; {} is the "
      "longest wait in one queue.",
      text_of(slowest, "collective"), to_text(duration_of(slowest, "at_source_ps")),
      to_text(duration_of(slowest, "in_switches_ps")), to_text(duration_of(slowest, "longest_ps")));
  BarChart chart{.text = {fmt::format("waits-chart-{}", index), "Waits of packets", figure.answer},
                 .quantity = "mean wait of a packet",
                 .unit = axis_unit(in_all(slowest))};
  figure.table = {{"kind of traffic", "packets", "at source", "in switches", "longest"},
                  {},
                  "",
                  {"", "packets.waits.*.packets", "packets.waits.*.at_source_ps",
                   "packets.waits.*.in_switches_ps", "packets.waits.*.longest_ps"}};
  for (const ResultJson& kind : kinds) {
    const Duration source = duration_of(kind, "at_source_ps");
    const Duration switches = duration_of(kind, "in_switches_ps");
    const std::string name = text_of(kind, "collective");
    chart.bars.push_back({.label = name,
                          .parts = {{"at its source",
                                     static_cast<double>(source.value),
                                     {palette::idle, 0},
                                     to_text(source)},
                                    {"in switches",
                                     static_cast<double>(switches.value),
                                     {palette::idle, 1},
                                     to_text(switches)}}});
    figure.table.rows.push_back({cell(name), cell_of_count(count_of(kind, "packets")), cell(source),
                                 cell(switches), cell(duration_of(kind, "longest_ps"))});
  }
  figure.picture = drawn(chart);
  return figure;
}

Figure pauses_figure(const ReportedRun& run, std::size_t index) {
  const ResultJson& pauses = rows_of(run.result["packets"], "pauses");
  const ResultJson& longest = pauses.front();
  Figure figure{.caption = caption_of(run)};
  figure.answer = fmt::format("{} is paused longest: {} in {}, as {} told it.",
                              text_of(longest, "name"), to_text(duration_of(longest, "time_ps")),
                              counted(count_of(longest, "count"), "pause"), text_of(longest, "by"));
  BarChart chart{.text = {fmt::format("pauses-chart-{}", index), "Paused links", figure.answer},
                 .quantity = "time that a class of a link was paused (PFC)",
                 .unit = axis_unit(duration_of(longest, "time_ps")),
                 .named_parts = false};
  figure.table = {
      {"link", "told by", "class", "pauses", "time"},
      {},
      "",
      {"", "", "packets.pauses.*.priority", "packets.pauses.*.count", "packets.pauses.*.time_ps"}};
  for (const ResultJson& pause : pauses) {
    const Duration time = duration_of(pause, "time_ps");
    const std::string priority = fmt::format("class {}", count_of(pause, "priority"));
    if (chart.bars.size() < most_queues_shown)
      chart.bars.push_back(
          {.label = text_of(pause, "name"),
           .parts = {
               {priority, static_cast<double>(time.value), {palette::idle, 1}, to_text(time)}}});
    figure.table.rows.push_back({cell(text_of(pause, "name")), cell(text_of(pause, "by")),
                                 cell_of_count(count_of(pause, "priority")),
                                 cell_of_count(count_of(pause, "count")), cell(time)});
  }
  figure.picture = drawn(chart);
  return figure;
}

// Of the intervals that have some.
std::vector<CountedAt> events_of(const ResultJson& counts, const std::vector<TimedValue>& peaks) {
  std::vector<CountedAt> events;
  for (std::size_t i = 0; i < counts.size() && i < peaks.size(); ++i)
    if (const auto count = counts[i].get<std::int64_t>(); count > 0)
      events.push_back({peaks[i].time, peaks[i].value, count});
  return events;
}

// Rows with peaks, one for each interval: they are drawn in its middle.
std::vector<TimeLine> lines_of_peaks(const ResultJson& rows) {
  std::vector<TimeLine> lines;
  for (const ResultJson& row : rows) {
    const Duration interval = duration_of(row, "interval_ps");
    TimeLine line{text_of(row, "name"), {}};
    Duration middle{interval.value / 2};
    for (const ResultJson& peak : rows_of(row, "peaks")) {
      line.values.push_back({middle, peak.get<double>()});
      middle += interval;
    }
    line.lost = events_of(rows_of(row, "drops"), line.values);
    line.marked = events_of(rows_of(row, "marks"), line.values);
    if (!line.values.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

// One of the numbers of each sample of a connection.
std::vector<TimeLine> lines_of_windows(const ResultJson& flows) {
  std::vector<TimeLine> lines;
  for (const ResultJson& flow : flows) {
    TimeLine line{.name = text_of(flow, "name"), .values = {}, .is_step = true};
    for (const ResultJson& sample : rows_of(flow, "samples"))
      line.values.push_back(
          {Duration{sample.at(0).get<std::int64_t>()}, sample.at(1).get<double>()});
    if (!line.values.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<TimeLine> lines_of_rates(const ResultJson& flows) {
  std::vector<TimeLine> lines;
  for (const ResultJson& flow : flows) {
    const ResultJson &samples = rows_of(flow, "samples"), &rates = rows_of(flow, "rates");
    if (rates.empty() || rates.size() != samples.size()) continue;
    TimeLine line{.name = text_of(flow, "name"), .values = {}, .is_step = true};
    for (std::size_t i = 0; i < rates.size(); ++i)
      line.values.push_back(
          {Duration{samples[i].at(0).get<std::int64_t>()}, rates[i].get<double>()});
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string gigabits_text(double bytes_per_second) {
  return fmt::format("{:.4g} Gb/s", bytes_per_second / 1.25e8);
}

void add_lines(Section& section, const ReportedRun& run, std::size_t index) {
  const ResultJson& packets = run.result["packets"];
  const auto add = [&](LinesOverTime chart) {
    if (highest_of(chart.lines) > 0)
      section.figures.push_back(over_time_figure(run, index, std::move(chart)));
  };
  const char* const named = "`network.transport.watch` names the connections.";
  add(bytes_over_time(
      {"depths-chart", "queues over time", "bytes that wait before the link", "link",
       "Each interval has its peak, and a sign where packets were lost or marked in it. "
       "`network.switch.watch` names the links."},
      lines_of_peaks(rows_of(packets, "depths"))));
  add(bytes_over_time({"switches-chart", "memory of switches over time",
                       "bytes that are in the switch", "switch", "Each interval has its peak."},
                      lines_of_peaks(rows_of(packets, "switches"))));
  add(bytes_over_time({"windows-chart", "congestion windows over time",
                       "bytes that may be on the way", "connection", named},
                      lines_of_windows(rows_of(packets, "flows"))));
  add({{"rates-chart", "rates over time", "rate that the congestion control allows", "connection",
        named},
       {"Gb/s", 1.25e8},
       gigabits_text,
       lines_of_rates(rows_of(packets, "flows"))});
}

}  // namespace

Section where_packets_wait(ReportedRuns runs) {
  Section section{"queues", "Where do packets wait, and where are they lost?", {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ResultJson& packets = rows_of(runs[i].result, "packets");
    if (packets.empty()) continue;
    if (!rows_of(packets, "queues").empty()) section.figures.push_back(queues_figure(runs[i], i));
    if (!rows_of(packets, "waits").empty()) section.figures.push_back(waits_figure(runs[i], i));
    if (!rows_of(packets, "pauses").empty()) section.figures.push_back(pauses_figure(runs[i], i));
    add_lines(section, runs[i], i);
  }
  return section;
}

}  // namespace orrery
