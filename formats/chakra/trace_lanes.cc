#include "formats/chakra/trace_lanes.h"

namespace orrery::chakra {

TraceLaneTable::TraceLaneTable(TraceLanes lanes, const TraceNames& names) {
  const bool one = lanes != TraceLanes::free;
  lanes_ = {{LaneKind::processor, one},
            {LaneKind::host, one},
            {LaneKind::memory, one},
            {LaneKind::communication, false},
            {LaneKind::host, false}};
  number_of_ = {lane::processor, lane::host, lane::memory, lane::communication, lane::structure};
  number_of_.resize(lanes_.size() + names.streams().size());
  for (const auto& [stream, number] : names.streams()) {
    std::int32_t& own = number_of_[static_cast<std::size_t>(lane::first_stream + number)];
    if (lanes == TraceLanes::streams) {
      own = static_cast<std::int32_t>(lanes_.size());
      lanes_.push_back({stream.host ? LaneKind::host : LaneKind::processor, true});
    } else {
      own = stream.host ? lane::host : lane::processor;
    }
  }
}

}  // namespace orrery::chakra
