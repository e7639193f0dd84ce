// A collective algorithm is a pure function: (what, among whom, which chunk) -> plan.
// It sees no clock, no event and no backend, so it is proved by executing the plan on sets
// (system/collective/plan_check.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/units/units.h"
#include "system/group_shape.h"

namespace orrery {

enum class Collective : std::uint8_t {
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  all_to_allv,
  broadcast,
  reduce,
  gather,
  scatter,
  barrier
};
inline constexpr int collective_count = 10;
std::string_view name_of(Collective kind);  // "all_reduce", ...

constexpr bool has_root(Collective kind) {
  return kind == Collective::broadcast || kind == Collective::reduce ||
         kind == Collective::gather || kind == Collective::scatter;
}

// What plans are asked to do: an all-to-allv is an all-to-all whose parts differ in size.
constexpr Collective planned_as(Collective kind) {
  return kind == Collective::all_to_allv ? Collective::all_to_all : kind;
}

// Some of a plan's pieces, wrapping round at its piece count: `count` consecutive ones from `first`
// on; or, with a `run`, `run` of them, the same again from `first + stride` on, and so forth until
// it is `count` (the last run may be short).
struct Pieces {
  std::int32_t first = 0, count = 0;
  std::int32_t run = 0, stride = 0;

  // REQUIRES: 0 <= index < count. The result is yet to be wrapped.
  std::int64_t at(std::int32_t index) const {
    if (run == 0) return first + index;
    return first + static_cast<std::int64_t>(index / run) * stride + index % run;
  }
};

// One message of a plan. The pieces keep their index at the receiver: they are added there
// (`reduce`) or copied over what is there. `stage` is the stage of the receiver that waits for the
// message, in the sender's lane unless another is named.
struct Send {
  Position to;
  std::int32_t stage;
  Pieces pieces;
  bool reduce;
  std::int32_t lane = -1;
};

// What one rank does at one stage of a lane: post `sends` messages at once, then wait for
// `receives` arrivals. The sends carry the pieces as they were when the stage began; the next stage
// begins when all its arrivals are there (sends are complete for the sender once injected; a lane
// is complete when all its stages are and all its sends have been injected).
struct Stage {
  std::int32_t sends, receives;
  bool last;
};

struct StageName {  // of one rank
  std::int32_t lane, stage;
};

// What else holds a stage back, in plans that say so (Plan::gated): it begins after the stage
// before it and these stages of the same rank are complete, and then the local work has been done.
struct Gate {
  std::span<const StageName> after = {};  // valid as long as the plan
  Duration compute = {};
  Pieces added = {};         // data of the rank's own that is added up, at the reduction bandwidth
  bool sends_leave = false;  // the stage is complete only when its sends have been injected
};

// What rank 0 does tells what rank r does: its stages are those of rank 0, and its sends too, with
// as many pieces, though others, and to others. So few ranks stand for all (docs/decisions/0010).
enum class Symmetry : std::uint8_t {
  none,
  rotation,  // what rank 0 sends to q, rank r sends to r + q (modulo the size)
  exchange,  // of 2^k ranks, 4 at least: to r xor q
};

// The program every rank of a group runs, computed on demand: a ring over 16,384 ranks costs no
// memory. Lanes run side by side and share nothing but their start, unless the plan is gated.
//
// The buffer is cut into pieces() parts of equal size, rounded up to whole bytes. Where ranks own
// parts of the buffer (reduce_scatter, all_gather, all_to_all, gather, scatter), pieces() is c
// times the group size and rank r owns the c pieces from r * c on; else any number will do.
class Plan {
 public:
  virtual ~Plan() = default;
  virtual int pieces() const = 0;
  virtual int lanes() const { return 1; }
  // 1 if the switch of the group takes part, as position n: it runs its stages like a rank, begins
  // with nothing and is not asked for a result. An arrival that is added where nothing was is
  // copied.
  virtual int switches() const { return 0; }
  // Of an all-to-all: how far a part has come when a rank sends it at that stage, in positions, up
  // to a multiple of the group size; so it began at rank - travelled. An all-to-allv has to know.
  virtual Position travelled(int /*lane*/, int /*stage*/, int /*part*/) const { return 0; }
  // Whether every rank does what rank 0 does.
  virtual Symmetry symmetry() const { return Symmetry::none; }
  // REQUIRES: 0 <= index, and no earlier stage of that lane is `last`.
  virtual Stage stage(Position rank, int lane, int index) const = 0;
  virtual Send send(Position rank, int lane, int stage, int index) const = 0;
  virtual bool gated() const { return false; }
  virtual Gate gate(Position, int /*lane*/, int /*stage*/) const { return {}; }
};

// The buffers, sizes as nccl-tests counts them:
//   all_reduce      every rank starts and ends with the whole buffer
//   reduce_scatter  starts with the whole buffer, rank r ends with the sum of part r
//   all_gather      rank r starts with part r, ends with the whole buffer
//   all_to_all      starts with one part for every rank, ends with one part from every rank. Parts
//                   are numbered by their way: part d is what goes d positions up, from r to r + d,
//                   and keeps that number wherever it is; what has come home is out of the way
//   all_to_allv     the same, with parts of any size; algorithms are asked for an all_to_all
//   broadcast       the root starts with the whole buffer, every rank ends with it
//   reduce          every rank starts with the whole buffer, the root ends with the sum
//   gather          rank r starts with part r, the root ends with the whole buffer
//   scatter         the root starts with the whole buffer, rank r ends with part r
//   barrier         nothing is carried; no rank ends before every rank has started
// Plans have their root at position 0; rooted_at() turns them to any other (system/collective/
// rooted_plan.h).
class CollectiveAlgorithm {
 public:
  virtual ~CollectiveAlgorithm() = default;
  virtual bool supports(Collective kind, int group_size) const = 0;
  // Chunks of one collective take the variants in turn (the two trees of a double tree).
  virtual int variants() const { return 1; }
  // REQUIRES: supports(kind, group.size()), 0 <= variant < variants().
  virtual std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group,
                                     int variant) const = 0;
  // Its plans have a switch that adds or multicasts: for levels that have one (LevelSpec).
  virtual bool needs_reducing_switch() const { return false; }
  // The algorithm with a number behind its name, as in direct:8; its sentence in the list says what
  // the number means. Null if it takes none, or not that one. REQUIRES: parameter >= 1.
  virtual std::unique_ptr<const CollectiveAlgorithm> with(int parameter) const;
};

