// What a simulation found, as plain data: the source of every report. Field names follow
// docs/results.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "network/packet_statistics.h"
#include "simulation/training_result.h"
#include "system/job.h"

namespace orrery {

struct LayerRow {
  std::string name;
  std::int32_t iteration = 0;  // from 1
  Pass pass = Pass::none;
  std::string
      collective;      // "all_reduce", ..., "send", "receive"; "" = the pass communicates nothing
  Bytes bytes;         // buffer of a rank, as nccl-tests counts it
  Duration compute;    // of the rank that finishes last
  Duration raw;        // issue to completion of the collective, mean over ranks (rounded down)
  Duration raw_max;    // the same, maximum over ranks
  Duration raw_bound;  // the collective's bytes at full bandwidth, no latency: raw >= raw_bound
  Duration exposed;    // waited for this row's collective, of the rank that finishes last
};

struct LevelRow {
  std::string name;
  std::string collective;  // "all_reduce", ..., "point_to_point"
  Bytes bytes;             // sent over this level by all ranks
};

struct LinkRow {
  std::string source, target;  // "npu 3", "switch 128"
  std::string level;
  Bytes bytes;
  double utilisation = 0;  // bytes / (bandwidth * finish), 0..1
  std::string name() const { return source + " -> " + target; }
};

// What held the messages of a kind of collective back, on backends that know.
struct BottleneckRow {
  std::string collective;  // "all_reduce", ..., "point_to_point"
  std::string level;       // whose links were the bottleneck of the most bytes
  Bytes bytes;       // of messages that a link of this level was the bottleneck of at their end
  std::string link;  // the one of them for the most bytes
  Bytes link_bytes;
};

// What one rank sent to another for one group (or point to point: ""), of a run that was asked for
// it.
struct MatrixRow {
  std::string group;
  std::int32_t source = 0, target = 0;
  Bytes bytes;
  std::int64_t messages = 0;
};

// What was under way on a level in an interval of time, of a run that was asked for it.
struct ActivityRow {
  std::string level;
  Duration begin, end;
  Bytes bytes;
  double share = 0;  // of what all NPUs together can send there in that time
};

// What entered one of the busiest links in an interval of time, of a run that was asked for it.
struct LinkActivityRow {
  std::string source, target, level;
  Duration begin, end;
  Bytes bytes;
  double utilisation = 0;  // of what its bandwidth allows
  std::string link() const { return source + " -> " + target; }
};

struct RankRow {
  std::int32_t rank = 0, multiplicity = 1;
  Duration finish, compute, exposed, idle;
  Duration stolen;  // of compute
};

// What the messages of a rank spent in its endpoints, summed: busy and waiting overlap with
// whatever the rank does, and with each other.
struct EndpointRow {
  std::int64_t sent = 0, received = 0;
  Duration overhead, copy, waited;
};

// One of several jobs, times from the start of the run.
struct JobRow {
  std::string name;
  std::int32_t ranks = 0, iterations = 1;
  Duration start, finish;           // of its slowest rank
  Duration compute, exposed, idle;  // of its rank that finishes last; from `start` on
};

struct ExposedBy {
  std::string kind;  // "all_reduce", "all_to_all forward", "all_to_all backward", ...
  Duration exposed;  // of the rank that finishes last
};

// What each rank of a pipeline stage keeps (workload/memory/stage_memory.h).
struct MemoryRow {
  std::int32_t stage = 0;
  Bytes total, parameters, gradients, optimizer, buffers, activations, again;
  std::int32_t in_flight = 0;  // passes through a chunk, at the peak
};

// What was chosen for calls whose settings depend on their size or are `auto`.
struct SelectedRow {
  std::string collective;
  std::vector<std::int32_t> group;  // its sizes along the levels, innermost first
  Bytes bytes;
  std::string chosen;                 // "direct+ring/ll, local_bandwidth_aware"
  std::optional<Duration> predicted;  // alone, on the analytical backend; none if by a range only
  std::int64_t candidates = 0;        // predicted
};

// What a result is the result of.
struct Provenance {
  struct Setting {
    std::string key, value;  // "system.chunks", "128"
  };
  std::string version, commit;         // of the program
  std::string command;                 // as one types it into a shell
  std::string inputs;                  // hash of the configuration, with that of data files
  std::vector<Setting> configuration;  // every key, also those that have their default values
};

struct HostUse {
  double wall_s = 0, cpu_s = 0;
  std::int64_t peak_rss_bytes = 0;
};

// A link of a packet network and the queue before it.
struct QueueRow {
  std::string name;  // "switch 128 -> npu 3"
  std::uint64_t packets = 0, drops = 0, marks = 0;
  Bytes most_waiting;
};

struct SwitchRow {
  std::string name;  // "switch 128"
  Bytes memory, most_used;
  Duration interval;                // of the following
  std::vector<std::int64_t> peaks;  // most bytes in use in each interval from the start
};

// The queue before a watched link.
struct DepthRow {
  std::string name;  // "switch 128 -> npu 3"
  Duration interval;
  std::vector<std::int64_t> peaks;  // most bytes waiting in each interval from the start
};

// What the packets of a kind of traffic waited, on the average.
struct WaitRow {
  std::string collective;  // or "point_to_point", "acknowledgements"
  std::uint64_t packets = 0;
  Duration at_source, in_switches;  // mean of all its packets
  Duration longest;                 // in one queue
};

struct FlowRow {
  std::string name;  // "npu 3 -> npu 7"
  std::vector<FlowSample> samples;
};

// What crossed a link, as a file for tcpdump and Wireshark; its place in PacketResult::captures is
// that in network.transport.capture.
struct CaptureRow {
  std::string link;
  std::uint64_t packets = 0, left_out = 0;  // in the file, and after it was full
  std::string pcap;
};

// Of a backend that has packets.
struct PacketResult {
  std::uint64_t packets = 0, packet_hops = 0, drops = 0, marks = 0;
  std::uint64_t connections = 0, retransmissions = 0, timeouts = 0;
  std::vector<QueueRow> queues;  // most drops first, then most bytes waiting
  std::vector<SwitchRow> switches;
  std::vector<WaitRow> waits;
  std::vector<DepthRow> depths;
  std::vector<FlowRow> flows;
  std::vector<CaptureRow> captures;
};

struct RunResult {
  std::string name, backend;
  std::uint64_t seed = 0;
  std::string fingerprint;  // 32 hex digits
  bool partial = false;     // interrupted or stuck: what follows is what was reached
  std::string partial_reason;
  Duration finish;                  // of the slowest rank
  Duration compute, exposed, idle;  // of the rank that finishes last (the lowest such rank)
  Duration stolen;                  // of compute: by collectives that ran beside it (sm_tax)
  Duration bound;                   // max of compute and of bytes over bandwidth per level
  std::string bound_by;             // "compute" or the level's name
  std::vector<ExposedBy> exposed_by;
  std::optional<double> predicted_speedup;  // from the profile of another run (speedup.h)
  std::optional<TrainingResult> training;   // only of a transformer, and of a complete run
  std::vector<LayerRow> layers;
  std::vector<SelectedRow> selected;
  std::vector<LevelRow> levels;
  std::vector<LinkRow> links;  // by bytes, largest first
  std::vector<BottleneckRow> bottlenecks;
  std::vector<RankRow> ranks;       // one for all if folded
  std::vector<JobRow> jobs;         // empty unless there are several
  std::vector<MemoryRow> memory;    // by stage; only of transformers
  std::optional<Bytes> npu_memory;  // less what is reserved
  bool folded = false;
  std::string unfolded_because;                // a clause; "" if folded
  std::vector<ActivityRow> activity;           // by level and time; empty unless asked for
  std::vector<LinkActivityRow> link_activity;  // by link and time; empty unless asked for
  std::vector<MatrixRow> matrix;        // by group, source and target; empty unless asked for
  std::optional<EndpointRow> endpoint;  // of the rank that finishes last; none if it costs nothing
  std::optional<PacketResult> packets;
  std::uint64_t events = 0, messages = 0;
  Provenance provenance;
  HostUse host;
  std::vector<std::string> notices;
  // Messages that were sent and that no rank received, as sentences: the job contradicts itself.
  std::vector<std::string> unreceived;
};

}  // namespace orrery
