// What a backend with packets counted, as rows of a result (columns.h).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "network/packet_statistics.h"
#include "simulation/columns.h"
#include "simulation/tensor_rows.h"

namespace orrery {

// What lists of rows are lists of, wherever they stand.
inline constexpr const char* help_of_queues =
    "queue that lost, marked or kept packets, most drops first, then most waiting bytes; the first "
    "10, or all with --all-links";
inline constexpr const char* help_of_pauses =
    "class of a link that was paused, the longest in all first; the first 10, or all with "
    "--all-links";
inline constexpr const char* help_of_classes =
    "queue of a class that lost or marked packets, where links have several, most drops first; the "
    "first 10, or all with --all-links";

// A link of a packet network and the queue before it.
struct QueueRow {
  std::string name;  // "switch 128 -> npu 3"
  std::uint64_t packets = 0, drops = 0, marks = 0;
  Bytes most_waiting;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &QueueRow::name, "the link that the queue is before",
               {.text = {"fullest queues"}});
    row.column("packets", &QueueRow::packets, "packets that crossed the link",
               {.text = {"packets"}});
    row.column("drops", &QueueRow::drops, "packets that were lost", {.text = {"lost"}});
    row.column("marks", &QueueRow::marks, "packets that were marked", {.text = {"marked"}});
    row.column("most_waiting", &QueueRow::most_waiting, "most bytes that waited at a time",
               {.text = {"most waiting", "fullest queues"}});
  }
};

struct SwitchRow {
  std::string name;  // "switch 128"
  Bytes memory, most_used;
  Duration interval;
  std::vector<std::int64_t> peaks;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &SwitchRow::name, "name of the switch", {.text = {"switch memory"}});
    row.column("memory", &SwitchRow::memory, "size of its memory; of each port if it is not shared",
               {.text = {"of", "most used"}});
    row.column("most_used", &SwitchRow::most_used, "most bytes in use at a time",
               {.text = {"most used"}});
    row.column("interval_ps", &SwitchRow::interval, "length of the intervals of peaks");
    row.column("peaks", &SwitchRow::peaks,
               "most bytes in use in each interval, from the start of the run on");
  }
};

// The queue before a watched link.
struct DepthRow {
  std::string name;  // "switch 128 -> npu 3"
  Duration interval;
  std::vector<std::int64_t> peaks, drops = {}, marks = {};

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &DepthRow::name, "name of the link");
    row.column("interval_ps", &DepthRow::interval, "length of the intervals of peaks");
    row.column("peaks", &DepthRow::peaks,
               "most bytes that waited before the link in each interval, from the start on");
    row.column("drops", &DepthRow::drops,
               "packets lost before the link in each interval, to the last loss");
    row.column("marks", &DepthRow::marks,
               "packets marked before the link in each interval, to the last mark");
  }
};

// The queue of one class before a watched link.
struct DepthTimesRow {
  std::string name;  // "switch 128 -> npu 3"
  std::int32_t priority = 0;
  std::vector<Duration> times;  // of 0 to 999 B, 1,000 to 1,999 B, ...

  // The least bytes of the fullest bin that is needed to cover this share of the time.
  std::int64_t bytes_for(double share) const;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &DepthTimesRow::name, "the link that the queue is before",
               {.text = {"depth of"}});
    row.column("priority", &DepthTimesRow::priority, "the class of packets",
               {.text = {"priority"}});
    row.column("p50_bytes", [](const DepthTimesRow& one) { return bytes(one.bytes_for(0.5)); },
               "bytes that waited half of the time at most, in steps of 1,000", {.text = {"p50"}});
    row.column("p99_bytes", [](const DepthTimesRow& one) { return bytes(one.bytes_for(0.99)); },
               "99 % of the time", {.text = {"p99"}});
    row.column("most_bytes", [](const DepthTimesRow& one) { return bytes(one.bytes_for(1)); },
               "all of the time", {.text = {"most"}});
    row.column(
        "times_ps",
        [](const DepthTimesRow& one) {
          std::vector<std::int64_t> waited;
          for (const Duration time : one.times) waited.push_back(time.value);
          return waited;
        },
        "how long 0 to 999 bytes waited, 1,000 to 1,999, and so on");
  }
};

// One bin of it.
struct DepthBinRow {
  static constexpr std::int64_t bin = 1'000;

  std::string queue;
  std::int32_t priority = 0;
  std::int64_t from_bytes = 0;
  Duration time;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("queue", &DepthBinRow::queue, "the link that it is before");
    row.column("priority", &DepthBinRow::priority, "the class of packets");
    row.column("from_bytes", &DepthBinRow::from_bytes, "so many bytes waited, to 999 more");
    row.column("time_ps", &DepthBinRow::time, "for so long");
  }
};

