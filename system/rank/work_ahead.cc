#include "system/rank/work_ahead.h"

#include <fmt/format.h>

#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/units/unit_text.h"
#include "system/collective/piece_sizes.h"

namespace orrery {
namespace {

std::int64_t sends_of_rank_0(const Plan& plan) {
  std::int64_t sends = 0;
  for (int lane = 0; lane < plan.lanes(); ++lane)
    for (int index = 0;; ++index) {
      const Stage stage = plan.stage(0, lane, index);
      sends += stage.sends;
      if (stage.last) break;
    }
  return sends;
}

class Sum {
 public:
  explicit Sum(CollectiveRecipes& recipes) : recipes_(recipes) {}

  void add(const Operation& operation, std::int64_t ranks) {
    if (std::holds_alternative<SendCall>(operation.what)) sent_ += ranks;
    if (const auto* call = std::get_if<CollectiveCall>(&operation.what)) {
      Calls& calls = calls_of(*call);
      calls.messages += calls.of_one * ranks;
    }
  }

  WorkAhead total() const {
    WorkAhead sum{.messages = sent_, .most = 0, .calls = ""};
    for (const auto& [key, calls] : calls_) {
      sum.messages += calls.messages;
      if (calls.messages <= sum.most) continue;
      sum.most = calls.messages;
      sum.kind = std::get<1>(key);
      sum.calls = fmt::format("{} of {} by {}", name_of(std::get<1>(key)),
                              to_text(std::get<2>(key)), calls.algorithm);
    }
    return sum;
  }

 private:
  struct Calls {
    std::int64_t of_one = 0, messages = 0;
    std::string algorithm;
  };

  Calls& calls_of(const CollectiveCall& call) {
    const auto [found, is_new] = calls_.try_emplace({call.communicator, call.kind, call.size});
    if (is_new) count(call, found->second);
    return found->second;
  }

  void count(const CollectiveCall& call, Calls& calls) {
    const CollectiveRecipe& recipe = recipes_.of(call, 0);
    if (recipe.paths.empty()) return;  // calling it will be refused
    const std::int32_t chunks = chunk_count(call.size, recipe.chunks, recipes_.minimum_chunk());
    for (const PhaseRecipe& phase : recipe.paths.front().phases) {
      const auto [known, is_new] = sends_.try_emplace(phase.variants.front());
      if (is_new) known->second = sends_of_rank_0(*known->first);
      calls.of_one += known->second * chunks;
      if (calls.algorithm.find(phase.algorithm->name) == std::string::npos)
        calls.algorithm += (calls.algorithm.empty() ? "" : "+") + phase.algorithm->name;
    }
  }

  CollectiveRecipes& recipes_;
  std::int64_t sent_ = 0;
  std::map<std::tuple<std::int32_t, Collective, Bytes>, Calls> calls_;
  std::map<const Plan*, std::int64_t> sends_;
};

}  // namespace

WorkAhead work_ahead(const Job& job, const Fold& fold, CollectiveRecipes& recipes) {
  std::vector<std::pair<KnownOperations, std::int64_t>> programs;  // and their ranks
  std::map<const void*, std::size_t> numbers;
  for (Rank rank = 0; rank < job.ranks; ++rank) {
    if (!fold.none() && fold.representative(rank) != rank) continue;
    const auto operations = job.operations->known_operations(rank);
    const auto [found, is_new] = numbers.try_emplace(operations.identity(), programs.size());
    if (is_new) programs.emplace_back(operations, 0);
    ++programs[found->second].second;
  }
  Sum sum(recipes);
  for (const auto& [operations, ranks] : programs)
    for (const Operation& operation : operations) sum.add(operation, ranks);
  return sum.total();
}

}  // namespace orrery
