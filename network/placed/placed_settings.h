// What tells the transports apart whose receivers place packets by offset.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "network/network_spec.h"
#include "network/transport/congestion_control.h"

namespace orrery {

struct PlacedSettings {
  std::string_view name;  // for messages
  Bytes payload;
  Duration rto;
  // If not 0, a timeout is at least so many idle round trips, and each that follows another takes
  // twice as long, up to `longest_rto`. So long waits a sender for being asked, with no packet on
  // its way. If 0, all timeouts are `rto`.
  std::int32_t least_round_trips = 0;
  Duration longest_rto = milliseconds(4);
  // A timeout counts from when the oldest packet on its way was sent, as in uet-htsim (startRTO,
  // recalculateRTO); else from when something came back.
  bool packets_time_out = false;
  std::int32_t retries = 0;
  std::int32_t priority = 0;
  bool trims = false;
  bool returns = false;  // headers that find no room go back to their senders
  bool pulls = false;    // receivers ask for packets, at the rate of their links ...
  // ... up to a window ahead, whatever came; else for one for each packet that came.
  bool pulls_ahead = false;
  std::int32_t packets_of_pull = 1;          // at most
  std::optional<Bytes> initial_window = {};  // with pulls; else ...
  double initial_bdps = 1;                   // ... so many BDPs
  std::int32_t entropy_values = 1;
  // An entropy value that came back unmarked is used again before one whose turn it is.
  bool recycles = false;
  RoutingPolicy usual_policy = RoutingPolicy::spray;  // on graphs, if the file names none
  SwitchSpec switches = {};
  std::function<std::unique_ptr<CongestionControl>(const PathFacts&)> make_control = {};
};

// The switches of the file; without classes there, data that is trimmed (or lost) when `queue` of
// it waits at a port, and above it a class that carries control. A buffer that the file gives
// stands for `queue`.
SwitchSpec switches_for_placed(const NetworkSpec& spec, const PacketClass& data);

}  // namespace orrery
