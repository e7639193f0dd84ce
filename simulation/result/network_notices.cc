#include "simulation/result/network_notices.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {

std::vector<std::string> setting_notices(const NetworkSpec& spec,
                                         std::span<const std::string> unused) {
  std::vector<std::string> notices;
  for (const GivenSetting& setting : spec.given)
    if (!setting.needs.empty() &&
        std::find(unused.begin(), unused.end(), setting.path) == unused.end())
      notices.push_back(fmt::format("{} has no effect without {}", setting.path, setting.needs));
  return notices;
}

std::vector<std::string> packet_notices(const NetworkSpec& spec, const Topology& topology,
                                        const PacketStatistics& packets) {
  std::vector<std::string> notices;
  for (std::size_t i = 0; i < spec.transport.watched.size(); ++i) {
    const NodeId from{spec.transport.watched[i].from}, to{spec.transport.watched[i].to};
    const auto is_it = [&](const FlowStatistics& flow) {
      return flow.source == from && flow.target == to;
    };
    if (std::none_of(packets.flows.begin(), packets.flows.end(), is_it))
      notices.push_back(
          fmt::format("network.transport.watch[{}] saw nothing: there was no connection {} -> {}",
                      i, topology.node_name(from), topology.node_name(to)));
  }
  for (std::size_t i = 0; i < packets.captures.size(); ++i) {
    const CaptureStatistics& capture = packets.captures[i];
    if (capture.packets == 0)
      notices.push_back(fmt::format(
          "network.transport.capture[{}] is empty: no such packet crossed {}", i, capture.link));
    else if (capture.left_out > 0)
      notices.push_back(
          fmt::format("network.transport.capture[{}] has the first {} of {} packets: raise "
                      "network.transport.capture_limit for more",
                      i, capture.packets, capture.packets + capture.left_out));
  }
  return notices;
}

}  // namespace orrery
