#include "system/collective/message_program.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {
namespace {

// The part of the whole buffer that a rank has before (`input`) or after the collective: all of it,
// or the pieces from its number times `share` on; and whose contribution each piece is.
struct Part {
  std::int32_t first, count;
};

Part input_part(Collective kind, Position rank, int pieces, int share) {
  switch (kind) {
    case Collective::all_gather:
    case Collective::gather:
      return {rank * share, share};
    case Collective::broadcast:
    case Collective::scatter:
      return {0, rank == 0 ? pieces : 0};
    default:
      return {0, pieces};
  }
}

Part output_part(Collective kind, Position rank, int pieces, int share) {
  switch (kind) {
    case Collective::reduce_scatter:
    case Collective::scatter:
      return {rank * share, share};
    case Collective::reduce:
    case Collective::gather:
      return {0, rank == 0 ? pieces : 0};
    default:
      return {0, pieces};
  }
}

// What the `index`-th piece of the output must be.
PlaceContent wanted(Collective kind, Position rank, int piece, int share) {
  switch (kind) {
    case Collective::all_gather:
    case Collective::gather:
      return {piece, piece / share};
    case Collective::broadcast:
    case Collective::scatter:
      return {piece, 0};
    case Collective::all_to_all:  // part s is what rank s had for this rank
      return {rank * share + piece % share, piece / share};
    default:
      return {piece, PlaceContent::kAllRanks};
  }
}

}  // namespace

RankProgram make_memory(Collective kind, Position rank, int ranks, int pieces, bool in_place,
                        int scratch) {
  const int share = std::max(1, pieces / ranks);
  const Part input = input_part(kind, rank, pieces, share);
  const Part output = output_part(kind, rank, pieces, share);
  RankProgram program;
  // In place, both are parts of one copy of the whole buffer.
  const std::int32_t output_at = in_place ? output.first : input.count;
  const std::int32_t scratch_at = in_place ? pieces : input.count + output.count;
  program.buffers = {{"input", in_place ? input.first : 0, input.count},
                     {"output", output_at, output.count},
                     {"scratch", scratch_at, scratch}};
  program.at_start.resize(scratch_at + scratch);
  program.at_end.resize(scratch_at + scratch);
  for (std::int32_t i = 0; i < input.count; ++i)
    program.at_start[program.buffers[0].first + i] = {input.first + i, rank};
  for (std::int32_t i = 0; i < output.count; ++i)
    program.at_end[output_at + i] = wanted(kind, rank, output.first + i, share);
  return program;
}

std::string name_of_place(const RankProgram& rank, std::int32_t place) {
  for (auto buffer = rank.buffers.rbegin(); buffer != rank.buffers.rend(); ++buffer)
    if (place >= buffer->first && place < buffer->first + buffer->count)
      return fmt::format("chunk {} of its {} buffer", place - buffer->first, buffer->name);
  return fmt::format("place {}", place);
}

}  // namespace orrery
