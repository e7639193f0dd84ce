// A collective algorithm is a pure function: (what, among how many, which chunk) -> plan.
// It sees no clock, no event and no backend, so it is proved by executing the plan on sets
// (tests/system/plan_proof.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace orrery {

enum class Collective : std::uint8_t { all_reduce, reduce_scatter, all_gather, all_to_all };
inline constexpr int collective_count = 4;
std::string_view name_of(Collective kind);  // "all_reduce", ...

using Position = std::int32_t;  // of a rank inside its group, 0 .. size-1

// A run of consecutive pieces, wrapping round at the plan's piece count.
struct Pieces {
  std::int32_t first = 0, count = 0;
};

// One message of a plan. The pieces keep their index at the receiver: they are added there
// (`reduce`), copied over what is there, or, in an all-to-all, moved (piece p is what is destined
// for position p, whoever carries it). `stage` is the stage of the receiver that waits for the
// message.
struct Send {
  Position to;
  std::int32_t stage;
  Pieces pieces;
  bool reduce;
};

// What one rank does at one stage of a lane: post `sends` messages at once, then wait for
// `receives` arrivals. The sends carry the pieces as they were when the stage began; the next stage
// begins when all its arrivals are there (sends are complete for the sender once injected; a lane
// is complete when all its stages are and all its sends have been injected).
struct Stage {
  std::int32_t sends, receives;
  bool last;
};

// The program every rank of a group runs, computed on demand: a ring over 16,384 ranks costs no
// memory. Lanes run side by side and share nothing but their start.
class Plan {
 public:
  virtual ~Plan() = default;
  virtual int pieces() const = 0;  // the buffer is cut into this many; sizes differ by <= 1 byte
  virtual int lanes() const { return 1; }
  // REQUIRES: 0 <= index, and no earlier stage of that lane is `last`.
  virtual Stage stage(Position rank, int lane, int index) const = 0;
  virtual Send send(Position rank, int lane, int stage, int index) const = 0;
};

// The buffers, sizes as nccl-tests counts them:
//   all_reduce      every rank starts and ends with the whole buffer
//   reduce_scatter  starts with the whole buffer, rank r ends with the sum of piece r
//   all_gather      rank r starts with piece r, ends with the whole buffer
//   all_to_all      starts with one piece for every rank, ends with one piece from every rank
class CollectiveAlgorithm {
 public:
  virtual ~CollectiveAlgorithm() = default;
  virtual bool supports(Collective kind, int group_size) const = 0;
  // Chunks of one collective take the variants in turn (the two trees of a double tree).
  virtual int variants() const { return 1; }
  // REQUIRES: supports(kind, group_size), 0 <= variant < variants().
  virtual std::unique_ptr<Plan> plan(Collective kind, int group_size, int variant) const = 0;
};

// system/algorithms/builtin.def, in its order.
struct AlgorithmEntry {
  std::string_view name, sentence;
  const CollectiveAlgorithm& (*get)();
};
std::span<const AlgorithmEntry> builtin_algorithms();
const CollectiveAlgorithm* find_algorithm(std::string_view name);  // nullptr if unknown

}  // namespace orrery
