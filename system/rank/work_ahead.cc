#include "system/rank/work_ahead.h"

#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "system/collective/piece_sizes.h"

namespace orrery {
namespace {

struct Sends {
  std::int64_t messages = 0, pieces = 0, targets = 0;
};

Sends sends_of_rank_0(const Plan& plan) {
  Sends sends;
  std::set<Position> targets;
  for (int lane = 0; lane < plan.lanes(); ++lane)
    for (int index = 0;; ++index) {
      const Stage stage = plan.stage(0, lane, index);
      sends.messages += stage.sends;
      for (int number = 0; number < stage.sends; ++number) {
        const Send send = plan.send(0, lane, index, number);
        sends.pieces += send.pieces.count;
        targets.insert(send.to);
      }
      if (stage.last) break;
    }
  sends.targets = std::ssize(targets);
  return sends;
}

class Sum {
 public:
  Sum(const Topology& topology, CollectiveRecipes& recipes)
      : topology_(topology),
        recipes_(recipes),
        messages_(topology.levels().size()),
        bytes_(topology.levels().size()) {}

  // Of a program that so many ranks have, of which this is one.
  void add(const Operation& operation, Rank rank, bool names_distances, std::int64_t ranks) {
    if (const auto* send = std::get_if<SendCall>(&operation.what)) {
      sent_ += ranks;
      const std::size_t level = outermost_level(rank, names_distances ? rank + send->to : send->to);
      messages_[level] += ranks;
      bytes_[level] += TotalBytes(send->size) * ranks;
    }
    if (const auto* call = std::get_if<CollectiveCall>(&operation.what)) {
      Calls& calls = calls_of(*call);
      calls.messages += calls.of_one * ranks;
      for (const OnLevel& phase : calls.phases) {
        messages_[phase.level] += phase.messages * ranks;
        bytes_[phase.level] += phase.bytes * ranks;
      }
    }
  }

  WorkAhead total() const {
    WorkAhead sum{.messages = sent_, .messages_on = messages_, .bytes = bytes_, .calls = {}};
    for (const auto& [plan, sends] : sends_) sum.targets += sends.targets;
    for (const auto& [key, calls] : calls_) {
      sum.messages += calls.messages;
      sum.calls[key] = {calls.messages, calls.chunks, calls.algorithm};
    }
    return sum;
  }

 private:
  struct OnLevel {
    std::size_t level;
    std::int64_t messages;
    TotalBytes bytes;
  };
  struct Calls {
    std::int64_t of_one = 0, messages = 0;
    std::vector<OnLevel> phases;  // of one
    std::int32_t chunks = 0;
    std::string algorithm;
  };

  std::size_t outermost_level(Rank from, Rank to) const {
    std::size_t level = topology_.levels().size() - 1;
    const auto differ = [&] {
      const std::int32_t stride = topology_.stride(static_cast<int>(level));
      return from / stride != to / stride;
    };
    while (level > 0 && !differ()) --level;
    return level;
  }

  Calls& calls_of(const CollectiveCall& call) {
    const auto [found, is_new] = calls_.try_emplace({call.communicator, call.kind, call.size});
    if (is_new) count(call, found->second);
    return found->second;
  }

  void count(const CollectiveCall& call, Calls& calls) {
    const CollectiveRecipe& recipe = recipes_.of(call, 0);
    if (recipe.paths.empty()) return;  // calling it will be refused
    calls.chunks = chunk_count(call.size, recipe.chunks, recipes_.minimum_chunk());
    for (const PhaseRecipe& phase : recipe.paths.front().phases) {
      const Plan& plan = *phase.variants.front();
      const auto [known, is_new] = sends_.try_emplace(&plan);
      if (is_new) known->second = sends_of_rank_0(plan);
      calls.of_one += known->second.messages * calls.chunks;
      std::int64_t parts = plan.pieces();
      for (const int d : phase.phase.scattered) parts *= recipe.layout->dimensions[d].size;
      calls.phases.push_back({static_cast<std::size_t>(phase.dimension.level),
                              known->second.messages * calls.chunks,
                              TotalBytes(equal_part(call.size, parts)) * known->second.pieces});
      if (calls.algorithm.find(phase.algorithm->name) == std::string::npos)
        calls.algorithm += (calls.algorithm.empty() ? "" : "+") + phase.algorithm->name;
    }
  }

  const Topology& topology_;
  CollectiveRecipes& recipes_;
  std::int64_t sent_ = 0;
  std::vector<std::int64_t> messages_;  // of each level
  std::vector<TotalBytes> bytes_;       // of each level
  std::map<WorkAhead::Key, Calls> calls_;
  std::map<const Plan*, Sends> sends_;
};

// `count` and `times` as often `each`; at most what the type holds.
std::int64_t grown(std::int64_t count, std::int64_t each, std::int64_t times) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (each > 0 && times > (most - count) / each) return most;
  return count + each * times;
}

}  // namespace

const std::pair<const WorkAhead::Key, WorkAhead::Calls>* WorkAhead::most() const {
  const std::pair<const Key, Calls>* most = nullptr;
  for (const auto& one : calls)
    if (one.second.messages > (most == nullptr ? 0 : most->second.messages)) most = &one;
  return most;
}

void WorkAhead::grow(const WorkAhead& last, const WorkAhead& before, std::int64_t times) {
  messages = grown(messages, last.messages - before.messages, times);
  for (std::size_t level = 0; level < bytes.size(); ++level) {
    messages_on[level] =
        grown(messages_on[level], last.messages_on[level] - before.messages_on[level], times);
    bytes[level] += (last.bytes[level] - before.bytes[level]) * times;
  }
  for (const auto& [key, of_last] : last.calls) {
    const auto found = before.calls.find(key);
    const std::int64_t already = found == before.calls.end() ? 0 : found->second.messages;
    Calls& of_all =
        calls.try_emplace(key, Calls{0, of_last.chunks, of_last.algorithm}).first->second;
    of_all.messages = grown(of_all.messages, of_last.messages - already, times);
  }
}

WorkAhead work_ahead(const Job& job, const Topology& topology, const Fold& fold,
                     CollectiveRecipes& recipes) {
  struct Ranks {
    KnownOperations operations;
    Rank first;
    std::int64_t count;
  };
  std::vector<Ranks> programs;
  std::map<const void*, std::size_t> numbers;
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    if (!fold.none() && fold.representative(rank) != rank) continue;
    const auto operations = job.operations->operations_ahead(rank);
    const auto [found, is_new] = numbers.try_emplace(operations.identity(), programs.size());
    if (is_new) programs.push_back({operations, rank, 0});
    ++programs[found->second].count;
  }
  Sum sum(topology, recipes);
  for (const Ranks& ranks : programs)
    for (const Operation operation : ranks.operations)
      sum.add(operation, ranks.first, job.operations->names_distances(ranks.first), ranks.count);
  return sum.total();
}

}  // namespace orrery
