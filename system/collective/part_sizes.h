// The parts of an all-to-allv, as one phase of it carries them: among the ranks of a line, which
// differ in one dimension only.
//
// When dimensions A are behind a chunk, the rank at (a, c, b), c being its coordinate in the
// dimension of this phase, has all that the ranks (*, c, b) send to ranks (a, *, *). To coordinate
// t of its line it sends, of that, what is for (a, t, *). So a part that began at coordinate s of
// the line and goes to t is
//
//   sum over x in A, y in the rest of size((x, s, b) -> (a, t, y))
//
// Every size is cut into chunks, and a chunk of it into the shares of a plan's channels, so that no
// byte is lost or counted twice, whatever the order of the dimensions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/units/units.h"
#include "system/pair_sizes.h"

namespace orrery {

class PartSizes {
 public:
  // Dimensions of a group, of which a line is the ranks that agree with position `member` in all
  // but `dimension`; those of `done` are behind the chunk.
  struct Line {
    std::span<const std::int32_t> shape;  // the sizes of the group's dimensions
    std::int32_t dimension;
    std::span<const int> done;
    Position member;
  };
  PartSizes(std::shared_ptr<const PairSizes> sizes, const Line& line, std::int32_t chunk,
            std::int32_t chunks);

  // From one coordinate of the line to another one, the given one of so many equal shares.
  Bytes size(std::int32_t source, std::int32_t target, std::int32_t share,
             std::int32_t shares) const;

 private:
  std::shared_ptr<const PairSizes> sizes_;
  std::int32_t chunk_, chunks_;
  Position radix_ = 1;                       // distance of neighbours of the line
  std::vector<Position> sources_, targets_;  // (*, 0, b) and (a, 0, *)
};

}  // namespace orrery
