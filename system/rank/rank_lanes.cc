#include "system/rank/rank_lanes.h"

#include <utility>

#include "core/base/check.h"

namespace orrery {

RankLanes::RankLanes(std::span<const LaneSpec> lanes) {
  for (const LaneSpec& spec : lanes) lanes_.push_back({spec, false, {}});
}

void RankLanes::add(Operation operation) {
  const auto* work = std::get_if<Compute>(&operation.what);
  CHECK(work != nullptr, "operation {} is no work, in a job with lanes", operation.id);
  CHECK(work->lane >= 0 && static_cast<std::size_t>(work->lane) < lanes_.size(),
        "operation {} is on lane {} of {}", operation.id, work->lane, lanes_.size());
  lanes_[work->lane].waiting.push_back(std::move(operation));
}

const Operation* RankLanes::next() {
  for (next_lane_ = 0; next_lane_ < lanes_.size(); ++next_lane_)
    if (lanes_[next_lane_].may_begin()) return &lanes_[next_lane_].waiting.front();
  return nullptr;
}

const Operation& RankLanes::begin(Time now) {
  Lane& lane = lanes_[next_lane_];
  const OperationId id = lane.waiting.front().id;
  const auto [work, is_new] = under_way_.try_emplace(id, Work{lane.waiting.front(), now});
  CHECK(is_new, "operation {} began twice", id);
  lane.waiting.pop_front();
  lane.busy = true;
  ++working_[static_cast<std::size_t>(lane.spec.kind)];
  return work->second.operation;
}

RankLanes::Work RankLanes::end(OperationId operation) {
  auto ended = under_way_.extract(operation);
  CHECK(!ended.empty(), "operation {} ends and is not under way", operation);
  Lane& lane = lanes_[std::get<Compute>(ended.mapped().operation.what).lane];
  lane.busy = false;
  --working_[static_cast<std::size_t>(lane.spec.kind)];
  return std::move(ended.mapped());
}

RankLanes::Doing RankLanes::doing(bool outstanding) const {
  if (works(LaneKind::processor)) return Doing::compute;
  if (outstanding || works(LaneKind::communication)) return Doing::exposed;
  if (works(LaneKind::memory)) return Doing::memory;
  return works(LaneKind::host) ? Doing::host : Doing::idle;
}

}  // namespace orrery
