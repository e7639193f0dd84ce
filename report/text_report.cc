#include "report/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include "core/units/unit_text.h"
#include "report/activity_text.h"
#include "report/backend_text.h"
#include "report/numbers.h"
#include "report/packet_report.h"
#include "report/report_head.h"
#include "report/row_table.h"
#include "report/text_table.h"
#include "report/training_report.h"
#include "report/why_text.h"

namespace orrery {

namespace {

std::string plural(std::int64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string title(const RunResult& result) {
  const std::string network = network_in_title(result);
  std::string text =
      fmt::format("{} on the {} backend: {}{}{}, {}, seed {}\n", result.name, result.backend,
                  plural(rank_count(result), "rank"), network.empty() ? "" : " on ", network,
                  plural(iteration_count(result), "iteration"), result.seed);
  if (result.partial) {
    text += fmt::format("PARTIAL RESULT ({}): what follows is what was reached\n",
                        result.partial_reason);
  }
  return text;
}

std::string summary(const RunResult& result) {
  TextTable table({{"", left_aligned}, {""}, {""}, {"", left_aligned}});
  const std::string beside = result.finish < result.bound || result.bound == Duration{}
                                 ? result.bound_by
                                 : fmt::format("{}; finish is {} times that", result.bound_by,
                                               ratio(result.finish, result.bound));
  const std::optional<Duration> iteration = iteration_time(result);
  const LaneTimes lanes = result.lanes.value_or(LaneTimes{});
  const std::array parts{result.compute, result.exposed, result.idle, lanes.memory, lanes.host};
  const std::vector<std::string> shares = percentages(parts);
  table.add_row({result.partial ? "reached" : "finish", to_text(result.finish), "",
                 result.partial ? "when it ended" : "of the slowest rank"});
  if (result.over_ties) {
    table.add_row(
        {"  from", to_text(result.over_ties->least), "",
         fmt::format("over {} orders of events of one picosecond", result.over_ties->orders)});
    table.add_row({"  to", to_text(result.over_ties->most), "", ""});
  }
  table.add_row(
      {"iteration", iteration ? to_text(*iteration) : "-", "", "mean: finish / iterations"});
  if (!result.partial) table.add_row({"lower bound", to_text(result.bound), "", beside});
  table.add_row({"compute", to_text(result.compute), shares[0], "of the rank that finishes last"});
  if (result.stolen > Duration{})
    table.add_row({"  stolen", to_text(result.stolen), percentage(result.stolen, result.finish),
                   "of compute, by collectives beside it"});
  table.add_row({"exposed", to_text(result.exposed), shares[1], "waited for communication"});
  if (lanes.memory > Duration{})
    table.add_row({"memory", to_text(lanes.memory), shares[3], "beside at most its host"});
  if (lanes.host > Duration{}) table.add_row({"host", to_text(lanes.host), shares[4], "alone"});
  table.add_row({"idle", to_text(result.idle), shares[2], "neither"});
  return table.text();
}

// Under an empty line.
std::string packets(const RunResult& result) {
  const std::string text = packets_text(result);
  return text.empty() ? "" : '\n' + text;
}

// Under an empty line; nothing without rows.
template <class Rows>
std::string rows_text(const Rows& rows) {
  const TextTable table = table_of(rows);
  return table.empty() ? "" : '\n' + table.text();
}

std::string exposed_by(const RunResult& result) {
  if (!result.why.empty()) return "";  // which has them, and more
  TextTable table({{"exposed by", left_aligned}, {"time"}, {"of finish"}});
  for (const ExposedBy& row : result.exposed_by) {
    table.add_row({row.kind, to_text(row.exposed), percentage(row.exposed, result.finish)});
  }
  return table.empty() ? "" : '\n' + table.text();
}

std::string endpoint(const RunResult& result) {
  if (!result.endpoint) return "";
  const EndpointRow& row = *result.endpoint;
  TextTable table({{"endpoint", left_aligned}, {"time"}, {"", left_aligned}});
  table.add_row(
      {"overhead", to_text(row.overhead),
       fmt::format("of {} sent and {} received", plural(row.sent, "message"), row.received)});
  table.add_row({"copy", to_text(row.copy), "between user and network buffers"});
  table.add_row(
      {"waited", to_text(row.waited), "messages, summed, for the processor, copy or gap"});
  return '\n' + table.text();
}

// The first and the last iteration show what there is to see; the files have them all.
bool is_shown(const LayerRow& row, std::int32_t iterations) {
  const bool empty =
      row.collective.empty() && row.compute == Duration{} && row.exposed == Duration{};
  return !empty && (row.iteration <= 1 || row.iteration == iterations);
}

TimeUnit layer_unit(const RunResult& result) {
  Duration largest;
  for (const LayerRow& row : result.layers) {
    largest = std::max({largest, row.compute, row.raw_max, row.exposed});
  }
  return common_unit(largest);
}

std::string layers(const RunResult& result) {
  const std::int32_t iterations = iteration_count(result);
  const TimeUnit unit = layer_unit(result);
  std::vector<LayerRow> shown;
  std::ranges::copy_if(result.layers, std::back_inserter(shown),
                       [&](const LayerRow& row) { return is_shown(row, iterations); });
  const TextTable table = table_of(shown, unit);
  if (table.empty()) return "";
  std::string text = fmt::format("\nlayers, times in {}\n", unit.name) + table.text();
  if (iterations > 2) {
    text += fmt::format("(iterations 2 to {} are in the CSV and JSON output)\n", iterations - 1);
  }
  return text;
}

std::string links(const RunResult& result, const ReportOptions& options) {
  if (!options.links && !options.all_links) return "";
  const std::span<const LinkRow> shown = shown_links(result, options);
  if (shown.empty()) return "";
  const std::size_t others = result.links.size() - shown.size();
  return rows_text(shown) + (others > 0 ? fmt::format("(and {} more: --all-links)\n", others) : "");
}

// The memory of the fullest stage, by kind.
std::string memory_table(const RunResult& result) {
  if (result.memory.empty()) return "";
  const MemoryRow& most = *std::ranges::max_element(result.memory, {}, &MemoryRow::total);
  TextTable table(
      {{fmt::format("memory of stage {}", most.stage), left_aligned}, {"bytes"}, {"share"}});
  const auto add = [&](const char* kind, Bytes size) {
    if (size == Bytes{}) return;
    const double share = static_cast<double>(size.value) / static_cast<double>(most.total.value);
    table.add_row({kind, to_text(size), fmt::format("{:.1f} %", share * 100)});
  };
  add("parameters", most.parameters);
  add("gradients", most.gradients);
  add("optimizer", most.optimizer);
  add("buffers", most.buffers);
  add("activations", most.activations);
  add("the loss beside them", most.loss);
  add("a layer done again", most.again);
  add("peak", most.total);
  const std::string room =
      result.npu_memory ? fmt::format(", of {}", to_text(*result.npu_memory)) : "";
  const std::string reserved =
      most.reserved > most.total ? fmt::format("; {} reserved", to_text(most.reserved)) : "";
  return '\n' + table.text() + fmt::format("({} in flight{}{})\n", most.in_flight, room, reserved);
}

// What the report could show besides.
std::string left_out(const RunResult& result, const ReportOptions& options) {
  std::vector<std::string> more;
  if (!options.layers && !result.layers.empty()) more.push_back("--layers");
  if (!options.links && !options.all_links && !result.links.empty()) more.push_back("--links");
  return more.empty() ? "" : fmt::format("\n(more tables: {})\n", fmt::join(more, ", "));
}

std::string footer(const RunResult& result) {
  TextTable table({{"", left_aligned}, {"", left_aligned}});
  table.add_row({"fingerprint", result.fingerprint});
  table.add_row({"messages", std::to_string(result.messages)});
  table.add_row({"events", std::to_string(result.events)});
  return '\n' + table.text() +
         fmt::format("host: {:.3f} s wall, {:.3f} s CPU, {} peak memory{}\n", result.host.wall_s,
                     result.host.cpu_s, to_text(bytes(result.host.peak_rss_bytes)),
                     packet_rate_text(result));
}

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// As much as leaves room in the head for the lines of iteration, time and why.
std::string above_head(const RunResult& result, std::size_t width) {
  constexpr std::size_t below = 3;
  const auto with = [&](ModelsText models) {
    return wrapped_text(title(result) + backend_text(result, models), width);
  };
  const std::string whole = with(ModelsText::full);
  return line_count(whole) + below <= most_head_lines ? whole : with(ModelsText::in_short);
}

}  // namespace

std::string text_report(const RunResult& result, const ReportOptions& options) {
  const std::string above = above_head(result, options.width);
  const std::string text =
      above + head_text(result, options.width, line_count(above)) + '\n' + summary(result) +
      packets(result) + rows_text(result.jobs) + why_table(result) + rows_text(result.what_if) +
      training_text(result) + exposed_by(result) + endpoint(result) +
      (options.layers ? layers(result) : "") + rows_text(result.selected) +
      rows_text(result.levels) + links(result, options) + rows_text(result.bottlenecks) +
      activity_text(result) + memory_table(result) + packet_text(result, options) +
      left_out(result, options) + footer(result);
  return wrapped_text(text, options.width);
}

}  // namespace orrery
