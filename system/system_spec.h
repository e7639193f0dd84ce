// Configuration of the system layer as plain data: filled by frontends/yaml, by tests by hand.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/units/share.h"
#include "core/units/units.h"
#include "network/topology/topology.h"
#include "system/collective_algorithm.h"
#include "system/endpoint_spec.h"
#include "system/protocol_spec.h"

namespace orrery {

// Order in which a rank starts the waiting chunks of its collectives; a HIGHEST call goes before
// all.
enum class SchedulingPolicy : std::uint8_t {
  lifo,      // the newest collective first: the gradients that the next forward pass needs first
  fifo,      // the oldest first
  priority,  // the largest Priority first, the oldest among equals
  shortest_first,  // the fewest bytes first, the oldest among equals
};
std::string_view name_of(SchedulingPolicy policy);

// How a collective over several levels is composed.
enum class HierarchicalSchedule : std::uint8_t {
  baseline,               // the full chunk at every level, innermost first
  local_bandwidth_aware,  // reduce-scatter up, all-reduce on top, all-gather down
  flat,                   // one algorithm over all ranks, in the order of the topology
  torus,                  // local_bandwidth_aware, each chunk beginning with another level
  themis,                 // the same, each chunk in the order that keeps levels equally busy
  across_first,           // all-to-alls outermost first; else as baseline
};
std::string_view name_of(HierarchicalSchedule schedule);

struct SizeRange;

inline const NamedAlgorithm kAutomatic{"auto", nullptr};

// As it is made, all is chosen.
struct CollectiveSpec {
  HierarchicalSchedule schedule = HierarchicalSchedule::baseline;
  // One for each level of the platform, innermost first; a single one holds for all levels; `flat`
  // takes a single one. A single kAutomatic: those that are predicted to be fastest, call by call
  // (rank/selection.h).
  std::vector<NamedAlgorithm> algorithms = {kAutomatic};
  std::int32_t chunks = 16;  // a collective is cut into this many, see minimum_chunk; >= 1
  Protocol protocol = Protocol::none;
  // Automatic algorithms come with any schedule and any number of chunks, whatever is said above;
  // named ones with any number of chunks if they pay for a protocol.
  bool any_schedule = true;
  bool any_chunks = true;
  // One chunk of a communicator at a time on each level, and way: chosen with the chunks, where
  // what a library overlaps within a level is in the costs of its protocol.
  bool in_turn = false;
  // The same where chunks pass the levels in several orders, without a protocol.
  bool one_by_one = false;
  std::vector<SizeRange> ranges;  // ascending; what none of them covers gets the settings above

  bool operator==(const CollectiveSpec&) const;
};

// Settings for calls of fewer bytes than `below` (none = any) that no range before it covers.
struct SizeRange {
  std::optional<Bytes> below;
  CollectiveSpec spec;  // without ranges
  // Written out: clang 14 crashes on two defaulted comparisons that need each other.
  bool operator==(const SizeRange& other) const {
    return below == other.below && spec == other.spec;
  }
};
inline bool CollectiveSpec::operator==(const CollectiveSpec&) const = default;

inline bool is_automatic(const std::vector<NamedAlgorithm>& algorithms) {
  return algorithms.size() == 1 && algorithms[0] == kAutomatic;
}

inline bool chooses_chunks(const CollectiveSpec& spec) {
  return spec.any_chunks && (is_automatic(spec.algorithms) || spec.protocol != Protocol::none);
}

// What a call gets depends on its size and group.
inline bool needs_selection(const CollectiveSpec& spec) {
  return !spec.ranges.empty() || spec.protocol == Protocol::automatic || chooses_chunks(spec) ||
         is_automatic(spec.algorithms);
}

// The settings for a call of this size; without ranges.
CollectiveSpec rule_for(const CollectiveSpec& spec, Bytes size);

// The algorithm of a collective on a level of the topology.
inline const NamedAlgorithm& algorithm_on(const CollectiveSpec& spec, int level) {
  return spec.algorithms.size() == 1 ? spec.algorithms[0] : spec.algorithms[level];
}

// Whether the level has what the algorithm needs beside wires.
inline bool level_suits(const NamedAlgorithm& algorithm, const LevelSpec& level) {
  return !algorithm.algorithm->needs_reducing_switch() ||
         (level.kind == LevelKind::switched && level.in_network_reduction);
}

// Memory beyond the NPUs, which loads and stores of a trace go to: CXL, a pool.
struct RemoteMemorySpec {
  Duration latency;       // of a request, before its bytes
  Bandwidth bandwidth;    // > 0
  std::int32_t npus = 1;  // neighbours that share it: it serves one request at a time. 1 = each has
                          // its own, and its requests go side by side; 0 = all share it
};
inline bool is_shared(const RemoteMemorySpec& memory) { return memory.npus != 1; }

// The blocks of threads, each on a multiprocessor of its own, in which a library moves data.
struct ChannelSpec {
  std::int32_t multiprocessors = 0;  // of the device; 0 = communication takes none of them
  std::int32_t inside = 0;           // of a collective inside a node; < multiprocessors
  std::int32_t between = 0;          // of one that leaves the node, at most
  std::int32_t per_rank = 0;         // of that, for each of its ranks in a node; 0 = all
  std::int32_t pair = 0;             // of a send or a receive
  bool operator==(const ChannelSpec&) const = default;
};
// A collective has a channel for each so many bytes, up to all: NCCL's threshold of 64 B for each
// of 512 threads (NCCL_SIMPLE_THREAD_THRESHOLD, src/include/comm.h).
inline constexpr Bytes bytes_of_channel = kibibytes(32);

struct SystemSpec {
  SchedulingPolicy scheduling = SchedulingPolicy::lifo;
  std::array<CollectiveSpec, collective_count> collectives;  // index: Collective
  Bytes minimum_chunk = kibibytes(1);                        // a chunk is not made smaller; >= 1 B
  std::int32_t first_phase_limit = 64;  // chunks of a rank that may be in their first phase
  std::int32_t queue_limit = 32;        // chunks that run at once in one queue of a level
  // Collectives of a communicator of which a rank may have begun chunks; none = any number. >= 1
  std::optional<std::int32_t> overlap_limit;
  std::int32_t queues_per_level = 1;             // a level's chunks take its queues in turn
  Duration injection_latency = nanoseconds(10);  // per message on scale-out levels, at send and
                                                 // again at receive (the memory copy)
  Duration local_injection_latency = nanoseconds(10);  // the same on local levels
  std::optional<Bandwidth> reduction_bandwidth;  // an arrival that is added takes size / this; none
                                                 // = reductions cost no time
  EndpointSpec endpoint;                         // costs per message on scale-out levels
  EndpointSpec local_endpoint;                   // the same on local levels
  std::vector<ProtocolCost> protocols;           // of the protocols that may be named
  std::optional<RemoteMemorySpec> remote_memory;  // none = loads and stores take what was recorded
  Share sm_tax;  // of a rank's processor, taken by its communication while it runs; part < whole
  ChannelSpec channels;  // if there is no sm_tax
};

}  // namespace orrery
