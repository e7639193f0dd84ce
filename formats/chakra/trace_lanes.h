// The lanes of all ranks of a trace, and which of them a node's work is on.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "formats/chakra/trace_scan.h"
#include "system/job.h"

namespace orrery::chakra {

class TraceLaneTable {
 public:
  // REQUIRES: `lanes` is not automatic.
  TraceLaneTable(TraceLanes lanes, const std::set<StreamName>& streams);

  const std::vector<LaneSpec>& all() const { return lanes_; }
  // Of work, or of a collective whose recorded time counts.
  std::int32_t of(const Node& node) const;

 private:
  // Those of work that names no stream, and what is not bound to one.
  static constexpr std::int32_t kProcessor = 0, kHost = 1, kMemory = 2, kCommunication = 3,
                                kStructure = 4;
  std::vector<LaneSpec> lanes_;
  std::map<StreamName, std::int32_t> of_stream_;
};

}  // namespace orrery::chakra
