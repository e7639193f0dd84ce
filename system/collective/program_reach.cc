#include "system/collective/program_reach.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {
namespace {

using RankSet = std::vector<bool>;

void join(RankSet& set, const RankSet& other) {
  for (std::size_t rank = 0; rank < set.size(); ++rank)
    if (other[rank]) set[rank] = true;
}

// Whether `rank` needs data of `from`.
bool needs(Collective kind, Position rank, Position from) {
  switch (kind) {
    case Collective::broadcast:
    case Collective::scatter:
      return from == 0;
    case Collective::reduce:
    case Collective::gather:
      return rank == 0;
    default:
      return true;
  }
}

// The least that a rank must receive, in pieces, rounded down.
std::int64_t least_pieces(Collective kind, Position rank, std::int64_t pieces, std::int64_t ranks) {
  switch (kind) {
    case Collective::all_reduce:
      return pieces;
    case Collective::reduce_scatter:
      return pieces / ranks;
    case Collective::all_gather:
    case Collective::all_to_all:
    case Collective::all_to_allv:
      return pieces * (ranks - 1) / ranks;
    case Collective::broadcast:
      return rank == 0 ? 0 : pieces;
    case Collective::reduce:
      return rank == 0 ? pieces : 0;
    case Collective::gather:
      return rank == 0 ? pieces * (ranks - 1) / ranks : 0;
    case Collective::scatter:
      return rank == 0 ? 0 : pieces / ranks;
    case Collective::barrier:
      break;
  }
  return 0;
}

// From whom each rank has heard in the end.
std::vector<RankSet> heard_in_the_end(const MessageProgram& program,
                                      const std::vector<ProgramEvent>& events) {
  const std::size_t ranks = program.ranks.size();
  std::vector<RankSet> heard(ranks, RankSet(ranks));
  std::vector<RankSet> at_event;  // at the end of each event
  std::vector<std::vector<std::vector<std::size_t>>> event_of(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    event_of[rank].resize(program.ranks[rank].threads.size());
  for (const ProgramEvent& event : events) {
    const auto& [rank, step, sender] = event;
    RankSet known(ranks);
    known[rank] = true;
    auto& thread = event_of[rank][step.thread];
    if (!thread.empty()) join(known, at_event[thread.back()]);
    if (sender != ProgramEvent::kNone) join(known, at_event[sender]);
    for (const StepName& other : program.ranks[rank].threads[step.thread][step.step].after)
      join(known, at_event[event_of[rank][other.thread][other.step]]);
    thread.push_back(at_event.size());
    join(heard[rank], known);
    at_event.push_back(std::move(known));
  }
  return heard;
}

}  // namespace

std::optional<ProgramFault> find_unreached(const MessageProgram& program,
                                           const std::vector<ProgramEvent>& events) {
  const auto ranks = static_cast<Position>(program.ranks.size());
  const std::vector<RankSet> heard = heard_in_the_end(program, events);
  for (Position rank = 0; rank < ranks; ++rank) {
    for (Position from = 0; from < ranks; ++from)
      if (from != rank && needs(program.kind, rank, from) && !heard[rank][from])
        return ProgramFault{
            fmt::format("rank {} lacks the contribution of rank {}: no chain of messages leads "
                        "from there",
                        rank, from)};
    std::int64_t received = 0;
    for (const auto& thread : program.ranks[rank].threads)
      for (const ProgramStep& step : thread)
        if (step.kind == StepKind::receive || step.kind == StepKind::receive_add)
          received += step.count;
    const std::int64_t least = least_pieces(program.kind, rank, program.pieces, ranks);
    if (received < least)
      return ProgramFault{
          fmt::format("rank {} receives {} of the {} pieces of the buffer, and needs {} at least",
                      rank, received, program.pieces, least)};
  }
  return std::nullopt;
}

}  // namespace orrery
