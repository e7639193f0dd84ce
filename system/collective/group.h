// The groups of a communicator, as arithmetic: ranks that differ only in the coordinates of its
// levels. A position inside a group is a mixed-radix number over those levels, innermost fastest,
// like the rank itself; a group is named by its base, the member at position 0.
#pragma once

#include <cstdint>
#include <vector>

#include "network/topology/topology.h"
#include "system/job.h"

namespace orrery {

struct GroupDimension {
  int level;            // of the topology
  std::int32_t size;    // members along it
  std::int32_t stride;  // distance of neighbours in ranks
};

class GroupFamily {
 public:
  GroupFamily(const Topology& topology, const Communicator& communicator);

  const std::vector<GroupDimension>& dimensions() const { return dimensions_; }
  std::int32_t size() const { return size_; }

  std::int32_t coordinate(Rank rank, int dimension) const {
    return rank / dimensions_[dimension].stride % dimensions_[dimension].size;
  }
  Rank base_of(Rank rank) const;
  std::int32_t position_of(Rank rank) const;
  std::int32_t coordinate_of(std::int32_t position, int dimension) const;
  Rank rank_at(Rank base, std::int32_t position) const;

 private:
  std::vector<GroupDimension> dimensions_;
  std::int32_t size_ = 1;
};

}  // namespace orrery
