#include "report/traffic_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "core/units/unit_text.h"
#include "report/csv_report.h"
#include "report/json_row.h"
#include "report/packet_report.h"
#include "report/row_type.h"
#include "report/rows_csv.h"
#include "report/text_table.h"

namespace orrery {

namespace {

std::string head_text(const TrafficResult& result) {
  TextTable table({{"", left_aligned}, {"", left_aligned}});
  table.add_row(
      {"flows", fmt::format("{} in {}, {} counted after {}", result.started, to_text(result.length),
                            result.counted, to_text(result.warm_up))});
  if (result.unfinished > 0) table.add_row({"unfinished", std::to_string(result.unfinished)});
  table.add_row({"mean size", to_text(bytes(static_cast<std::int64_t>(result.mean_bytes)))});
  std::string load = fmt::format("{:.3g} % of {} hosts", result.load_hosts * 100, result.npus);
  if (result.load_uplinks)
    load += fmt::format(", {:.3g} % of the uplinks if all cross them", *result.load_uplinks * 100);
  table.add_row({"load", load});
  table.add_row({"drawn", fmt::format("{:.3g} % of the hosts, standard deviation {:.2g} %",
                                      result.drawn_hosts * 100,
                                      result.drawn_deviation * result.load_hosts * 100)});
  if (!result.busiest_link.empty())
    table.add_row(
        {"busiest", fmt::format("{}, {:.3g} % of what it carries in {}", result.busiest_link,
                                result.busiest_load * 100, to_text(result.length))});
  table.add_row({"finish", to_text(result.finish)});
  if (result.packets && result.packets->packets > 0)
    table.add_row(
        {"packets",
         fmt::format("{}, {} lost{}, {} sent again, {} marked, {} timeouts",
                     result.packets->packets, result.packets->drops,
                     result.packets->losses ? " (" + causes_of(*result.packets->losses) + ")" : "",
                     result.packets->retransmissions, result.packets->marks,
                     result.packets->timeouts)});
  if (result.packets && result.packets->pauses > 0)
    table.add_row({"pauses", fmt::format("{} times, {} in all", result.packets->pauses,
                                         to_text(result.packets->paused))});
  return table.text();
}

std::string rows_text(const TrafficResult& result) {
  TextTable table({{"flows", left_aligned},
                   {"count"},
                   {"time\nmean"},
                   {"p50"},
                   {"p95"},
                   {"p99"},
                   {"slowdown\nmean"},
                   {"p50"},
                   {"p95"},
                   {"p99"}});
  for (const FlowSizeRow& row : result.rows)
    table.add_row({row.flows, std::to_string(row.count), to_text(row.time.mean),
                   to_text(row.time.p50), to_text(row.time.p95), to_text(row.time.p99),
                   fmt::format("{:.2f}", row.slowdown.mean),
                   fmt::format("{:.2f}", row.slowdown.p50), fmt::format("{:.2f}", row.slowdown.p95),
                   fmt::format("{:.2f}", row.slowdown.p99)});
  return table.empty() ? "" : '\n' + table.text();
}

// As HPCC numbers the addresses of its nodes.
std::uint32_t hpcc_address(NodeId node) {
  const auto number = static_cast<std::uint32_t>(node.value);
  return 0x0b00'0001 + (number / 256) * 0x0001'0000 + (number % 256) * 0x0000'0100;
}

// By the target's port the scripts of HPCC (analysis/fct_analysis.py) know incasts.
constexpr int port_of_flows = 100, port_of_incasts = 200;

std::int64_t nanoseconds_of(Duration time) { return time.value / 1'000; }

}  // namespace

std::string traffic_text(const TrafficResult& result, const ReportOptions& options) {
  std::string text = fmt::format("{} on the {} backend{}\n", result.name, result.backend,
                                 result.partial ? ": PARTIAL, it was interrupted" : "");
  for (const std::string& ignored : result.ignored)
    text += fmt::format("IGNORED by the {} backend: {}\n", result.backend, ignored);
  text += '\n' + head_text(result) + rows_text(result);
  if (const auto& packets = result.packets)
    text += queues_text(packets->queues, packets->classes, packets->paused_links, options);
  return text +
         fmt::format("\nfingerprint  {}\nhost: {:.3f} s wall, {:.3f} s CPU, {} peak memory\n",
                     result.fingerprint, result.host.wall_s, result.host.cpu_s,
                     to_text(bytes(result.host.peak_rss_bytes)));
}

std::string traffic_json(const TrafficResult& result, const ReportOptions& options) {
  // Names come from the user; what is not UTF-8 in them must not lose the results.
  using Json = nlohmann::ordered_json;
  return row_json(result, options).dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string traffic_csv(const TrafficResult& result) {
  const RowType& type = row_type_of<FlowSizeRow>();
  std::string csv = csv_heading(type);
  append_csv(csv, type, span_of<FlowSizeRow>(result.rows));
  return csv;
}

namespace {

std::string systems_text(std::span<const TrafficResult> results) {
  TextTable table({{"experiment", left_aligned},
                   {"backend", left_aligned},
                   {"counted"},
                   {"load"},
                   {"busiest"},
                   {"mean time"},
                   {"slowdown"},
                   {"p50"},
                   {"p95"},
                   {"p99"},
                   {"lost"}});
  for (const TrafficResult& result : results) {
    std::vector<std::string> cells{result.name + (result.partial ? " (PARTIAL)" : ""),
                                   result.backend, std::to_string(result.counted),
                                   fmt::format("{:.3g} %", result.load_hosts * 100),
                                   fmt::format("{:.3g} %", result.busiest_load * 100)};
    const auto all = std::ranges::find(result.rows, "all", &FlowSizeRow::flows);
    if (all == result.rows.end()) {
      cells.insert(cells.end(), 5, "-");
    } else {
      cells.push_back(to_text(all->time.mean));
      for (const double value :
           {all->slowdown.mean, all->slowdown.p50, all->slowdown.p95, all->slowdown.p99})
        cells.push_back(fmt::format("{:.2f}", value));
    }
    cells.push_back(result.packets ? std::to_string(result.packets->drops) : "-");
    table.add_row(std::move(cells));
  }
  return table.text();
}

// In the order of sizes, those of several experiments together.
std::vector<std::string> kinds_of_flows(std::span<const TrafficResult> results) {
  std::vector<const FlowSizeRow*> rows;
  for (const TrafficResult& result : results)
    for (const FlowSizeRow& row : result.rows) {
      const bool known = std::ranges::any_of(
          rows, [&](const FlowSizeRow* other) { return other->flows == row.flows; });
      if (!known) rows.push_back(&row);
    }
  const auto place = [](const FlowSizeRow* row) {
    return row->flows == "all" ? 1 : row->flows == "incast" ? 2 : 0;
  };
  std::ranges::stable_sort(rows, [&](const FlowSizeRow* a, const FlowSizeRow* b) {
    return std::pair(place(a), a->most) < std::pair(place(b), b->most);
  });
  std::vector<std::string> kinds;
  for (const FlowSizeRow* row : rows) kinds.push_back(row->flows);
  return kinds;
}

std::string slowdowns_text(std::span<const TrafficResult> results) {
  std::vector<TextTable::Column> columns{{"flows", left_aligned}};
  for (const TrafficResult& result : results) {
    columns.push_back({result.name + "\nmean"});
    columns.push_back({"p99"});
  }
  TextTable table(columns);
  for (const std::string& kind : kinds_of_flows(results)) {
    std::vector<std::string> cells{kind};
    for (const TrafficResult& result : results) {
      const auto row = std::ranges::find(result.rows, kind, &FlowSizeRow::flows);
      const bool found = row != result.rows.end();
      cells.push_back(found ? fmt::format("{:.2f}", row->slowdown.mean) : "-");
      cells.push_back(found ? fmt::format("{:.2f}", row->slowdown.p99) : "-");
    }
    table.add_row(std::move(cells));
  }
  return table.empty() ? "" : "\nslowdown\n" + table.text();
}

}  // namespace

std::string traffic_comparison_text(std::span<const TrafficResult> results) {
  std::string text;
  for (const TrafficResult& result : results)
    for (const std::string& ignored : result.ignored)
      text += fmt::format("IGNORED by the {} backend in {}: {}\n", result.backend, result.name,
                          ignored);
  if (!text.empty()) text += '\n';
  return text + systems_text(results) + slowdowns_text(results);
}

std::string traffic_comparison_json(std::span<const TrafficResult> results) {
  using Json = nlohmann::ordered_json;
  Json systems = Json::array();
  for (const TrafficResult& result : results) systems.push_back(row_json(result, {}));
  const Json comparison = {{"schema", "orrery.traffic_comparison/1"},
                           {"systems", std::move(systems)}};
  return comparison.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string traffic_comparison_csv(std::span<const TrafficResult> results) {
  const RowType& type = row_type_of<FlowSizeRow>();
  std::string csv = "experiment," + csv_heading(type);
  for (const TrafficResult& result : results)
    append_csv(csv, type, span_of<FlowSizeRow>(result.rows), csv_field(result.name) + ',');
  return csv;
}

std::string flows_csv(const TrafficResult& result) {
  std::string csv = "start_ps,source,target,bytes,incast,time_ps,idle_ps\n";
  for (std::size_t i = 0; i < result.flows.size(); ++i) {
    const Flow& flow = result.flows[i];
    if (!flow.finish) continue;
    const std::string idle = result.idle.empty() ? "" : std::to_string(result.idle[i].value);
    fmt::format_to(std::back_inserter(csv), "{},{},{},{},{},{},{}\n", flow.start.since_start.value,
                   flow.source.value, flow.target.value, flow.size.value, flow.incast ? 1 : 0,
                   (*flow.finish - flow.start).value, idle);
  }
  return csv;
}

std::string flows_hpcc(const TrafficResult& result) {
  std::vector<std::size_t> order(result.idle.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !result.flows[i].finish; });
  // Each flow of a pair has a port of its own, from 10000 on.
  std::unordered_map<std::uint64_t, std::uint32_t> ports;
  std::vector<std::uint32_t> port_of_flow(result.flows.size());
  for (std::size_t i = 0; i < result.flows.size(); ++i) {
    const Flow& flow = result.flows[i];
    const auto pair = static_cast<std::uint64_t>(flow.source.value) << 32 |
                      static_cast<std::uint32_t>(flow.target.value);
    port_of_flow[i] = 10'000 + ports[pair]++ % 55'536;
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return *result.flows[i].finish; });
  std::string text;
  for (const std::size_t i : order) {
    const Flow& flow = result.flows[i];
    fmt::format_to(std::back_inserter(text), "{:08x} {:08x} {} {} {} {} {} {}\n",
                   hpcc_address(flow.source), hpcc_address(flow.target), port_of_flow[i],
                   flow.incast ? port_of_incasts : port_of_flows, flow.size.value,
                   nanoseconds_of(flow.start.since_start),
                   nanoseconds_of(*flow.finish - flow.start), nanoseconds_of(result.idle[i]));
  }
  return text;
}

std::string pauses_hpcc(const TrafficResult& result) {
  std::string text;
  for (const PortPause& pause : result.port_pauses)
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {}\n", nanoseconds_of(pause.at),
                   pause.port.node, pause.port.is_switch ? 1 : 0, pause.port.port,
                   pause.paused ? 1 : 0);
  return text;
}

std::string depths_hpcc(const TrafficResult& result) {
  constexpr std::int64_t sample = 100'000;  // ps between two looks at the queues
  if (result.port_depths.empty()) return {};
  std::string text = fmt::format("time: {}\n", nanoseconds_of(result.finish));
  for (const PortDepths& depths : result.port_depths) {
    fmt::format_to(std::back_inserter(text), "{} {}", depths.port.node, depths.port.port);
    for (const Duration time : depths.times)
      fmt::format_to(std::back_inserter(text), " {}", time.value / sample);
    text += '\n';
  }
  return text;
}

}  // namespace orrery
