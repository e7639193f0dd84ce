// What the user should know about settings of the network that did not do what they say, as
// sentences for RunResult::notices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "network/network_spec.h"
#include "network/packet_statistics.h"
#include "simulation/experiment.h"
#include "simulation/packet_result.h"
#include "simulation/time_part.h"

namespace orrery {

// Those that need another setting. `unused`: NetworkBackend::unused_settings(), which the result
// lists (RunResult::ignored).
std::vector<std::string> setting_notices(const NetworkSpec& spec,
                                         std::span<const std::string> unused);

// The queue backend without network.queue.segment. On a graph, whose switches cut through, it is
// told.
bool stores_whole_messages(const NetworkSpec& spec);
std::vector<std::string> carriage_notices(const NetworkSpec& spec);

// NICs that can send more than the links from their NPUs bring.
std::vector<std::string> bus_notices(const Topology& topology);

// Faults that begin when the run is over, and switches of a tapered fat tree that only one other is
// joined to: the tier above a single pod. `finish`: of a run that is complete.
std::vector<std::string> idle_notices(const Experiment& experiment, const Topology& topology,
                                      Duration finish);

// Go-back-N takes packets that overtake each other for losses.
bool takes_disorder_for_loss(const NetworkSpec& spec);
std::vector<std::string> disorder_notices(const NetworkSpec& spec, std::uint64_t retransmissions);

// Those that network.faults take down, by name.
std::vector<std::string> failed_links(const NetworkSpec& spec, const Topology& topology);

// What faults that lose packets delay, at most: until the switches know of them, and the timer of
// what was lost until then.
Duration delayed_by_faults(const NetworkSpec& spec, Duration finish);

// The buffer that the links of a level need to be full, if the one that is written for the credit
// backend is shorter than that by a fifth or more.
std::optional<Bytes> room_of_credits(const NetworkSpec& spec, const Topology& topology,
                                     const std::string& level);

// Whether windows take most of what a part waits beyond the time in which its bytes are carried. A
// connection of TCP has one in flight in each round trip. Senders of RoCE say how long theirs held
// them, whatever level they sent to, so theirs is only a part that is mostly unexplained.
bool windows_hold(const TimePart& part, double carried, const NetworkSpec& spec,
                  const Topology& topology, const std::optional<PacketResult>& packets);

// Watched connections that never were, captures that are empty or full.
std::vector<std::string> packet_notices(const NetworkSpec& spec, const Topology& topology,
                                        const PacketStatistics& packets);

}  // namespace orrery
