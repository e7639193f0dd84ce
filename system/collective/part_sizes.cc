#include "system/collective/part_sizes.h"

#include <algorithm>
#include <utility>

#include "system/collective/piece_sizes.h"

namespace orrery {
namespace {

// Each of `positions` at every coordinate of one more dimension.
std::vector<Position> spread(const std::vector<Position>& positions, std::int32_t size,
                             Position radix) {
  std::vector<Position> result;
  result.reserve(positions.size() * static_cast<std::size_t>(size));
  for (std::int32_t coordinate = 0; coordinate < size; ++coordinate)
    for (const Position position : positions) result.push_back(position + coordinate * radix);
  return result;
}

}  // namespace

PartSizes::PartSizes(std::shared_ptr<const PairSizes> sizes, const Line& line, std::int32_t chunk,
                     std::int32_t chunks)
    : sizes_(std::move(sizes)), chunk_(chunk), chunks_(chunks), sources_{0}, targets_{0} {
  Position radix = 1;
  for (std::int32_t d = 0; d < static_cast<std::int32_t>(line.shape.size()); ++d) {
    const std::int32_t size = line.shape[d];
    const bool done = std::find(line.done.begin(), line.done.end(), d) != line.done.end();
    const Position own = line.member / radix % size * radix;
    if (d == line.dimension) {
      radix_ = radix;
    } else {
      std::vector<Position>& free = done ? sources_ : targets_;
      std::vector<Position>& fixed = done ? targets_ : sources_;
      free = spread(free, size, radix);
      for (Position& position : fixed) position += own;
    }
    radix *= size;
  }
}

Bytes PartSizes::size(std::int32_t source, std::int32_t target, std::int32_t share,
                      std::int32_t shares) const {
  Bytes sum;
  for (const Position from : sources_)
    for (const Position to : targets_) {
      const Bytes pair = sizes_->size(from + source * radix_, to + target * radix_);
      sum += PieceSizes(PieceSizes(pair, chunks_).size(chunk_), shares).size(share);
    }
  return sum;
}

}  // namespace orrery
