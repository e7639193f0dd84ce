// Which layer waits, and how good the collectives are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/bars.h"
#include "report/chart/points.h"
#include "report/html/sections.h"
#include "simulation/collective_operations.h"

namespace orrery {

namespace {

constexpr std::size_t most_layers = 15, most_rows = 500;

struct LayerSum {
  std::string name, collective;
  Duration exposed, raw, compute;
};

// The bars of the waterfall: the longest waits, and how many layers wait beside them for how long.
struct Waits {
  std::vector<LayerSum> longest;
  std::size_t others = 0;
  Duration of_others, raw_of_others;
};

// Over iterations and passes, the longest wait first.
std::vector<LayerSum> sums_of(const ResultJson& run) {
  std::vector<LayerSum> sums;
  std::map<std::string, std::size_t> places;
  for (const ResultJson& row : rows_of(run, "layers")) {
    const std::string name = text_of(row, "name");
    const auto [place, is_new] = places.try_emplace(name, sums.size());
    if (is_new) sums.push_back({name, "", {}, {}, {}});
    LayerSum& sum = sums[place->second];
    sum.exposed += duration_of(row, "exposed_ps");
    sum.raw += duration_of(row, "raw_ps");
    sum.compute += duration_of(row, "compute_ps");
    if (sum.collective.empty() && duration_of(row, "exposed_ps").value > 0)
      sum.collective = text_of(row, "collective");
  }
  std::ranges::stable_sort(sums, std::ranges::greater(), &LayerSum::exposed);
  return sums;
}

Waits waits_of(const std::vector<LayerSum>& sums) {
  Waits waits;
  for (const LayerSum& sum : sums) {
    if (sum.exposed.value == 0) break;
    if (waits.longest.size() < most_layers) {
      waits.longest.push_back(sum);
    } else {
      ++waits.others;
      waits.of_others += sum.exposed;
      waits.raw_of_others += sum.raw;
    }
  }
  return waits;
}

// What any of the runs waits in all, and the longest time of a layer's collectives.
struct Scales {
  Duration exposed, raw;
};

// Each bar begins where the one above it ends; the last one has the rest. Beside it: how long the
// collectives took, hidden or not.
BarChart waterfall_of(const Waits& waits, std::size_t index, const Scales& scales) {
  BarChart chart{.text = {fmt::format("layers-chart-{}", index), "Exposed time by layer", ""},
                 .quantity = "time waited, summed from the top",
                 .unit = axis_unit(scales.exposed),
                 .named_parts = true,
                 .reach = static_cast<double>(scales.exposed.value),
                 .beside_quantity = "collectives in all",
                 .beside_unit = axis_unit(scales.raw),
                 .beside_reach = static_cast<double>(scales.raw.value)};
  Duration before;
  const auto add = [&](const std::string& label, const std::string& part, Paint paint,
                       Duration time, Duration raw) {
    chart.bars.push_back({.label = label,
                          .parts = {{part, static_cast<double>(time.value), paint, to_text(time)}},
                          .limit = std::nullopt,
                          .start = static_cast<double>(before.value),
                          .beside = BarPart{"collectives in all", static_cast<double>(raw.value),
                                            paint, to_text(raw)}});
    before += time;
  };
  for (const LayerSum& sum : waits.longest) {
    const std::string kind = sum.collective.empty() ? "other" : sum.collective;
    add(sum.name, kind, paint_of_part(kind), sum.exposed, sum.raw);
  }
  if (waits.others > 0)
    add("all others", "rest", {palette::idle, 0}, waits.of_others, waits.raw_of_others);
  return chart;
}

Duration exposed_of(const std::vector<LayerSum>& sums) {
  Duration exposed;
  for (const LayerSum& sum : sums) exposed += sum.exposed;
  return exposed;
}

Scales scales_of(ReportedRuns runs) {
  Scales scales;
  for (const ReportedRun& run : runs) {
    const std::vector<LayerSum> sums = sums_of(run.result);
    const Waits waits = waits_of(sums);
    scales.exposed = std::max(scales.exposed, exposed_of(sums));
    scales.raw = std::max(scales.raw, waits.raw_of_others);
    for (const LayerSum& sum : waits.longest) scales.raw = std::max(scales.raw, sum.raw);
  }
  return scales;
}

// Calls of one layer, collective and size are one point: the one that took longest.
struct Call {
  std::string layer, collective, algorithms;
  std::int64_t ranks;
  Bytes bytes;
  Duration raw, bound, exposed;
};

std::vector<Call> calls_of(const ResultJson& run) {
  std::vector<Call> calls;
  std::map<std::pair<std::string, std::pair<std::string, std::int64_t>>, std::size_t> places;
  for (const ResultJson& row : rows_of(run, "layers")) {
    const Call call{text_of(row, "name"),
                    text_of(row, "collective"),
                    text_of(row, "algorithms"),
                    count_of(row, "ranks"),
                    bytes_of(row, "bytes"),
                    duration_of(row, "raw_ps"),
                    duration_of(row, "raw_bound_ps"),
                    duration_of(row, "exposed_ps")};
    if (call.collective.empty() || call.raw.value <= 0 || call.bytes.value <= 0) continue;
    const auto [place, is_new] =
        places.try_emplace({call.layer, {call.collective, call.bytes.value}}, calls.size());
    if (is_new) {
      calls.push_back(call);
      continue;
    }
    Call& known = calls[place->second];
    known.exposed += call.exposed;
    if (call.raw > known.raw) {
      known.raw = call.raw;
      known.bound = call.bound;
    }
  }
  return calls;
}

double times_bound(const Call& call) {
  return call.bound.value == 0
             ? 0
             : static_cast<double>(call.raw.value) / static_cast<double>(call.bound.value);
}

std::string rate_text(double gigabytes_per_second) {
  return fmt::format("{:.4g} GB/s", gigabytes_per_second);
}

std::string algbw_of(const Call& call) {
  return rate_text(algorithm_bandwidth(call.bytes, call.raw));
}

// Nothing of a send, and of a result of a version that did not tell the ranks.
std::string busbw_of(const Call& call, Duration time) {
  if (time.value == 0 || call.ranks < 2 || find_operation(call.collective) == nullptr) return "-";
  return rate_text(bus_bandwidth(call.collective, call.ranks, call.bytes, time));
}

FigureTable table_of(const std::vector<Call>& calls) {
  FigureTable table{
      {"layer", "collective", "ranks", "algorithm", "bytes", "time", "bound by bandwidth",
       "times the bound", "waited, all calls", "algbw", "busbw", "busbw at full bandwidth"},
      {},
      "",
      {"", "", "layers.*.ranks", "", "layers.*.bytes", "layers.*.raw_ps", "layers.*.raw_bound_ps",
       "", "layers.*.exposed_ps"}};
  for (const Call& call : calls) {
    if (table.rows.size() == most_rows) break;
    const double times = times_bound(call);
    const TableCell ratio = times == 0
                                ? cell(std::string("-"))
                                : TableCell{fmt::format("{:.2f}", times), fmt::format("{}", times)};
    const bool is_of_group = call.ranks > 0;
    table.rows.push_back({cell(call.layer), cell(call.collective),
                          is_of_group ? cell_of_count(call.ranks) : cell(std::string("-")),
                          cell(is_of_group ? call.algorithms : "-"), cell(call.bytes),
                          cell(call.raw), cell(call.bound), ratio, cell(call.exposed),
                          cell(algbw_of(call)), cell(busbw_of(call, call.raw)),
                          cell(busbw_of(call, call.bound))});
  }
  return table;
}

std::string title_of(const Call& call) {
  const std::string how =
      call.ranks > 0 ? fmt::format(" among {} by {}", call.ranks, call.algorithms) : "";
  return fmt::format("{}, {} of {}{}: {}", call.layer, call.collective, to_text(call.bytes), how,
                     to_text(call.raw));
}

// Where latency is all, the time of the bytes would stretch the chart by many powers of ten.
constexpr std::int64_t most_times_bound = 1000;

std::string bytes_text(double bytes) { return to_text(Bytes{std::llround(bytes)}); }
std::string time_text(double picoseconds) { return to_text(Duration{std::llround(picoseconds)}); }

PointChart points_of(const std::vector<Call>& calls, std::size_t index) {
  PointChart chart{.text = {fmt::format("collectives-chart-{}", index), "Collectives", ""},
                   .across = "bytes of a collective",
                   .up = "time of a collective",
                   .across_text = bytes_text,
                   .up_text = time_text,
                   .bound_name = "bytes at full bandwidth"};
  for (const Call& call : calls) {
    const std::optional<double> bound = call.bound.value > call.raw.value / most_times_bound
                                            ? std::optional(static_cast<double>(call.bound.value))
                                            : std::nullopt;
    chart.points.push_back({.x = static_cast<double>(call.bytes.value),
                            .y = static_cast<double>(call.raw.value),
                            .bound = bound,
                            .paint = paint_of_part(call.collective),
                            .group = call.collective,
                            .title = title_of(call)});
  }
  return chart;
}

// Whether a call takes far longer than its bytes do, and most of that in the bubble of a pipeline:
// what all stages do together at the end waits for the last of them.
bool waits_for_stages(const ResultJson& run, const Call& call) {
  if (call.bound.value == 0 || call.bound.value > call.raw.value / most_times_bound) return false;
  Duration bubble;
  for (const ResultJson& part : rows_of(run, "why"))
    if (text_of(part, "part") == "bubble") bubble += duration_of(part, "time_ps");
  return 2 * bubble.value > call.raw.value;
}

// Of the calls with the longest wait first.
std::string answer_of(const ResultJson& run, const std::vector<Call>& calls) {
  const Call& call = calls.front();
  std::string answer = fmt::format(
      "{} {} of {} in {}: it takes {}",
      call.exposed.value > 0 ? "Most time is waited for" : "No collective is waited for, not even",
      call.collective, to_text(call.bytes), call.layer, to_text(call.raw));
  if (call.ranks > 0) answer += fmt::format(" among {} ranks by {}", call.ranks, call.algorithms);
  if (waits_for_stages(run, call))
    answer += ", most of it until the last stage of the pipeline comes to it";
  else if (call.bound.value > 0)
    answer += fmt::format(", {:.2f} times the {} that its bytes need at full bandwidth",
                          times_bound(call), to_text(call.bound));
  return answer + '.';
}

Figure layers_figure(const ReportedRun& run, std::size_t index, const Scales& scales) {
  const std::vector<LayerSum> sums = sums_of(run.result);
  Figure figure{.caption = caption_of(run)};
  const Duration exposed = exposed_of(sums);
  const std::string name = text_of(run.result, "name");
  if (exposed.value == 0) {
    figure.answer = fmt::format("No layer of {} makes it wait.", name);
    return figure;
  }
  const std::vector<Call> calls = calls_of(run.result);
  const auto longest = std::ranges::find(calls, sums.front().name, &Call::layer);
  const bool is_late = longest != calls.end() && waits_for_stages(run.result, *longest);
  figure.answer = fmt::format("{} waits {} in all, {} of it {} {}.", name, to_text(exposed),
                              share_of(sums.front().exposed, exposed),
                              is_late ? "until the last stage of the pipeline comes to" : "for",
                              sums.front().name);
  figure.table = {{"layer", "waited", "share of the waiting", "collectives in all", "computed"},
                  {},
                  run.has_tables ? "layers.csv" : "",
                  {"", "layers.*.exposed_ps", "", "layers.*.raw_ps", "layers.*.compute_ps"}};
  const auto share = [&](Duration time) {
    return cell_of_share(static_cast<double>(time.value) / static_cast<double>(exposed.value));
  };
  const Waits waits = waits_of(sums);
  for (const LayerSum& sum : sums) {
    // Before the layers that it stands for.
    if (waits.others > 0 && figure.table.rows.size() == waits.longest.size())
      figure.table.rows.push_back(
          {cell(fmt::format("all others: the {} below that wait", waits.others)),
           cell(waits.of_others), share(waits.of_others), cell(waits.raw_of_others),
           cell(std::string("-"))});
    if (figure.table.rows.size() == most_rows) break;
    figure.table.rows.push_back(
        {cell(sum.name), cell(sum.exposed), share(sum.exposed), cell(sum.raw), cell(sum.compute)});
  }
  if (sums.size() > most_rows)
    figure.note = fmt::format("The table has the first {} of {} layers.", most_rows, sums.size());
  BarChart chart = waterfall_of(waits, index, scales);
  chart.text.description = figure.answer;
  figure.picture = drawn(chart);
  return figure;
}

}  // namespace

Section which_layer_waits(ReportedRuns runs) {
  Section section{"layers", "Which layer makes me wait?", {}};
  const Scales scales = scales_of(runs);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!rows_of(runs[i].result, "layers").empty())
      section.figures.push_back(layers_figure(runs[i], i, scales));
  return section;
}

Section how_good_collectives_are(ReportedRuns runs) {
  Section section{"collectives", "How good are my collectives?", {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<Call> calls = calls_of(runs[i].result);
    if (calls.empty()) continue;
    std::ranges::stable_sort(calls, std::ranges::greater(), &Call::exposed);
    Figure figure{.caption = caption_of(runs[i]), .answer = answer_of(runs[i].result, calls)};
    figure.table = table_of(calls);
    if (calls.size() > most_rows) {
      figure.note = fmt::format("The {} of {} that were waited for longest are shown.", most_rows,
                                calls.size());
      calls.resize(most_rows);
    }
    PointChart chart = points_of(calls, i);
    chart.text.description = figure.answer;
    figure.picture = drawn(chart);
    figure.table.csv = runs[i].has_tables ? "layers.csv" : "";
    section.figures.push_back(std::move(figure));
  }
  return section;
}

}  // namespace orrery
