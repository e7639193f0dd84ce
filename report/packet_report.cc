#include "report/packet_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "core/units/unit_text.h"
#include "report/row_table.h"
#include "report/text_table.h"

namespace orrery {
namespace {

std::string cost_of_missing(const RunResult& result) {
  const std::optional<double>& rounds = result.packets->undelivered->rounds;
  if (!rounds) return "what that does to the model is not modelled";
  const std::optional<Duration> iteration = iteration_with_rounds(result);
  return fmt::format("that costs {:.3f} times the rounds (network.transport.rounds){}", *rounds,
                     iteration ? ", an iteration is as good as one of " + to_text(*iteration) : "");
}

std::string counts(const RunResult& result) {
  const PacketResult& packets = *result.packets;
  TextTable table({{"", left_aligned}, {""}, {"", left_aligned}});
  table.add_row({"packets", std::to_string(packets.packets), "acknowledgements too"});
  table.add_row({"packet-hops", std::to_string(packets.packet_hops), ""});
  table.add_row(
      {"lost", std::to_string(packets.drops), packets.losses ? causes_of(*packets.losses) : ""});
  table.add_row({"marked", std::to_string(packets.marks), ""});
  table.add_row({"sent again", std::to_string(packets.retransmissions), "segments"});
  if (const std::optional<TrimmingRow>& trimming = packets.trimming)
    table.add_row({"trimmed", std::to_string(trimming->trimmed),
                   fmt::format("cut to headers, {} of these returned", trimming->returned)});
  if (const std::optional<ReorderingRow>& order = packets.reordering)
    table.add_row({"late", std::to_string(order->late),
                   fmt::format("overtaken by up to {} packets, {} held", order->most_overtaken_by,
                               to_text(order->most_held))});
  table.add_row({"timeouts", std::to_string(packets.timeouts), ""});
  table.add_row({"connections", std::to_string(packets.connections), ""});
  if (const std::optional<UndeliveredRow>& part = packets.undelivered)
    table.add_row(
        {"not delivered", to_text(part->missing),
         fmt::format("{:.3f} % of {} that may lose some, {} probes; {}", 100 * part->share,
                     to_text(part->size), part->probes, cost_of_missing(result))});
  if (const std::optional<RoceRow>& roce = packets.roce) {
    table.add_row({"notified", std::to_string(roce->notifications), "CNPs of marks"});
    table.add_row({"refused", std::to_string(roce->refusals), "NACKs of gaps"});
    table.add_row({"paused", std::to_string(roce->pauses), "times, " + to_text(roce->paused)});
    table.add_row({"held back",
                   fmt::format("{:.1f} %", 100 * (roce->held_by_rate + roce->held_by_window)),
                   fmt::format("of senders' time: {:.1f} % by rates, {:.1f} % by windows",
                               100 * roce->held_by_rate, 100 * roce->held_by_window)});
    if (roce->watchdogs > 0)
      table.add_row({"watchdog", std::to_string(roce->watchdogs), "pauses that lasted too long"});
  }
  return '\n' + table.text();
}

template <class Rows>
std::string text_of(const Rows& rows) {
  const TextTable table = table_of(rows);
  return table.empty() ? "" : '\n' + table.text();
}

// Classes only say more than links do where several of them, or a loss, are in the rows.
bool says_more(std::span<const ClassRow> classes) {
  return std::ranges::any_of(classes, [&](const ClassRow& row) {
    return row.drops > 0 || row.priority != classes.front().priority;
  });
}

}  // namespace

std::string queues_text(std::span<const QueueRow> queues, std::span<const ClassRow> classes,
                        std::span<const PauseRow> pauses, const ReportOptions& options) {
  const auto shown = [&](auto rows) { return rows.first(shown_count(rows.size(), options)); };
  return text_of(shown(queues)) + (says_more(classes) ? text_of(shown(classes)) : "") +
         text_of(shown(pauses));
}

std::string packet_text(const RunResult& result, const ReportOptions& options) {
  if (!result.packets || result.packets->packets == 0) return "";
  return counts(result) + text_of(result.packets->waits) + text_of(result.packets->tensors) +
         text_of(result.packets->missing) +
         queues_text(result.packets->queues, result.packets->classes, result.packets->pauses,
                     options) +
         text_of(result.packets->depth_times) + text_of(result.packets->switches);
}

std::string packet_rate_text(const RunResult& result) {
  if (!result.packets || result.packets->packet_hops == 0 || result.host.cpu_s <= 0) return "";
  return fmt::format(", {:.2f} million packet-hops per CPU second",
                     static_cast<double>(result.packets->packet_hops) / result.host.cpu_s * 1e-6);
}

}  // namespace orrery
