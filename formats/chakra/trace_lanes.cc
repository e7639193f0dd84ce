#include "formats/chakra/trace_lanes.h"

namespace orrery::chakra {

TraceLaneTable::TraceLaneTable(TraceLanes lanes, const std::set<StreamName>& streams) {
  const bool one = lanes != TraceLanes::free;
  lanes_ = {{LaneKind::processor, one},
            {LaneKind::host, one},
            {LaneKind::memory, one},
            {LaneKind::communication, false},
            {LaneKind::host, false}};
  if (lanes != TraceLanes::streams) return;
  for (const StreamName& stream : streams) {
    of_stream_[stream] = static_cast<std::int32_t>(lanes_.size());
    lanes_.push_back({stream.host ? LaneKind::host : LaneKind::processor, true});
  }
}

std::int32_t TraceLaneTable::of(const Node& node) const {
  const Role role = role_of(node);
  if (role == Role::structure) return kStructure;
  if (role == Role::memory) return kMemory;
  if (role == Role::send || role == Role::receive || role == Role::collective)
    return kCommunication;
  const auto stream = stream_of(node);
  const auto found = stream ? of_stream_.find(*stream) : of_stream_.end();
  if (found != of_stream_.end()) return found->second;
  return role == Role::host ? kHost : kProcessor;
}

}  // namespace orrery::chakra
