#include "system/collective/group.h"

#include "core/base/check.h"

namespace orrery {

GroupFamily::GroupFamily(const Topology& topology, const Communicator& communicator) {
  CHECK(!communicator.levels.empty(), "communicator {} has no level", communicator.name);
  for (const int level : communicator.levels) {
    const std::int32_t size = topology.levels()[level].size;
    CHECK(dimensions_.empty() || dimensions_.back().level < level,
          "communicator {}: levels must ascend", communicator.name);
    dimensions_.push_back({level, size, topology.stride(level)});
    size_ *= size;
  }
}

Rank GroupFamily::base_of(Rank rank) const {
  Rank base = rank;
  for (int d = 0; d < static_cast<int>(dimensions_.size()); ++d)
    base -= coordinate(rank, d) * dimensions_[d].stride;
  return base;
}

std::int32_t GroupFamily::position_of(Rank rank) const {
  std::int32_t position = 0, radix = 1;
  for (int d = 0; d < static_cast<int>(dimensions_.size()); ++d) {
    position += coordinate(rank, d) * radix;
    radix *= dimensions_[d].size;
  }
  return position;
}

std::int32_t GroupFamily::coordinate_of(std::int32_t position, int dimension) const {
  for (int d = 0; d < dimension; ++d) position /= dimensions_[d].size;
  return position % dimensions_[dimension].size;
}

Rank GroupFamily::rank_at(Rank base, std::int32_t position) const {
  Rank rank = base;
  for (const GroupDimension& dimension : dimensions_) {
    rank += position % dimension.size * dimension.stride;
    position /= dimension.size;
  }
  return rank;
}

}  // namespace orrery
