// A job as the system layer sees it: who talks to whom, what the operations are called, and the
// source that hands them out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "system/operation_source.h"

namespace orrery {

// `count` ranks at a distance of `stride` from each other.
struct Extent {
  std::int32_t count, stride;
  bool operator==(const Extent&) const = default;
};

// Which ranks call collectives together, in groups. Either of
//   levels     of the topology, ascending: the ranks that differ only in the coordinates of these
//              form one group. {0, 1} on a 16 x 8 platform is one group of 128; {1} is sixteen
//              groups of 8, one for each local rank
//   extents    cut the job into groups of equal size, one of which is rank 0 and all sums of
//              multiples: {{4, 1}} is groups of 4 neighbours (TP), {{32, 4}} joins every fourth
//              rank among 128 (DP beside it), {{4, 1}, {8, 16}} the first 4 of 16 ranks, 8 times
//              over. Each stride is a multiple of the count times the stride before it (in order of
//              strides), and the ranks of the job are a multiple of the last
//   lists      of ranks, two at least in each, none in two. Ranks that are in none have no group
// Which group a rank is in is arithmetic wherever groups follow the levels (system/collective/
// group.h). Positions in a group follow the ranks, upwards, whatever the order of extents and
// lists.
using RankLists = std::vector<std::vector<Rank>>;
using Grouping = std::variant<std::vector<int>, std::vector<Extent>, RankLists>;

struct Communicator {
  std::string name;  // "data", "model", "world"
  Grouping groups;
  // What the job knows of its groups: they are made of so many equal rows of ranks, one after the
  // other, that do different things, as the stages of a pipeline do. Where the network does not
  // tell places apart, a ring goes through all rows at once, so ranks of a row are alike to it.
  std::int32_t rows = 1;
  // They exchange a few bytes only, so the same holds on graphs, where links may be few.
  bool few_bytes = false;
};

// Whether extents, in order of their strides, cut so many ranks into groups.
bool divide(std::int32_t ranks, std::span<const Extent> extents);

enum class Pass : std::uint8_t { none, forward, input_gradient, weight_gradient };
std::string_view name_of(Pass pass);

// Span::detail of the spans that system/ emits: the Collective, or one of these.
inline constexpr std::uint8_t kDetailSend = 100, kDetailReceive = 101, kDetailCompute = 102;
std::string_view name_of_detail(std::uint8_t detail);  // "all_reduce", "send", "compute"

// A job that contradicts itself while it runs: ranks of a group that call different collectives, a
// receive of another size than its send. Exit code 1.
class JobError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A row of the layer table.
struct Label {
  std::string layer;
  std::int32_t iteration = 0;  // from 0
  Pass pass = Pass::none;
  std::string traffic = {};  // what its exposed time is summed under: "TP"; "" = its collective
};

// Where a rank's own work goes on, beside that of its other lanes: a stream of its processor, a
// thread of its host, its memory, or communication that is not simulated but has a recorded time.
enum class LaneKind : std::uint8_t { processor, host, memory, communication };
inline constexpr std::size_t lane_kind_count = 4;
struct LaneSpec {
  LaneKind kind = LaneKind::processor;
  bool one_at_a_time = true;  // else everything that is handed out begins at once
  bool operator==(const LaneSpec&) const = default;
};

struct Job {
  std::string name;
  std::int32_t ranks = 0;  // rank r runs on NPU r
  std::vector<Communicator> communicators;
  std::vector<Label> labels;
  std::unique_ptr<OperationSource> operations;
  std::vector<Duration> start = {};  // of each rank; empty = all at once, at 0
  // Those of every rank. Empty: a rank computes one operation at a time, and a Wait holds it. A job
  // with lanes has no Wait.
  std::vector<LaneSpec> lanes = {};
  // Ranks of a job with lanes that have none: they work as in a job without. Empty = no rank.
  std::vector<bool> without_lanes = {};
};

}  // namespace orrery