// system/algorithms/builtin.def, in its order.
struct AlgorithmEntry {
  std::string_view name, sentence;
  const CollectiveAlgorithm& (*get)();
};
std::span<const AlgorithmEntry> builtin_algorithms();
// By a name of the list, or name:number; null if there is none. Cheap: plain names are not copied.
std::shared_ptr<const CollectiveAlgorithm> find_algorithm(std::string_view name);

// An algorithm as a specification holds it. The name is its identity: the same name in one
// experiment means the same algorithm, so plans are kept by it.
struct NamedAlgorithm {
  std::string name;
  std::shared_ptr<const CollectiveAlgorithm> algorithm;  // null if there is none of that name

  NamedAlgorithm() = default;
  // One of the list, by its name: `spec.algorithms = {"direct", "ring:2"}`.
  template <class Name>
  requires std::convertible_to<const Name&, std::string_view> NamedAlgorithm(const Name& of)
      : name(std::string_view(of)), algorithm(find_algorithm(name)) {}
  // One that is not in the list, such as one read from a file.
  NamedAlgorithm(std::string own_name, std::shared_ptr<const CollectiveAlgorithm> own)
      : name(std::move(own_name)), algorithm(std::move(own)) {}

  bool supports(Collective kind, int group_size) const {
    return algorithm != nullptr && algorithm->supports(planned_as(kind), group_size);
  }
  bool operator==(const NamedAlgorithm& other) const { return name == other.name; }
};
std::string names_of(std::span<const NamedAlgorithm> algorithms, std::string_view between);

}  // namespace orrery
