// What a simulation found, as plain data: the source of every report. Field names follow
// docs/results.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "network/packet_statistics.h"
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
  std::string name;  // "npu 3 -> switch 128"
  std::string level;
  Bytes bytes;
  double utilisation = 0;  // bytes / (bandwidth * finish), 0..1
};

struct RankRow {
  std::int32_t rank = 0, multiplicity = 1;
  Duration finish, compute, exposed, idle;
};

struct ExposedBy {
  std::string kind;  // "all_reduce", "all_to_all forward", "all_to_all backward", ...
  Duration exposed;  // of the rank that finishes last
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

struct FlowRow {
  std::string name;  // "npu 3 -> npu 7"
  std::vector<FlowSample> samples;
};

// Of a backend that has packets.
struct PacketResult {
  std::uint64_t packets = 0, packet_hops = 0, drops = 0, marks = 0;
  std::uint64_t connections = 0, retransmissions = 0, timeouts = 0;
  std::vector<QueueRow> queues;  // most drops first, then most bytes waiting
  std::vector<SwitchRow> switches;
  std::vector<FlowRow> flows;
};

struct RunResult {
  std::string name, backend;
  std::uint64_t seed = 0;
  std::string fingerprint;  // 32 hex digits
  bool partial = false;     // interrupted or stuck: what follows is what was reached
  std::string partial_reason;
  Duration finish;                  // of the slowest rank
  Duration compute, exposed, idle;  // of the rank that finishes last (the lowest such rank)
  Duration bound;                   // max of compute and of bytes over bandwidth per level
  std::string bound_by;             // "compute" or the level's name
  std::vector<ExposedBy> exposed_by;
  std::vector<LayerRow> layers;
  std::vector<LevelRow> levels;
  std::vector<LinkRow> links;  // by bytes, largest first
  std::vector<RankRow> ranks;
  std::optional<PacketResult> packets;
  std::uint64_t events = 0, messages = 0;
  HostUse host;
  std::vector<std::string> notices;
};

}  // namespace orrery