// One of its peaks.
struct DepthPeakRow {
  std::string queue;
  Duration begin, end;
  std::int64_t most_waiting = 0, drops = 0, marks = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("queue", &DepthPeakRow::queue, "the link that it is before");
    row.column("begin_ps", &DepthPeakRow::begin, "start of the interval");
    row.column("end_ps", &DepthPeakRow::end, "end of the interval");
    row.column("most_waiting", &DepthPeakRow::most_waiting, "most bytes that waited in it");
    row.column("drops", &DepthPeakRow::drops, "packets lost in it");
    row.column("marks", &DepthPeakRow::marks, "packets marked in it");
  }
};

// What the packets of a kind of traffic waited, on the average.
struct WaitRow {
  std::string collective;
  std::uint64_t packets = 0;
  Duration at_source, in_switches, longest;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("collective", &WaitRow::collective,
               "the kind of traffic, point_to_point or acknowledgements",
               {.text = {"packets wait"}});
    row.column("packets", &WaitRow::packets, "number of packets", {.text = {"packets"}});
    row.column("at_source_ps", &WaitRow::at_source, "mean wait at the source",
               {.text = {"at the source"}});
    row.column("in_switches_ps", &WaitRow::in_switches, "mean wait in all switches of the way",
               {.text = {"in switches"}});
    row.column("longest_ps", &WaitRow::longest, "longest wait of a packet in one queue",
               {.text = {"longest"}});
  }
};

struct FlowRow {
  std::string name;  // "npu 3 -> npu 7"
  std::vector<FlowSample> samples;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &FlowRow::name, "name of the connection");
    row.column(
        "samples",
        [](const FlowRow& flow) {
          std::vector<std::vector<std::int64_t>> triples;
          for (const FlowSample& sample : flow.samples)
            triples.push_back({sample.at.since_start.value, sample.congestion_window.value,
                               sample.smoothed_rtt.value});
          return triples;
        },
        "time in ps, congestion window in bytes, smoothed round trip in ps; at most 4,096");
    row.column(
        "rates",
        [](const FlowRow& flow) {
          std::vector<std::int64_t> rates;
          for (const FlowSample& sample : flow.samples)
            if (sample.rate > Bandwidth{}) rates.push_back(sample.rate.value);
          return rates;
        },
        "of RoCE: the rate that the control allows at each of these times, in bytes a second");
    row.column(
        "congestion",
        [](const FlowRow& flow) {
          std::vector<std::int64_t> congestion;
          for (const FlowSample& sample : flow.samples)
            if (sample.congestion)
              congestion.push_back(static_cast<std::int64_t>(*sample.congestion * 1e6));
          return congestion;
        },
        "of RoCE: what the control believes of congestion then, in millionths: alpha of dcqcn and "
        "dctcp, the utilisation of hpcc, the gradient of timely");
  }
};

// One of its samples.
struct FlowSampleRow {
  std::string flow;
  Duration time;
  std::int64_t congestion_window = 0;
  Duration smoothed_rtt;
  std::optional<std::int64_t> rate;
  std::optional<double> congestion;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("flow", &FlowSampleRow::flow, "the connection");
    row.column("time_ps", &FlowSampleRow::time, "time of the sample");
    row.column("congestion_window", &FlowSampleRow::congestion_window,
               "congestion window in bytes");
    row.column("smoothed_rtt_ps", &FlowSampleRow::smoothed_rtt,
               "the round trip as TCP smooths it; of RoCE the last one");
    row.column("rate", &FlowSampleRow::rate, "of RoCE: what the control allows, in bytes a second");
    row.column("congestion", &FlowSampleRow::congestion,
               "of RoCE: what the control believes of congestion, from 0 to 1");
  }
};

// A class of a link whose sender was told to pause (PFC).
struct PauseRow {
  std::string name;  // "npu 3 -> switch 128"
  std::string by;    // "switch 128": the end of the link
  std::int32_t priority = 0;
  std::uint64_t count = 0;
  Duration time;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &PauseRow::name, "the link that was paused", {.text = {"paused"}});
    row.column("by", &PauseRow::by, "the node that told it to pause, the end of the link",
               {.text = {"by"}});
    row.column("priority", &PauseRow::priority, "the class of packets", {.text = {"priority"}});
    row.column("count", &PauseRow::count, "times that it was paused", {.text = {"times"}});
    row.column("time_ps", &PauseRow::time, "time that it was paused, in all", {.text = {"for"}});
  }
};

