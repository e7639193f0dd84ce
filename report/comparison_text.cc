#include "report/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/units/unit_text.h"
#include "report/backend_text.h"
#include "report/derived.h"
#include "report/difference_text.h"
#include "report/expected_error_text.h"
#include "report/iteration_sizes.h"
#include "report/memory_text.h"
#include "report/numbers.h"
#include "report/row_table.h"
#include "report/side_by_side.h"
#include "report/text_table.h"
#include "report/training_report.h"
#include "report/why_text.h"

namespace orrery {

namespace {

// A row whose cells follow from each system alone.
struct SummaryRow {
  std::string heading;
  std::function<std::string(const RunResult&)> cell;
};

std::string exposed_by(const RunResult& result, const std::string& kind) {
  for (const ExposedBy& row : result.exposed_by) {
    if (row.kind == kind) return to_text(row.exposed);
  }
  return "-";
}

std::string bytes_on(const RunResult& result, const LevelRow& wanted) {
  for (const LevelRow& row : result.levels) {
    if (row.name == wanted.name && row.collective == wanted.collective) return to_text(row.bytes);
  }
  return "-";
}

std::string iteration_cell(const RunResult& result) {
  const std::optional<Duration> time = iteration_time(result);
  return time ? to_text(*time) : "-";
}

// In the order in which the systems bring them up.
std::vector<SummaryRow> exposed_rows(Systems systems) {
  std::vector<std::string> kinds;
  for (const RunResult& result : systems) {
    for (const ExposedBy& row : result.exposed_by) {
      if (std::ranges::find(kinds, row.kind) == kinds.end()) kinds.push_back(row.kind);
    }
  }
  std::vector<SummaryRow> rows;
  for (const std::string& kind : kinds) {
    rows.push_back(
        {"  " + kind, [kind](const RunResult& result) { return exposed_by(result, kind); }});
  }
  return rows;
}

std::vector<SummaryRow> level_rows(Systems systems) {
  std::vector<LevelRow> wanted;
  const auto is_known = [&](const LevelRow& row) {
    return std::ranges::any_of(wanted, [&](const LevelRow& known) {
      return known.name == row.name && known.collective == row.collective;
    });
  };
  for (const RunResult& result : systems) {
    for (const LevelRow& row : result.levels) {
      if (!is_known(row)) wanted.push_back(row);
    }
  }
  std::vector<SummaryRow> rows;
  for (const LevelRow& row : wanted) {
    rows.push_back({fmt::format("  {}, {}", row.name, row.collective),
                    [row](const RunResult& result) { return bytes_on(result, row); }});
  }
  return rows;
}

// The links that carried something, in the order of the systems.
std::vector<std::string> level_names(Systems systems) {
  std::vector<std::string> names;
  for (const RunResult& result : systems)
    for (const LevelRow& row : result.levels)
      if (std::ranges::find(names, row.name) == names.end()) names.push_back(row.name);
  return names;
}

std::string utilisation(const RunResult& result, const std::string& level) {
  const bool has_level =
      std::ranges::any_of(result.levels, [&](const LevelRow& row) { return row.name == level; });
  return has_level ? fmt::format("{:.0f} %", 100 * busiest_link(result, level)) : "-";
}

// "npu 0 -> switch 16": one like it has every NPU of the level.
bool is_port_of_npu(std::string_view link) {
  return link.starts_with("npu ") || link.find("-> npu ") != std::string_view::npos;
}

// The link that held most bytes of each kind of collective back, on backends that know; of ports of
// NPUs their level.
std::vector<SummaryRow> bottleneck_rows(Systems systems) {
  std::vector<std::string> kinds;
  for (const RunResult& result : systems)
    for (const BottleneckRow& row : result.bottlenecks)
      if (std::ranges::find(kinds, row.collective) == kinds.end()) kinds.push_back(row.collective);
  std::vector<SummaryRow> rows;
  if (!kinds.empty()) rows.push_back({"held back by", [](const RunResult&) { return ""; }});
  for (const std::string& kind : kinds) {
    rows.push_back({"  " + kind, [kind](const RunResult& result) {
                      const auto row =
                          std::ranges::find(result.bottlenecks, kind, &BottleneckRow::collective);
                      if (row == result.bottlenecks.end()) return std::string("-");
                      return is_port_of_npu(row->link) ? row->level : row->link;
                    }});
  }
  return rows;
}

std::string reasons(Systems systems, std::size_t width) {
  std::string text;
  for (const RunResult& result : systems)
    if (const std::string sentence = why_sentence(result, 2 * width); !sentence.empty())
      text += fmt::format("  {}: {}\n", result.name, sentence);
  return text.empty() ? "" : "why\n" + text;
}

// For each system that has any, level by level.
std::string saturated(Systems systems) {
  constexpr std::size_t most_named = 4;
  std::string text;
  for (const RunResult& result : systems) {
    std::map<std::string, std::vector<std::string>> by_level;
    for (const LinkRow* link : saturated_links(result))
      by_level[link->level].push_back(link->name());
    for (const auto& [level, names] : by_level) {
      const std::size_t named = std::min(names.size(), most_named);
      text += fmt::format("  {}: {}: {}", result.name, level,
                          fmt::join(names.begin(), names.begin() + static_cast<int>(named), ", "));
      if (names.size() > named) text += fmt::format(", and {} more", names.size() - named);
      text += '\n';
    }
  }
  return text.empty() ? "" : "saturated links (busy 90 % of the time or more)\n" + text;
}

// With --ties: when each finishes over the orders of simultaneous events.
std::vector<SummaryRow> tie_rows(Systems systems) {
  if (std::ranges::none_of(systems, [](const RunResult& r) { return r.over_ties.has_value(); }))
    return {};
  const auto cell = [](Duration TieRange::*end) {
    return [end](const RunResult& r) { return r.over_ties ? to_text((*r.over_ties).*end) : "-"; };
  };
  return {{"  from", cell(&TieRange::least)}, {"  to", cell(&TieRange::most)}};
}

// Whom the order of simultaneous events makes as fast as the fastest.
std::string within_ties(Systems systems) {
  std::string text;
  for (const RunResult& system : systems) {
    const std::optional<bool> same = is_as_fast_as_the_fastest(system, systems);
    if (!same) continue;
    text += fmt::format("  {}: {}\n", system.name,
                        *same ? "no difference from the fastest: their ranges overlap"
                              : "slower than the fastest in every order");
  }
  return text.empty() ? ""
                      : fmt::format("over {} orders of the events of one picosecond\n{}",
                                    systems.front().over_ties->orders, text);
}

using PacketCell = std::function<std::string(const PacketResult&)>;

// Of systems with packets; what RoCE counts, and what tensors took and lost, where some have these.
std::vector<SummaryRow> packet_rows(Systems systems) {
  const auto some = [&](bool (*has)(const PacketResult&)) {
    return std::ranges::any_of(systems,
                               [&](const RunResult& r) { return r.packets && has(*r.packets); });
  };
  if (!some([](const PacketResult&) { return true; })) return {};
  const auto of_packets = [](std::string heading, const PacketCell& cell) {
    return SummaryRow{std::move(heading), [cell](const RunResult& r) {
                        return r.packets ? cell(*r.packets) : std::string("-");
                      }};
  };
  const auto of_roce = [&](std::string heading, std::uint64_t RoceRow::*count) {
    return of_packets(std::move(heading), [count](const PacketResult& packets) {
      return packets.roce ? std::to_string((*packets.roce).*count) : std::string("-");
    });
  };
  const auto share_of_roce = [&](std::string heading, double RoceRow::*share) {
    return of_packets(std::move(heading), [share](const PacketResult& packets) {
      return packets.roce ? fmt::format("{:.1f} %", 100 * (*packets.roce).*share)
                          : std::string("-");
    });
  };
  std::vector<SummaryRow> rows{
      of_packets("packets", [](const PacketResult& p) { return std::to_string(p.packets); }),
      of_packets("  lost", [](const PacketResult& p) { return std::to_string(p.drops); }),
      of_packets("  sent again",
                 [](const PacketResult& p) { return std::to_string(p.retransmissions); }),
      of_packets("  marked", [](const PacketResult& p) { return std::to_string(p.marks); })};
  if (some([](const PacketResult& p) { return p.roce.has_value(); })) {
    const std::initializer_list<SummaryRow> of_all{
        of_roce("  notified (CNPs)", &RoceRow::notifications),
        of_roce("  paused, times", &RoceRow::pauses),
        of_packets("  paused for",
                   [](const PacketResult& p) { return p.roce ? to_text(p.roce->paused) : "-"; }),
        of_packets("  paused longest by",
                   [](const PacketResult& p) { return p.pauses.empty() ? "-" : p.pauses[0].by; }),
        share_of_roce("  held by rates", &RoceRow::held_by_rate),
        share_of_roce("  held by windows", &RoceRow::held_by_window)};
    rows.insert(rows.end(), of_all);
  }
  rows.push_back(of_packets("  most waiting", [](const PacketResult& p) {
    Bytes most;
    for (const QueueRow& queue : p.queues) most = std::max(most, queue.most_waiting);
    return to_text(most);
  }));
  if (some([](const PacketResult& p) { return !p.tensors.empty(); })) {
    const auto of_tensors = [&](std::string heading, Duration TensorRow::*time) {
      return of_packets(std::move(heading), [time](const PacketResult& p) {
        return p.tensors.empty() ? "-" : to_text(p.tensors.back().*time);
      });
    };
    rows.push_back(of_tensors("tensors, mean time", &TensorRow::mean));
    rows.push_back(of_tensors("  p99", &TensorRow::p99));
  }
  if (some([](const PacketResult& p) { return p.undelivered.has_value(); }))
    rows.push_back(of_packets("  not delivered", [](const PacketResult& p) {
      return p.undelivered ? fmt::format("{:.2f} %", 100 * p.undelivered->share) : "-";
    }));
  return rows;
}

std::vector<SummaryRow> summary_rows(Systems systems) {
  const auto blank = [](const RunResult&) { return std::string(); };
  std::vector<SummaryRow> rows{{"iteration time", iteration_cell}};
  const auto has_rounds = [](const RunResult& r) { return iteration_with_rounds(r).has_value(); };
  if (std::ranges::any_of(systems, has_rounds))
    rows.push_back({"  times the rounds", [](const RunResult& r) {
                      const std::optional<Duration> time = iteration_with_rounds(r);
                      return time ? to_text(*time) : iteration_cell(r);
                    }});
  if (std::ranges::any_of(systems, [](const RunResult& r) { return r.expected_error.has_value(); }))
    rows.push_back({"  expected error", [](const RunResult& r) {
                      return r.expected_error                 ? band_text(*r.expected_error)
                             : r.efficiency.of_another_device ? "unknown"
                                                              : "-";
                    }});
  if (any_memory(systems)) rows.push_back({"memory", memory_cell});
  rows.push_back({"finish", [](const RunResult& r) { return to_text(r.finish); }});
  std::ranges::move(tie_rows(systems), std::back_inserter(rows));
  const std::initializer_list<SummaryRow> parts{
      {"lower bound", [](const RunResult& r) { return to_text(r.bound); }},
      {"  bound by", [](const RunResult& r) { return r.bound_by; }},
      {"  finish / lower bound", [](const RunResult& r) { return ratio(r.finish, r.bound); }},
      {"compute", [](const RunResult& r) { return to_text(r.compute); }},
      {"exposed", [](const RunResult& r) { return to_text(r.exposed); }}};
  rows.insert(rows.end(), parts);
  std::ranges::move(exposed_rows(systems), std::back_inserter(rows));
  rows.push_back({"idle", [](const RunResult& r) { return to_text(r.idle); }});
  if (std::ranges::any_of(systems, [](const RunResult& r) { return r.training.has_value(); })) {
    rows.push_back({"tokens/s a NPU", tokens_per_second_text});
    rows.push_back({"MFU, all attention", model_utilisation_text});
    if (std::ranges::any_of(systems,
                            [](const RunResult& r) { return dropped_copies_text(r) != ""; }))
      rows.push_back({"  copies of tokens dropped", dropped_copies_text});
  }
  const std::vector<SummaryRow> levels = level_rows(systems);
  const std::vector<std::string> names = level_names(systems);
  if (!names.empty()) rows.push_back({"busiest link", blank});
  for (const std::string& name : names)
    rows.push_back({"  " + name, [name](const RunResult& r) { return utilisation(r, name); }});
  std::ranges::move(bottleneck_rows(systems), std::back_inserter(rows));
  std::ranges::move(packet_rows(systems), std::back_inserter(rows));
  if (!levels.empty()) rows.push_back({"bytes sent by all ranks", blank});
  rows.insert(rows.end(), levels.begin(), levels.end());
  return rows;
}

std::string summary(Systems systems, std::size_t width) {
  const std::vector<SummaryRow> rows = summary_rows(systems);
  std::vector<std::optional<double>> ratios;
  for (const RunResult& result : systems) ratios.push_back(ratio_to_fastest(result, systems));
  return side_by_side(systems, width, [&](Systems shown) {
    std::vector<TextTable::Column> columns{{"", left_aligned}};
    std::vector<std::string> to_fastest{"times the fastest"};
    std::vector<std::string> predicted{"predicted speed-up"}, reached{"  simulated"};
    for (const RunResult& result : shown) {
      columns.push_back({result.name});
      const auto& to_this = ratios[static_cast<std::size_t>(&result - systems.data())];
      const char* mark = result.ignored.empty() ? "" : " *";
      to_fastest.push_back(to_this ? fmt::format("{:.3f}{}", *to_this, mark) : "partial");
      const auto& speedup = result.predicted_speedup;
      predicted.push_back(speedup ? fmt::format("{:.3f}", *speedup) : "-");
      reached.push_back(to_this && ratios[0] ? fmt::format("{:.3f}", *ratios[0] / *to_this) : "-");
    }
    const bool predicts = std::ranges::any_of(
        systems, [](const RunResult& r) { return r.predicted_speedup.has_value(); });
    TextTable table(std::move(columns));
    for (const SummaryRow& row : rows) {
      std::vector<std::string> cells{row.heading};
      for (const RunResult& result : shown) cells.push_back(row.cell(result));
      table.add_row(std::move(cells));
      if (&row != rows.data()) continue;
      for (const auto& ratio : with_sizes(to_fastest, systems, shown)) table.add_row(ratio);
      if (predicts) table.add_row(predicted);
      if (predicts) table.add_row(reached);
    }
    return table;
  });
}

bool communicates(const LayerRow& row) {
  return !row.collective.empty() || row.exposed != Duration{};
}

bool is_same_row(const LayerRow& a, const LayerRow& b) {
  return std::tie(a.name, a.iteration, a.pass, a.collective) ==
         std::tie(b.name, b.iteration, b.pass, b.collective);
}

const LayerRow* find_row(const RunResult& result, const LayerRow& wanted) {
  const auto found = std::ranges::find_if(
      result.layers, [&](const LayerRow& row) { return is_same_row(row, wanted); });
  return found == result.layers.end() ? nullptr : &*found;
}

// The rows that communicate in some system: the first one's order, then what others add.
std::vector<LayerRow> common_rows(Systems systems) {
  std::vector<LayerRow> rows;
  for (const RunResult& result : systems) {
    const std::int32_t last = iteration_count(result);
    for (const LayerRow& row : result.layers) {
      const bool shown = communicates(row) && (row.iteration <= 1 || row.iteration == last);
      if (shown && std::ranges::none_of(
                       rows, [&](const LayerRow& known) { return is_same_row(known, row); })) {
        rows.push_back(row);
      }
    }
  }
  return rows;
}

TimeUnit layer_unit(Systems systems) {
  Duration largest;
  for (const RunResult& result : systems) {
    for (const LayerRow& row : result.layers) largest = std::max({largest, row.raw, row.exposed});
  }
  return common_unit(largest);
}

std::string layers(Systems systems, std::size_t width) {
  const std::vector<LayerRow> rows = common_rows(systems);
  if (rows.empty()) return "";
  const TimeUnit unit = layer_unit(systems);
  const std::string tables = side_by_side(systems, width, [&](Systems shown) {
    std::vector<TextTable::Column> columns{{"iteration"},
                                           {"layer", left_aligned},
                                           {"pass", left_aligned},
                                           {"collective", left_aligned}};
    for (const RunResult& result : shown) {
      columns.push_back({result.name + "\nraw"});
      columns.push_back({"exposed"});
    }
    TextTable table(std::move(columns));
    for (const LayerRow& row : rows) {
      std::vector<std::string> cells{std::to_string(row.iteration), row.name,
                                     std::string(name_of(row.pass)),
                                     row.collective.empty() ? "-" : row.collective};
      for (const RunResult& result : shown) {
        const LayerRow* found = find_row(result, row);
        cells.push_back(found && !found->collective.empty() ? in_unit(found->raw, unit) : "-");
        cells.push_back(found ? in_unit(found->exposed, unit) : "-");
      }
      table.add_row(std::move(cells));
    }
    return table;
  });
  return fmt::format("\nlayers that communicate, times in {} (raw: mean over ranks)\n", unit.name) +
         tables.substr(1);
}

// "the fluid backend"; of several "different backends (A: fluid, B: analytical)".
std::string backends(Systems systems) {
  const auto is_first = [&](const RunResult& run) { return run.backend == systems[0].backend; };
  if (std::ranges::all_of(systems, is_first))
    return fmt::format("the {} backend", systems.empty() ? "" : systems.front().backend);
  std::vector<std::string> each;
  for (const RunResult& run : systems) each.push_back(run.name + ": " + run.backend);
  return fmt::format("different backends ({})", fmt::join(each, ", "));
}

std::string title(Systems systems) {
  std::string text = fmt::format("{} systems on {}\n", systems.size(), backends(systems));
  for (const RunResult& result : systems)
    if (result.partial)
      text += fmt::format("PARTIAL RESULT of {} ({}): what follows is what was reached\n",
                          result.name, result.partial_reason);
  return text;
}

// With --what-if: of each system, what changes of one thing gain.
std::string what_ifs(Systems systems) {
  std::string text;
  for (const RunResult& result : systems)
    if (!result.what_if.empty())
      text += fmt::format("\n{}\n{}", result.name, table_of(result.what_if).text());
  return text;
}

std::string footer(Systems systems) {
  TextTable table({{"", left_aligned}, {"fingerprint", left_aligned}, {"messages"}, {"events"}});
  std::string host;
  for (const RunResult& result : systems) {
    table.add_row({result.name, result.fingerprint, std::to_string(result.messages),
                   std::to_string(result.events)});
    host += fmt::format("host: {}: {:.3f} s wall, {:.3f} s CPU\n", result.name, result.host.wall_s,
                        result.host.cpu_s);
  }
  return '\n' + table.text() + host;
}

}  // namespace

std::string comparison_text(std::span<const RunResult> results, const ReportOptions& options) {
  const std::string text =
      title(results) + without_room_text(results) + backends_text(results) +
      summary(results, options.width) + within_ties(results) + reasons(results, options.width) +
      difference_text(results, options.width) + what_ifs(results) + saturated(results) +
      (options.layers ? layers(results, options.width) : "") + footer(results);
  return wrapped_text(text, options.width);
}

}  // namespace orrery
