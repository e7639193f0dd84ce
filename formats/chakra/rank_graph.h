// One rank's file as a graph of operations, read once and node by node: about 60 bytes of memory
// for a node with two dependencies.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "formats/chakra/dependencies.h"
#include "formats/chakra/trace_file.h"
#include "formats/chakra/trace_groups.h"
#include "formats/chakra/trace_names.h"
#include "formats/chakra/trace_settings.h"
#include "workload/graph/graph.h"

namespace orrery::chakra {

// What was assumed or left out.
struct TraceFindings {
  std::int64_t without_root = 0;      // broadcasts, reductions, ...
  std::int64_t without_duration = 0;  // loads and stores, that have no size either
  std::int64_t sized_requests = 0;    // loads and stores that have a size alone
  std::int64_t sized_work = 0;        // computing that the roofline times
  std::int64_t unsized_calls = 0;     // collectives without kind or size, if that is no mistake
  LeftOut left_out;
  bool from_text = false;  // a converter of ASTRA-sim 1.0's texts wrote a file

  void add(const TraceFindings& other);
};

// Nodes and recorded time.
struct TraceSums {
  struct Sum {
    std::int64_t nodes = 0;
    Duration time;
  };
  std::array<Sum, role_count> roles;
  std::map<StreamName, Sum> streams;
  std::int64_t data = 0, control = 0;  // dependencies
  std::string version;                 // of the first file: what it says, "" = nothing

  void add(const TraceSums& other);
};

// What is the same for all ranks.
struct TraceFrame {
  const TraceSettings& settings;
  std::int32_t ranks;
  const GroupRanks& given_groups;  // none = those that the files hold
  bool needs_sizes;                // false: a collective without kind or size takes its time
  TraceNames& names;
};

struct RankGraph {
  // Its labels are numbers of work (trace_labels.h), its lanes numbers of trace_lanes.h, its
  // communicators those of `groups`.
  std::shared_ptr<Graph> graph;
  std::vector<UsedGroup> groups;
  TraceFindings findings;
  TraceSums sums;
  std::vector<Duration> kernels;   // recorded time of each kernel of the names
  bool sends_or_receives = false;  // then other ranks of the same file do something else

  // Whether the file says the same for this rank.
  bool is_for(Rank rank) const;
};

// Throws ConfigError with file and node.
RankGraph read_rank_graph(const TraceFile& file, Rank rank, const TraceFrame& frame);

}  // namespace orrery::chakra