// Why packets were lost: of a run, and of the queue of one class before a link.
struct LossRow {
  std::uint64_t full = 0, picked = 0, no_headroom = 0, random = 0, link_down = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("full", &LossRow::full, "packets that found the memory of a switch full");
    row.column("picked", &LossRow::picked, "packets that RED dropped");
    row.column("no_headroom", &LossRow::no_headroom,
               "packets of a lossless class that came after a pause and found no room");
    row.column("random", &LossRow::random,
               "packets that links lost (network.switch.loss, lossy_links)");
    row.column("link_down", &LossRow::link_down,
               "packets that were to go over a link that was down");
  }
};

LossRow losses_of(const DropCounts& counts);
std::string causes_of(const LossRow& losses);  // "full buffer 10, link down 2"; empty: none

// The queue of one class before a link.
struct ClassRow {
  std::string name;  // "switch 128 -> npu 3"
  std::int32_t priority = 0;
  std::uint64_t drops = 0, marks = 0;
  LossRow losses;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &ClassRow::name, "the link that the queue is before",
               {.text = {"class of queue"}});
    row.column("priority", &ClassRow::priority, "the class of packets", {.text = {"priority"}});
    row.column("drops", &ClassRow::drops, "packets that were lost", {.text = {"lost"}});
    row.column("marks", &ClassRow::marks, "packets that were marked", {.text = {"marked"}});
    row.column("causes", [](const ClassRow& one) { return causes_of(one.losses); },
               "why they were lost", {.csv = no_column, .text = {"because of"}, .json = false});
    row.part("losses", &ClassRow::losses, "why they were lost");
  }
};

// An NPU of network.slow.
struct ReceiverRow {
  std::string name;
  std::int64_t rate = 0;  // bytes a second
  Bytes taken;            // on the wire
  Duration busy;          // what that takes at its rate
  std::uint64_t drops = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("name", &ReceiverRow::name, "name of the NPU");
    row.column("rate", &ReceiverRow::rate, "what it takes, in bytes a second");
    row.column("taken_bytes", &ReceiverRow::taken, "what it took, with headers");
    row.column("busy_ps", &ReceiverRow::busy, "how long it took what came, at its rate");
    row.column("drops", &ReceiverRow::drops, "packets that its NIC had no room for");
  }
};

// What only RoCE and its lossless classes count.
struct RoceRow {
  std::uint64_t notifications = 0, refusals = 0, pauses = 0, watchdogs = 0;
  Duration paused;
  double held_by_rate = 0, held_by_window = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("notifications", &RoceRow::notifications,
               "packets that told senders of marks (CNPs)");
    row.column("refusals", &RoceRow::refusals, "packets that told senders of gaps (NACKs)");
    row.column("pauses", &RoceRow::pauses, "times that a class of a link was paused (PFC)");
    row.column("paused_ps", &RoceRow::paused, "time of these, the sum over all links");
    row.column("watchdogs", &RoceRow::watchdogs,
               "pauses that lasted longer than network.switch.pfc.watchdog");
    row.column(
        "held_by_rate", &RoceRow::held_by_rate,
        "share of the time in which queue pairs had data to send: the line was free, and the "
        "rate of their congestion control said later");
    row.column("held_by_window", &RoceRow::held_by_window,
               "the same of their window: what is on the way was not acknowledged yet");
  }
};

// Packets that came after one of their flow that was sent later.
struct ReorderingRow {
  std::uint64_t late = 0, most_overtaken_by = 0;
  Bytes most_held;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("late", &ReorderingRow::late, "packets that a later one of their flow overtook");
    row.column("most_overtaken_by", &ReorderingRow::most_overtaken_by,
               "the largest distance in packets of such a one from the newest that was there");
    row.column("most_held_bytes", &ReorderingRow::most_held,
               "the most that a receiver kept of one flow until what was before it came");
  }
};

// Packets that were cut to their headers.
struct TrimmingRow {
  std::uint64_t trimmed = 0, returned = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("trimmed", &TrimmingRow::trimmed, "packets that were cut to their headers");
    row.column("returned", &TrimmingRow::returned, "headers that went back to their senders");
  }
};

// What crossed a link, as a file for tcpdump and Wireshark; its place in PacketResult::captures is
// that in network.transport.capture.
struct CaptureRow {
  std::string link;
  std::uint64_t packets = 0, left_out = 0;
  std::string pcap;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("link", &CaptureRow::link, "the link, as network.transport.capture names it");
    row.column("packets", &CaptureRow::packets, "packets in the file");
    row.column("left_out", &CaptureRow::left_out, "packets that came after the file was full");
  }
};

