// What came out of traffic: flow completion times and slowdowns by size. docs/models/traffic.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "simulation/columns.h"
#include "simulation/flow.h"
#include "simulation/packet_result.h"
#include "simulation/result_rows.h"

namespace orrery {

// Mean and percentiles; a percentile p is the smallest value that p % of the values do not exceed.
struct TimeDistribution {
  Duration mean, p50, p95, p99;
};
struct RatioDistribution {
  double mean = 0, p50 = 0, p95 = 0, p99 = 0;
};
// Both reorder what they are given. REQUIRES: not empty.
TimeDistribution distribution_of(std::vector<Duration>& values);
RatioDistribution distribution_of(std::vector<double>& values);

struct FlowSizeRow {
  std::string flows;  // "to 10 kB", "all", "incast"
  Bytes above, most;  // sizes of its flows: larger than the one, at most the other
  std::uint64_t count = 0;
  TimeDistribution time;
  RatioDistribution slowdown;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("flows", &FlowSizeRow::flows,
               "which flows: of a range of sizes, all but those of incasts, or these");
    row.column("above_bytes", &FlowSizeRow::above, "they are larger than this");
    row.column("most_bytes", &FlowSizeRow::most, "and not larger than this");
    row.column("count", &FlowSizeRow::count, "how many were counted");
    row.column(
        "mean_ps", [](const FlowSizeRow& one) { return one.time.mean; },
        "mean time from start to end");
    row.column(
        "p50_ps", [](const FlowSizeRow& one) { return one.time.p50; }, "median of these times");
    row.column(
        "p95_ps", [](const FlowSizeRow& one) { return one.time.p95; }, "their 95th percentile");
    row.column(
        "p99_ps", [](const FlowSizeRow& one) { return one.time.p99; }, "their 99th percentile");
    row.column(
        "slowdown_mean", [](const FlowSizeRow& one) { return one.slowdown.mean; },
        "mean of time / time of the same flow on the idle network");
    row.column(
        "slowdown_p50", [](const FlowSizeRow& one) { return one.slowdown.p50; },
        "median of these ratios");
    row.column(
        "slowdown_p95", [](const FlowSizeRow& one) { return one.slowdown.p95; },
        "their 95th percentile");
    row.column(
        "slowdown_p99", [](const FlowSizeRow& one) { return one.slowdown.p99; },
        "their 99th percentile");
  }
};

struct TrafficPackets {
  std::uint64_t packets = 0, packet_hops = 0, drops = 0, marks = 0, retransmissions = 0,
                timeouts = 0;
  std::uint64_t notifications = 0, refusals = 0, pauses = 0, watchdogs = 0;  // of RoCE
  Duration paused;
  std::optional<LossRow> losses;  // if some packet was lost
  std::vector<QueueRow> queues;   // as those of PacketResult
  std::vector<PauseRow> paused_links;
  std::vector<ClassRow> classes;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("packets", &TrafficPackets::packets, "handed to the network, acknowledgements too");
    row.column("packet_hops", &TrafficPackets::packet_hops, "links crossed by all of them");
    row.column("drops", &TrafficPackets::drops, "packets lost");
    row.column("marks", &TrafficPackets::marks, "packets marked (ECN)");
    row.column("retransmissions", &TrafficPackets::retransmissions, "segments sent again");
    row.column("timeouts", &TrafficPackets::timeouts, "retransmission timeouts");
    row.column("notifications", &TrafficPackets::notifications,
               "packets that told senders of marks (CNPs)");
    row.column("refusals", &TrafficPackets::refusals, "packets that told senders of gaps (NACKs)");
    row.column("pauses", &TrafficPackets::pauses, "times that a class of a link was paused (PFC)");
    row.column("paused_ps", &TrafficPackets::paused, "time of these, the sum over all links");
    row.column("watchdogs", &TrafficPackets::watchdogs, "pauses that lasted too long");
    row.part("losses", &TrafficPackets::losses, "why packets were lost; only where some were",
             {.omit_if_none = true});
    row.rows("queues", &TrafficPackets::queues, help_of_queues, {.busiest_only = true});
    row.rows("paused_links", &TrafficPackets::paused_links, help_of_pauses,
             {.omit_if_empty = true, .busiest_only = true});
    row.rows("classes", &TrafficPackets::classes, help_of_classes,
             {.omit_if_empty = true, .busiest_only = true});
  }
};

