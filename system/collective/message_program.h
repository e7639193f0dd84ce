// A collective written out by hand or by another tool: for every rank, threads of steps that send,
// receive, add up and copy pieces of its memory. It is proved (program_check.h) and then run as a
// plan (explicit_plan.h).
//
// A thread's steps are done in order. A step may also wait for steps of other threads of its rank.
// The n-th message that a rank sends to another on a channel is the n-th that the other receives
// from it there. A message carries the data as they are when it is sent, and a send holds its
// thread up no longer than it takes to hand the message over, unless `sends_leave`.
//
// Memory is a row of places, each as large as a piece of the buffer; named buffers lie in it, and
// may overlap where a collective works in place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "system/collective_algorithm.h"

namespace orrery {

enum class StepKind : std::uint8_t {
  nothing,      // but wait for others
  send,         // `count` places from `source` on, to `peer`
  receive,      // `count` places from `target` on, from `peer`
  receive_add,  // the same, added to what is there
  copy,         // from `source` to `target`, of the same rank; takes no time
  add,          // the same, added to what is there
  compute       // takes `compute`, touches nothing
};

struct StepName {  // of one rank
  std::int32_t thread, step;
};

struct ProgramStep {
  StepKind kind = StepKind::nothing;
  Position peer = -1;
  std::int32_t channel = 0;
  std::int32_t source = 0, target = 0, count = 0;
  Duration compute = {};
  std::vector<StepName> after = {};
  std::int64_t number = 0;  // as the file that it comes from calls it
  int line = 0;             // of that file, 0 = unknown
};

struct NamedBuffer {
  std::string name;
  std::int32_t first, count;  // places
};

// What is in a place: piece `piece` of the whole buffer, with the contribution of rank `from`, or
// of all ranks (kAllRanks).
struct PlaceContent {
  static constexpr std::int32_t kAllRanks = -1;
  std::int32_t piece = -1;  // -1: nothing, or whatever it is
  Position from = kAllRanks;
};

struct RankProgram {
  std::vector<std::vector<ProgramStep>> threads = {};
  std::vector<NamedBuffer> buffers = {};
  std::vector<PlaceContent> at_start = {}, at_end = {};  // of each place
  int line = 0;
};

struct MessageProgram {
  Collective kind = Collective::all_reduce;
  std::int32_t pieces = 1;   // of the whole buffer; see Plan::pieces
  bool tracks_data = true;   // false: sizes only, `source` and `target` mean nothing
  bool sends_leave = false;  // a send is complete only when its last byte has left
  std::vector<RankProgram> ranks;
};

// Lays out the memory of a rank: buffers "input" and "output" as `kind` wants them, which share
// their places if it works in place, then "scratch". With a root, it is rank 0.
// REQUIRES: pieces is a multiple of `ranks` where ranks own parts (Plan).
RankProgram make_memory(Collective kind, Position rank, int ranks, int pieces, bool in_place,
                        int scratch);

// "piece 3 of its output buffer"
std::string name_of_place(const RankProgram& rank, std::int32_t place);

}  // namespace orrery