// Of a backend that has packets.
struct PacketResult {
  std::uint64_t packets = 0, packet_hops = 0, drops = 0, marks = 0;
  std::uint64_t connections = 0, retransmissions = 0, timeouts = 0;
  std::optional<LossRow> losses;                             // if some packet was lost
  std::optional<ReorderingRow> reordering;                   // if some packet was late
  std::optional<TrimmingRow> trimming;                       // if some packet was trimmed
  std::optional<UndeliveredRow> undelivered;                 // if some message may lose a part
  std::vector<MissingRow> missing;                           // of these, by layer
  std::vector<MissingOfIterationRow> missing_of_iterations;  // if there are several
  std::vector<TensorRow> tensors;                            // of all layers: by way, and of both
  std::vector<TensorRow> tensors_of_layers;                  // by way and layer
  std::optional<RoceRow> roce;                               // if some level has this transport
  std::vector<QueueRow> queues;  // most drops first, then most bytes waiting
  std::vector<PauseRow> pauses;  // longest first
  std::vector<ClassRow> classes;
  std::vector<ReceiverRow> receivers;
  std::vector<SwitchRow> switches;
  std::vector<WaitRow> waits;
  std::vector<DepthRow> depths;
  std::vector<DepthTimesRow> depth_times;
  std::vector<FlowRow> flows;
  std::vector<CaptureRow> captures;
  std::vector<TotalTime> late;  // PacketStatistics::late; no column

  template <class Columns>
  static void describe(Columns& row) {
    row.column("packets", &PacketResult::packets,
               "packets that the ends handed to the network, acknowledgements too");
    row.column("packet_hops", &PacketResult::packet_hops, "links that all of them crossed");
    row.column("drops", &PacketResult::drops, "packets that were lost");
    row.column("marks", &PacketResult::marks, "packets that were marked");
    row.column("connections", &PacketResult::connections, "connections that were made");
    row.column("retransmissions", &PacketResult::retransmissions, "segments that were sent again");
    row.column("timeouts", &PacketResult::timeouts, "retransmission timers that ran out");
    row.rows("queues", &PacketResult::queues, help_of_queues, {.busiest_only = true});
    row.part("losses", &PacketResult::losses, "why packets were lost; only where some were",
             {.omit_if_none = true});
    row.part("reordering", &PacketResult::reordering,
             "packets that came out of order; only where some did", {.omit_if_none = true});
    row.part("trimming", &PacketResult::trimming,
             "packets that were cut to their headers; only where some were",
             {.omit_if_none = true});
    row.part("undelivered", &PacketResult::undelivered,
             "messages that may be delivered in part; only where some may", {.omit_if_none = true});
    row.rows("missing", &PacketResult::missing, "layer whose messages may lose a part",
             {.omit_if_empty = true});
    row.rows("missing_of_iterations", &PacketResult::missing_of_iterations,
             "iteration and layer whose messages may lose a part, where there are several "
             "iterations",
             {.omit_if_empty = true});
    row.rows("tensors", &PacketResult::tensors,
             "way of messages of gradients (of all layers), and both; only where there are some",
             {.omit_if_empty = true});
    row.rows("tensors_of_layers", &PacketResult::tensors_of_layers,
             "way and layer of messages of gradients; only where there are some",
             {.omit_if_empty = true});
    row.part("roce", &PacketResult::roce, "counts of RoCE; only where it is a transport",
             {.omit_if_none = true});
    row.rows("pauses", &PacketResult::pauses, help_of_pauses,
             {.omit_if_empty = true, .busiest_only = true});
    row.rows("classes", &PacketResult::classes, help_of_classes,
             {.omit_if_empty = true, .busiest_only = true});
    row.rows("receivers", &PacketResult::receivers, "NPU of network.slow", {.omit_if_empty = true});
    row.rows("switches", &PacketResult::switches, "switch that held packets");
    row.rows("waits", &PacketResult::waits, "kind of traffic");
    row.rows("depths", &PacketResult::depths, "link of network.switch.watch");
    row.rows("depth_times", &PacketResult::depth_times,
             "class of a link of network.switch.watch that had packets", {.omit_if_empty = true});
    row.rows("flows", &PacketResult::flows, "connection of network.transport.watch");
    row.rows("captures", &PacketResult::captures, "item of network.transport.capture");
  }
};

std::vector<DepthPeakRow> depth_peaks(const PacketResult& packets);
std::vector<DepthBinRow> depth_bins(const PacketResult& packets);
std::vector<FlowSampleRow> flow_samples(const PacketResult& packets);

}  // namespace orrery
