// Which calls of the ranks are one collective, and what its group shares.
//
// The n-th call of a rank in a communicator belongs to the n-th of every other rank of its group,
// as MPI and NCCL match them, and all must ask for the same. Calls that carry a number
// (CollectiveCall::number) belong to those with the same number.
#pragma once

#include <compare>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/units/units.h"
#include "system/collective/piece_sizes.h"
#include "system/job.h"
#include "system/rank/collective_recipes.h"
#include "system/rank/start_order.h"
#include "system/system_spec.h"

namespace orrery {

// A key for something of a group: communicator (8 bits), the group's base (24), and which (32).
constexpr std::uint64_t key_in_group(std::uint64_t communicator, std::uint64_t base,
                                     std::uint64_t which) {
  return (communicator << 56) | (base << 32) | which;
}

class CollectiveCalls {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct ChunkPath {
    std::int32_t path;  // of the recipe
    std::int32_t turn;  // the number of the chunk among those of the same path
  };
  // A collective as its group shares it.
  struct Instance {
    std::uint64_t key = 0;  // of communicator, group and number of the call
    std::uint32_t communicator = 0;
    Rank base = 0;
    CollectiveCall call{};
    const CollectiveRecipe* recipe = nullptr;
    std::int32_t chunk_count = 1;
    PieceSizes chunks;
    std::vector<ChunkPath> paths;           // of each chunk
    std::int32_t size = 0, unfinished = 0;  // members, of those that run
    Time joined;                            // when the last of them so far called it
    std::int64_t begun = StartOrder::kNew;  // its number among those of the communicator

    const PathRecipe& path_of(std::int32_t chunk) const { return recipe->paths[paths[chunk].path]; }
    std::int32_t index_of(Position position) const { return recipe->fold.index_of(position); }

    std::vector<std::uint32_t> calls;              // of each index_of(), kNone until it called
    std::vector<std::int64_t> admissions;          // of each chunk, its number in the StartOrder
    std::vector<std::vector<std::uint32_t>> runs;  // of each chunk, by slot
  };
  // What a rank starts first: the least.
  struct Urgency {
    std::int64_t first = 0, second = 0;
    auto operator<=>(const Urgency&) const = default;
  };
  static constexpr std::int32_t kNotReady = -1;
  // A rank's part of an instance.
  struct Call {
    Rank rank = 0;
    std::int32_t position = 0;
    std::uint32_t instance = 0;
    OperationId operation = 0;
    Priority priority = Priority::normal;
    Urgency urgency = {};           // among the calls of this rank: no two have the same
    std::int32_t lane = kNotReady;  // of the rank's lanes, while chunks have not begun
    std::int32_t next_chunk = 0;
    std::int32_t unfinished_chunks = 0;
  };

  // REQUIRES: both outlive this.
  CollectiveCalls(const SystemSpec& spec, CollectiveRecipes& recipes)
      : spec_(spec), recipes_(recipes) {}

  // The rank's call `number` of the communicator: an id that is the call's until leave().
  // Operation, priority and urgency are the caller's to fill in. Throws JobError if the rank is not
  // in the communicator, if another rank of its group called something else in this place, or if no
  // algorithm can do what is called.
  std::uint32_t join(Rank rank, const CollectiveCall& call, std::uint32_t number, Time now);

  // The rank's part is complete. The last rank of a group ends the instance.
  void leave(std::uint32_t id);

  Call& operator[](std::uint32_t id) { return calls_[id]; }
  const Call& operator[](std::uint32_t id) const { return calls_[id]; }
  // Stays in its place until the next join().
  Instance& instance(std::uint32_t id) { return instances_[id]; }
  const Instance& instance(std::uint32_t id) const { return instances_[id]; }

  // The rank's call of this operation that is not complete, or null.
  const Call* find(Rank rank, OperationId operation) const;

 private:
  std::uint32_t instance_of(Rank rank, const GroupFamily::Member& member,
                            const CollectiveCall& call, std::uint32_t number);
  void open(Instance& instance, Rank rank, const GroupFamily::Member& member,
            const CollectiveCall& call);

  const SystemSpec& spec_;
  CollectiveRecipes& recipes_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> free_calls_;
  std::vector<Instance> instances_;
  std::vector<std::uint32_t> free_instances_;
  std::unordered_map<std::uint64_t, std::uint32_t> open_instances_;  // by key
};

}  // namespace orrery
