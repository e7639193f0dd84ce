#include "frontends/report/packet_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "core/units/unit_text.h"
#include "frontends/report/text_table.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;
constexpr auto left = TextTable::Align::left;

std::span<const QueueRow> shown_queues(const PacketResult& packets, const ReportOptions& options) {
  const std::size_t count = options.all_links ? packets.queues.size() : 10;
  return std::span(packets.queues).first(std::min(count, packets.queues.size()));
}

std::string counts(const RunResult& result) {
  const PacketResult& packets = *result.packets;
  TextTable table({{"", left}, {""}, {"", left}});
  table.add_row({"packets", std::to_string(packets.packets), "acknowledgements too"});
  table.add_row({"packet-hops", std::to_string(packets.packet_hops), ""});
  table.add_row({"lost", std::to_string(packets.drops), ""});
  table.add_row({"marked", std::to_string(packets.marks), ""});
  table.add_row({"sent again", std::to_string(packets.retransmissions), "segments"});
  table.add_row({"timeouts", std::to_string(packets.timeouts), ""});
  table.add_row({"connections", std::to_string(packets.connections), ""});
  return '\n' + table.text();
}

std::string queues(const PacketResult& packets, const ReportOptions& options) {
  TextTable table({{"fullest queues", left}, {"most waiting"}, {"packets"}, {"lost"}, {"marked"}});
  for (const QueueRow& row : shown_queues(packets, options))
    table.add_row({row.name, to_text(row.most_waiting), std::to_string(row.packets),
                   std::to_string(row.drops), std::to_string(row.marks)});
  return table.empty() ? "" : '\n' + table.text();
}

std::string waits(const PacketResult& packets) {
  TextTable table(
      {{"packets wait", left}, {"packets"}, {"at the source"}, {"in switches"}, {"longest"}});
  for (const WaitRow& row : packets.waits)
    table.add_row({row.collective, std::to_string(row.packets), to_text(row.at_source),
                   to_text(row.in_switches), to_text(row.longest)});
  return table.empty() ? "" : '\n' + table.text();
}

std::string switches(const PacketResult& packets) {
  TextTable table({{"switch memory", left}, {"most used"}, {"of"}});
  for (const SwitchRow& row : packets.switches)
    table.add_row({row.name, to_text(row.most_used), to_text(row.memory)});
  return table.empty() ? "" : '\n' + table.text();
}

}  // namespace

std::string packet_text(const RunResult& result, const ReportOptions& options) {
  if (!result.packets || result.packets->packets == 0) return "";
  return counts(result) + waits(*result.packets) + queues(*result.packets, options) +
         switches(*result.packets);
}

std::string packet_rate_text(const RunResult& result) {
  if (!result.packets || result.packets->packet_hops == 0 || result.host.cpu_s <= 0) return "";
  return fmt::format(", {:.2f} million packet-hops per CPU second",
                     static_cast<double>(result.packets->packet_hops) / result.host.cpu_s * 1e-6);
}

Json packet_json(const PacketResult& packets, const ReportOptions& options) {
  Json json = {{"packets", packets.packets},
               {"packet_hops", packets.packet_hops},
               {"drops", packets.drops},
               {"marks", packets.marks},
               {"connections", packets.connections},
               {"retransmissions", packets.retransmissions},
               {"timeouts", packets.timeouts},
               {"queues", Json::array()},
               {"switches", Json::array()},
               {"waits", Json::array()},
               {"depths", Json::array()},
               {"flows", Json::array()},
               {"captures", Json::array()}};
  for (const QueueRow& row : shown_queues(packets, options))
    json["queues"].push_back({{"name", row.name},
                              {"packets", row.packets},
                              {"drops", row.drops},
                              {"marks", row.marks},
                              {"most_waiting", row.most_waiting.value}});
  for (const SwitchRow& row : packets.switches)
    json["switches"].push_back({{"name", row.name},
                                {"memory", row.memory.value},
                                {"most_used", row.most_used.value},
                                {"interval_ps", row.interval.value},
                                {"peaks", row.peaks}});
  for (const WaitRow& row : packets.waits)
    json["waits"].push_back({{"collective", row.collective},
                             {"packets", row.packets},
                             {"at_source_ps", row.at_source.value},
                             {"in_switches_ps", row.in_switches.value},
                             {"longest_ps", row.longest.value}});
  for (const DepthRow& row : packets.depths)
    json["depths"].push_back(
        {{"name", row.name}, {"interval_ps", row.interval.value}, {"peaks", row.peaks}});
  for (const FlowRow& row : packets.flows) {
    Json samples = Json::array();
    for (const FlowSample& sample : row.samples)
      samples.push_back(
          {sample.at.since_start.value, sample.congestion_window.value, sample.smoothed_rtt.value});
    json["flows"].push_back({{"name", row.name}, {"samples", std::move(samples)}});
  }
  for (const CaptureRow& row : packets.captures)
    json["captures"].push_back(
        {{"link", row.link}, {"packets", row.packets}, {"left_out", row.left_out}});
  return json;
}

}  // namespace orrery
