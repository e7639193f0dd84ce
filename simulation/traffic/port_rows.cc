#include "simulation/traffic/port_rows.h"

#include <cstdint>
#include <vector>

namespace orrery {

namespace {

std::vector<PortNumber> ports_of(const Topology& topology) {
  std::vector<std::int32_t> used(static_cast<std::size_t>(topology.node_count()));
  std::vector<PortNumber> ports;
  for (const Link& link : topology.links())
    ports.push_back({link.from.value, ++used[static_cast<std::size_t>(link.from.value)],
                     topology.node_kind(link.from) == NodeKind::switched});
  return ports;
}

}  // namespace

void add_ports(TrafficResult& result, const Topology& topology, const PacketStatistics& packets) {
  if (packets.pause_events.empty() && packets.depth_times.empty()) return;
  const std::vector<PortNumber> ports = ports_of(topology);
  for (const PauseEvent& event : packets.pause_events)
    result.port_pauses.push_back({event.at.since_start, ports[event.link], event.paused});
  for (const DepthTimes& depth : packets.depth_times)
    if (depth.priority == DepthTimes::all_classes)
      result.port_depths.push_back({ports[depth.link], depth.times});
}

}  // namespace orrery