// A port as the field's simulators number them: node, and the links that leave it from 1 on.
struct PortNumber {
  std::int32_t node = 0, port = 0;
  bool is_switch = false;
};
struct PortPause {
  Duration at;
  PortNumber port;  // that is paused, or goes on
  bool paused = false;
};
struct PortDepths {
  PortNumber port;
  std::vector<Duration> times;  // with 0 to 999 B waiting, 1,000 to 1,999 B, ..., of all classes
};

struct TrafficResult {
  std::string name;
  std::string backend;
  std::vector<std::string> ignored;  // settings that the backend cannot honour
  std::vector<std::string> notices;
  std::int32_t npus = 0;
  double mean_bytes = 0;  // of the distribution, without incasts
  double load_hosts = 0;  // what is asked for, incasts too, as a share of what all NPUs can send
  std::optional<double> load_uplinks;
  double drawn_hosts = 0;      // what the flows that were drawn offer, as the same share
  double drawn_deviation = 0;  // standard deviation of drawn_hosts / its mean, load_hosts
  std::string busiest_link;    // that with the most bytes for its bandwidth; "" if interrupted
  double busiest_load = 0;     // what it carried, as a share of what it can carry in `length`
  std::uint64_t started = 0, counted = 0, unfinished = 0;
  Duration finish;  // when the last flow ended
  std::uint64_t events = 0;
  std::string fingerprint;
  bool partial = false;  // interrupted: only flows that were delivered are counted
  std::vector<FlowSizeRow> rows;
  std::optional<TrafficPackets> packets;
  Provenance provenance;
  HostUse host;

  std::vector<Flow> flows;     // in the order of their starts
  std::vector<Duration> idle;  // of each; empty if the run was interrupted before they were known
  Duration length, warm_up;
  std::vector<PortPause> port_pauses;   // the first SwitchSpec::pause_log
  std::vector<PortDepths> port_depths;  // of network.switch.watch

  template <class Columns>
  static void describe(Columns& result) {
    result.column(
        "schema", [](const TrafficResult&) { return std::string("orrery.traffic/1"); },
        "name and number of this format");
    result.column("name", &TrafficResult::name, "name of the experiment");
    result.column("backend", &TrafficResult::backend, "model of the network");
    result.column("ignored", &TrafficResult::ignored, "settings that it cannot honour");
    result.column("notices", &TrafficResult::notices, "what else to know about the result");
    result.column("npus", &TrafficResult::npus, "number of NPUs, each of which sends");
    result.column("mean_bytes", &TrafficResult::mean_bytes,
                  "mean of the distribution of sizes, without incasts");
    result.column("for_ps", &TrafficResult::length, "time in which flows start");
    result.column("warm_up_ps", &TrafficResult::warm_up, "flows before this are not counted");
    result.column("load_hosts", &TrafficResult::load_hosts,
                  "the load that is asked for, incasts too, as a share of what all NPUs can send");
    result.column("load_uplinks", &TrafficResult::load_uplinks,
                  "the same as a share of what the links from switches with NPUs to other switches "
                  "carry; none without such links");
    result.column("drawn_hosts", &TrafficResult::drawn_hosts,
                  "what the flows that were drawn offer, as the same share as load_hosts");
    result.column("drawn_deviation", &TrafficResult::drawn_deviation,
                  "standard deviation of drawn_hosts, as a share of load_hosts");
    result.column("busiest_link", &TrafficResult::busiest_link,
                  "the link that carried most for its bandwidth", {.null_if_empty = true});
    result.column("busiest_load", &TrafficResult::busiest_load,
                  "what it carried, as a share of what it can carry in for_ps");
    result.column("started", &TrafficResult::started, "flows that started");
    result.column("counted", &TrafficResult::counted,
                  "of these, the delivered ones that started after the warm-up");
    result.column("unfinished", &TrafficResult::unfinished,
                  "flows that started and were not delivered");
    result.column("finish_ps", &TrafficResult::finish,
                  "when the last flow ended: it was delivered, or acknowledged (traffic.ends)");
    result.column("events", &TrafficResult::events, "events of the simulation");
    result.column("fingerprint", &TrafficResult::fingerprint,
                  "128 bits over source, target, size, start and end of every flow");
    result.column("partial", &TrafficResult::partial, "whether the simulation was interrupted");
    result.rows("rows", &TrafficResult::rows, "range of sizes");
    result.part("packets", &TrafficResult::packets, "packets, on backends that have them");
    result.part("provenance", &TrafficResult::provenance, "what the result is the result of");
    result.part("host", &TrafficResult::host, "the machine that simulated");
  }
};

}  // namespace orrery
