#include "simulation/packet_cost.h"

#include <fmt/format.h>

#include <algorithm>

#include "network/backends.h"

namespace orrery {

namespace {

// Up and down again; behind the same NIC each level has links of its own, above those of the level
// below.
int links_on_the_way(const Topology& topology, int level) {
  const LevelKind kind = topology.levels()[static_cast<std::size_t>(level)].kind;
  if (kind == LevelKind::switched || kind == LevelKind::graph)
    return 2 * (level - topology.port_level(level) + 1);
  return 1;
}

}  // namespace

double packet_cpu_seconds(const NetworkSpec& network, const Topology& topology,
                          std::span<const TotalBytes> bytes) {
  constexpr double of_tcp = 4e-6, of_others = 0.8e-6;  // for each packet and link
  const BackendEntry* backend = find_backend(network.backend);
  const TransportKind usual = backend != nullptr && backend->traits->has_packets
                                  ? backend->traits->transport
                                  : find_backend("packet")->traits->transport;
  double seconds = 0;
  for (std::size_t level = 0; level < bytes.size(); ++level) {
    const TransportKind kind = network.transport_of(level, topology.levels()[level].scope, usual);
    if (kind == TransportKind::ideal) continue;
    const bool tcp = kind == TransportKind::tcp;
    const Bytes segment =
        tcp ? maximum_segment(network.transport) : roce_of(network.transport).payload;
    const double packets =
        bytes[level].as_double() / static_cast<double>(std::max(segment, Bytes{1}).value);
    seconds +=
        packets * links_on_the_way(topology, static_cast<int>(level)) * (tcp ? of_tcp : of_others);
  }
  return seconds;
}

std::string cpu_time_text(double seconds) {
  constexpr double least = 0.01, minute = 60, hour = 3600, few = 2, one_digit = 9.5;
  if (seconds < least) return "0.01 CPU s";
  if (seconds < one_digit) return fmt::format("{:.1g} CPU s", seconds);
  if (seconds < few * minute) return fmt::format("{:.0f} CPU s", seconds);
  if (seconds < few * hour) return fmt::format("{:.0f} CPU minutes", seconds / minute);
  return fmt::format("{:.3g} CPU hours", seconds / hour);
}

}  // namespace orrery
