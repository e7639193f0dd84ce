// Which part of the model a chunk of layers on a stage is, and where the parts before and after it
// are.
//   in turn    v chunks a stage: part c p + s is chunk c of stage s, part 0 follows the last stage
//   v-shape    2 chunks: there and back, part s and part 2p-1-s
//   both ways  2 chunks, each of which is a p-th: part s for the micro-batches that enter at the
//              first stage, part p-1-s for those that enter at the last one. The model is there
//              twice
#pragma once

#include <cstdint>
#include <optional>

#include "workload/parallelism/pipeline_schedule.h"

namespace orrery {

class ChunkPlacement {
 public:
  struct Place {
    std::int32_t stage, chunk;
  };

  ChunkPlacement(PipelineSchedule schedule, const PipelineShape& shape)
      : shape_(shape), schedule_(schedule) {}

  bool both_ways() const { return schedule_ == PipelineSchedule::dualpipe; }
  bool v_shape() const {
    return schedule_ == PipelineSchedule::zbv || schedule_ == PipelineSchedule::dualpipe_v;
  }

  std::int32_t parts() const { return both_ways() ? shape_.stages : shape_.stages * shape_.chunks; }

  std::int32_t part(const Place& place) const {
    if (both_ways()) return place.chunk == 0 ? place.stage : shape_.stages - 1 - place.stage;
    if (v_shape()) return place.chunk == 0 ? place.stage : 2 * shape_.stages - 1 - place.stage;
    return place.chunk * shape_.stages + place.stage;
  }

  // Where the micro-batches of a chunk come from, and where they go to; nothing at the ends of the
  // model.
  std::optional<Place> before(const Place& place) const {
    return part(place) == 0 ? std::nullopt : std::optional(at(part(place) - 1, place.chunk));
  }
  std::optional<Place> after(const Place& place) const {
    return part(place) == parts() - 1 ? std::nullopt
                                      : std::optional(at(part(place) + 1, place.chunk));
  }

  // The last micro-batch that passes through a chunk. Both ways, the second half enters at the
  // last stage.
  std::int32_t last_micro_batch(std::int32_t chunk) const {
    return both_ways() && chunk == 0 ? shape_.micro_batches / 2 - 1 : shape_.micro_batches - 1;
  }

 private:
  Place at(std::int32_t part, std::int32_t way) const {
    const std::int32_t last = shape_.stages - 1;
    if (both_ways()) return {way == 0 ? part : last - part, way};
    if (v_shape()) return part <= last ? Place{part, 0} : Place{2 * last + 1 - part, 1};
    return {part % shape_.stages, part / shape_.stages};
  }

  PipelineShape shape_;
  PipelineSchedule schedule_;
};

}  // namespace orrery
