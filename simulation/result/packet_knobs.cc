#include "simulation/result/packet_knobs.h"

#include <fmt/format.h>

#include <cstdint>

#include "simulation/result/knobs.h"
#include "simulation/result/network_notices.h"

namespace orrery {

std::string other_recovery(const RunResult& result, const NetworkSpec& network) {
  constexpr std::uint64_t few = 50;  // a segment of so many packets
  const bool many =
      result.packets && result.packets->retransmissions * few > result.packets->packets;
  return many && takes_disorder_for_loss(network) ? recovery_of_disorder : "";
}

std::string other_control(const TimePart& part, const RunResult& result, const NetworkSpec& network,
                          double idle) {
  constexpr double considerable = 0.2, half = 0.5;
  const bool waits = part.bound_by == BoundBy::contention || part.bound_by == BoundBy::window ||
                     part.bound_by == BoundBy::dependencies || part.bound_by == BoundBy::limits ||
                     part.bound_by == BoundBy::bandwidth || part.bound_by == BoundBy::latency;
  const double rest = static_cast<double>(part.rest.value);
  if (!waits || rest < half * considerable * static_cast<double>(part.time.value)) return "";
  if (!result.packets || !result.packets->roce) return "";
  const double held = result.packets->roce->held_by_rate;
  if (idle < considerable || held < considerable * idle) return "";
  const TransportSpec& transport = network.transport;
  const std::string control =
      transport.congestion_control.value_or(transport.roce.congestion_control);
  return fmt::format(
      "another network.transport.congestion_control ({} kept senders below line rate, {:.0f} % of "
      "their time), or its parameters; ",
      control, 100 * held);
}

}  // namespace orrery
