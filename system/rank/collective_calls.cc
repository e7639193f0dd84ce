#include "system/rank/collective_calls.h"

#include <fmt/format.h>

#include <string>

namespace orrery {
namespace {

// Whether two ranks mean the same collective.
bool agree(const CollectiveCall& a, const CollectiveCall& b) {
  const bool same_pairs = a.pair_sizes == b.pair_sizes ||
                          (a.pair_sizes && b.pair_sizes && *a.pair_sizes == *b.pair_sizes);
  return a.kind == b.kind && a.size == b.size && a.root == b.root && same_pairs;
}

std::string text_of(const CollectiveCall& call) {
  const std::string root =
      has_root(call.kind) ? fmt::format(" (root {})", call.root) : std::string();
  return fmt::format("{}{} of {} B{}", name_of(call.kind), root, call.size.value,
                     call.pair_sizes ? " at most, in sizes of its own" : "");
}

// A free place of `all`, which grows if there is none.
template <typename T>
std::uint32_t take(std::vector<T>& all, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    all.emplace_back();
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  const std::uint32_t id = free.back();
  free.pop_back();
  return id;
}

std::vector<CollectiveCalls::ChunkPath> paths_of_chunks(const CollectiveCall& call,
                                                        const CollectiveRecipe& recipe,
                                                        std::int32_t chunks) {
  std::vector<std::int32_t> so_far(recipe.paths.size());
  std::vector<CollectiveCalls::ChunkPath> paths;
  for (const std::int32_t path :
       orders_of_chunks(call.kind, recipe.schedule, call.size, chunks, recipe.rates))
    paths.push_back({path, so_far[path]++});
  return paths;
}

}  // namespace

std::uint32_t CollectiveCalls::join(Rank rank, const CollectiveCall& call, std::uint32_t number,
                                    Time now) {
  const auto member = recipes_.families()[call.communicator].find(rank);
  if (!member)
    throw JobError(fmt::format("rank {} calls {} of a communicator that it is not in", rank,
                               name_of(call.kind)));
  const std::uint32_t instance_id = instance_of(rank, *member, call, number);
  Instance& instance = instances_[instance_id];
  const std::uint32_t id = take(calls_, free_calls_);
  calls_[id] = {.rank = rank,
                .position = member->position,
                .instance = instance_id,
                .unfinished_chunks = instance.chunk_count};
  instance.calls[instance.index_of(member->position)] = id;
  instance.joined = now;
  return id;
}

std::uint32_t CollectiveCalls::instance_of(Rank rank, const GroupFamily::Member& member,
                                           const CollectiveCall& call, std::uint32_t number) {
  const std::uint64_t key = key_in_group(static_cast<std::uint32_t>(call.communicator),
                                         static_cast<std::uint64_t>(member.base), number);
  const auto [found, inserted] = open_instances_.try_emplace(key, kNone);
  if (inserted) {
    const std::uint32_t id = take(instances_, free_instances_);
    open(instances_[id], rank, member, call);
    instances_[id].key = key;
    found->second = id;
    return id;
  }
  const CollectiveCall& first = instances_[found->second].call;
  if (!agree(first, call))
    throw JobError(fmt::format(
        "ranks of one group disagree on their collective number {}: rank {} calls {}, another "
        "rank {}: every rank of a group must call the same collectives in the same order",
        number + 1, rank, text_of(call), text_of(first)));
  return found->second;
}

void CollectiveCalls::open(Instance& instance, Rank rank, const GroupFamily::Member& member,
                           const CollectiveCall& call) {
  const CollectiveRecipe& recipe = recipes_.of(call, member.layout);
  if (recipe.paths.empty())
    throw JobError(fmt::format("the job calls {}, which system.{}.algorithms cannot do",
                               name_of(call.kind), name_of(call.kind)));
  const GroupFamily& family = recipes_.families()[call.communicator];
  const std::int32_t size = family.layouts()[member.layout].whole.size;
  if (call.pair_sizes && call.pair_sizes->ranks() != size)
    throw JobError(fmt::format("rank {} calls {} with the sizes of {} ranks in a group of {}", rank,
                               name_of(call.kind), call.pair_sizes->ranks(), size));
  instance.communicator = static_cast<std::uint32_t>(call.communicator);
  instance.base = member.base;
  instance.call = call;
  instance.recipe = &recipe;
  instance.chunk_count = chunk_count(call.size, recipe.chunks, spec_.minimum_chunk);
  instance.chunks = PieceSizes(call.size, instance.chunk_count);
  instance.paths = paths_of_chunks(call, recipe, instance.chunk_count);
  instance.begun = StartOrder::kNew;
  instance.size = instance.unfinished = size / recipe.fold.multiplicity();
  instance.calls.assign(instance.size, kNone);
  instance.admissions.assign(instance.chunk_count, StartOrder::kNew);
  instance.runs.assign(instance.chunk_count, {});
}

void CollectiveCalls::leave(std::uint32_t id) {
  const std::uint32_t instance_id = calls_[id].instance;
  Instance& instance = instances_[instance_id];
  if (--instance.unfinished == 0) {
    open_instances_.erase(instance.key);
    instance.runs.clear();
    free_instances_.push_back(instance_id);
  }
  free_calls_.push_back(id);
}

const CollectiveCalls::Call* CollectiveCalls::find(Rank rank, OperationId operation) const {
  for (const Call& call : calls_)
    if (call.rank == rank && call.operation == operation && call.unfinished_chunks > 0)
      return &call;
  return nullptr;
}

}  // namespace orrery
