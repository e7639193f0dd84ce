// The work of one rank of a job with lanes (Job::lanes): what waits on each lane, what is under
// way, and what the rank does on the whole.
//
// A lane does its work in the order in which it was handed out: one piece at a time, or, where the
// lane says so, each at once. What the rank does at a time is the first of these that holds:
//   compute  a lane of its processor works
//   exposed  communication is outstanding, simulated or recorded
//   memory   its memory works
//   host     its host works
//   idle
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "system/job.h"
#include "system/rank/operation_stream.h"

namespace orrery {

class RankLanes {
 public:
  enum class Doing : std::uint8_t { compute, exposed, memory, host, idle };
  struct Work {
    Operation operation;  // a Compute
    Time begun;
  };

  explicit RankLanes(std::span<const LaneSpec> lanes);

  // REQUIRES: a Compute on a lane that is there.
  void add(Operation operation);

  // Some work that may begin and has not begun, or null. It stays in its place until begin().
  const Operation* next();
  // That work is under way. The reference stays valid until its end().
  const Operation& begin(Time now);
  // REQUIRES: it is under way.
  Work end(OperationId operation);

  LaneKind kind_of(const Operation& operation) const {
    return lanes_[std::get<Compute>(operation.what).lane].spec.kind;
  }
  bool works(LaneKind kind) const { return working_[static_cast<std::size_t>(kind)] > 0; }
  // `outstanding`: communication that is simulated.
  Doing doing(bool outstanding) const;

  const std::map<OperationId, Work>& under_way() const { return under_way_; }

  Duration memory, host;  // so far; the other times are in the rank's state
  Duration stolen;        // from work that is done, and not yet in an account

 private:
  struct Lane {
    LaneSpec spec;
    bool busy = false;
    OperationStream waiting;
    bool may_begin() const { return !waiting.empty() && !(busy && spec.one_at_a_time); }
  };

  std::vector<Lane> lanes_;
  std::size_t next_lane_ = 0;  // of what next() found
  std::array<std::int32_t, lane_kind_count> working_ = {};
  std::map<OperationId, Work> under_way_;
};

}  // namespace orrery
