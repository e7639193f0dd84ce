// What packet networks count besides bytes: part of NetworkStatistics where a backend has packets.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/total.h"
#include "core/units/units.h"
#include "network/tensor_part.h"
#include "network/topology/topology.h"

namespace orrery {

// Why a packet is lost.
enum class DropCause : std::uint8_t {
  full,         // the switch had no memory for it
  picked,       // by RED
  no_headroom,  // of a lossless class
  random,       // the link loses packets
  link_down,
};
std::string_view name_of(DropCause cause);  // as reports say it
inline constexpr std::size_t drop_causes = 5;
using DropCounts = std::array<std::uint64_t, drop_causes>;  // by cause
constexpr std::uint64_t sum_of(const DropCounts& counts) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return sum;
}

constexpr void add_counts(DropCounts& sum, const DropCounts& part) {
  for (std::size_t i = 0; i < drop_causes; ++i) sum[i] += part[i];
}

// Packets of a flow that came after one that was sent later, what was sent again not counted.
struct Reordering {
  std::uint64_t late = 0;
  std::uint64_t most_overtaken_by = 0;  // the number of the newest packet there less its own
  Bytes most_held;                      // of one flow, by its receiver, until what is before came
};

// Of tensors that a transport may deliver in part: what was missing when they were delivered.
struct MissingData {
  std::uint8_t iteration = 0;  // TensorPart::iteration
  std::int16_t layer = -1;     // TensorPart::layer
  std::uint64_t messages = 0;
  Bytes bytes, missing;
  Bytes late;  // of what was missing, came after all
  // While a tensor was under way: data that switches and links lost, what of that was droppable,
  // and what was sent again.
  Bytes lost, lost_droppable, again;
};

// How long messages of gradients took, from the send to the last byte that they needed.
struct TensorTimes {
  TensorWay way = TensorWay::none;  // none: of both
  std::int16_t layer = -1;          // TensorPart::layer; all_layers
  std::uint64_t messages = 0;
  Duration mean, median, p99, longest;
  static constexpr std::int16_t all_layers = -2;
};

// One directed link and the queue before it.
struct LinkQueueStatistics {
  Bytes sent;  // on the wire: with headers, and what was sent again
  std::uint64_t packets = 0, drops = 0, marks = 0;
  Bytes most_waiting;  // in the queue, the packet being sent not counted
};

// What the queue of one class before a link lost and marked, where packets have classes.
struct ClassQueueStatistics {
  LinkIndex link;
  std::int32_t priority = 0;
  DropCounts drops = {};
  std::uint64_t marks = 0;
};

// How often and how long a class of a link was paused by the link's receiving end (PFC).
struct PauseStatistics {
  LinkIndex link;
  std::int32_t priority = 0;
  std::uint64_t count = 0;
  Duration time;
};

// An NPU of SwitchSpec::slow.
struct ReceiverStatistics {
  NodeId npu;
  Bandwidth rate;
  std::uint64_t drops = 0;  // that its NIC had no room for
  Bytes taken;              // on the wire
};

// Largest number of bytes in use in each of a row of equal intervals.
struct SwitchMemoryStatistics {
  NodeId node;
  Bytes size;  // of the pool; of each port if it is not shared
  Bytes most_used;
  Duration interval;
  std::vector<std::int64_t> peaks;
};

// Most bytes that waited before a watched link in each of a row of equal intervals, to that of the
// last change; and the packets that were lost and marked there, to the last that was.
struct QueueDepthStatistics {
  LinkIndex link;
  Duration interval;
  std::vector<std::int64_t> peaks, drops = {}, marks = {};
};

// How long what waited of a class before a watched link was how much: 0 to 999 B, 1,000 to 1,999 B,
// and so on.
struct DepthTimes {
  static constexpr std::int32_t all_classes = -1;

  LinkIndex link;
  std::int32_t priority = 0;  // or all_classes
  std::vector<Duration> times;
};

// A class of a link is paused now, or goes on.
struct PauseEvent {
  Time at;
  LinkIndex link;
  std::int32_t priority = 0;
  bool paused = false;
};

// What packets of a kind waited, summed over them, each rounded down to nanoseconds.
struct PacketWaits {
  std::uint64_t packets = 0;  // that were handed to the network, lost ones too
  TotalTime at_source, in_switches;
  Duration longest;  // in one queue
};

// How one watched connection fared, at the sender. Kept: at most 4,096 of its changes. When there
// are more, every second one is forgotten, and from then on only every second (fourth, ...) kept.
struct FlowSample {
  Time at;
  Bytes congestion_window;
  Duration smoothed_rtt;  // RoCE: the last one
  // RoCE: what the control allows, and what it believes of congestion (CongestionControl).
  Bandwidth rate = {};                    // 0: there is none
  std::optional<double> congestion = {};  // 0 to 1: DCQCN's and DCTCP's alpha, HPCC's utilisation
};
struct FlowStatistics {
  NodeId source, target;
  std::vector<FlowSample> samples;
};

// What crossed the links of a CaptureSpec, as the contents of a file (packet_capture.h).
struct CaptureStatistics {
  std::string link;  // CaptureSpec::link
  std::uint64_t packets = 0, left_out = 0;
  std::string pcap;
};

// RoCE: what pairs that had data to send waited for, summed over them.
struct SenderTimes {
  TotalTime with_data;
  TotalTime by_rate, by_window;  // of it: the line was free, the control said later
};

struct PacketStatistics {
  std::uint64_t packets = 0;      // handed to the network by its ends, acknowledgements too
  std::uint64_t packet_hops = 0;  // links crossed by all of them
  std::uint64_t drops = 0, marks = 0;
  DropCounts drops_by_cause = {};
  Reordering reordering;
  std::uint64_t connections = 0, retransmissions = 0, timeouts = 0;
  std::uint64_t notifications = 0, refusals = 0;  // RoCE: CNPs and NACKs
  SenderTimes senders;
  std::uint64_t trimmed = 0, returned = 0;  // packets cut to headers; of these, sent back
  std::uint64_t probes = 0;                 // MLT: questions for what is missing
  std::uint64_t watchdogs = 0;              // PFC: pauses that lasted too long
  std::vector<PacketWaits> waits;           // by Message::label, of data
  PacketWaits acknowledgement_waits;
  std::vector<LinkQueueStatistics> links;        // as Topology::links()
  std::vector<ClassQueueStatistics> classes;     // that lost or marked, where there are several
  std::vector<PauseStatistics> pauses;           // that there were
  std::vector<ReceiverStatistics> receivers;     // as SwitchSpec::slow
  std::vector<SwitchMemoryStatistics> switches;  // that held packets
  std::vector<QueueDepthStatistics> depths;      // of SwitchSpec::watched
  std::vector<DepthTimes> depth_times;           // of these, of classes that had packets and of all
  std::vector<PauseEvent> pause_events;          // the first SwitchSpec::pause_log
  std::vector<FlowStatistics> flows;             // those that were asked for
  std::vector<CaptureStatistics> captures;       // as NetworkSpec::captures
  std::vector<MissingData> missing;  // by iteration and layer, of transports that may lose some
  // Of backends, by the outermost level that messages cross: what they took beyond their bytes at
  // the level's bandwidth and the idle way, summed over all.
  std::vector<TotalTime> late;
  // Of backends: by way, by layer and of all; then of both ways.
  std::vector<TensorTimes> tensors;
};

void add_reordering(Reordering& sum, const Reordering& part);

// Counts of transports that share no link, in one: rows of links, kinds and captures one by one.
void add(PacketStatistics& sum, const PacketStatistics& part);

}  // namespace orrery
