// Every algorithm, on sets: all group sizes 2..33, all variants, all kinds it supports;
// compositions over levels; and plans with one mutated index, which the proof must refuse.
#include <catch2/catch.hpp>

#include <memory>

#include "core/base/random.h"
#include "tests/system/plan_proof.h"

namespace orrery {
namespace {

constexpr Collective kKinds[] = {Collective::all_reduce, Collective::reduce_scatter,
                                 Collective::all_gather, Collective::all_to_all};

TEST_CASE("every algorithm is proved for all group sizes it supports") {
  for (const AlgorithmEntry& entry : builtin_algorithms())
    for (const Collective kind : kKinds)
      for (int size = 2; size <= 33; ++size) {
        const CollectiveAlgorithm& algorithm = entry.get();
        if (!algorithm.supports(kind, size)) continue;
        for (int variant = 0; variant < algorithm.variants(); ++variant) {
          INFO(entry.name << " " << name_of(kind) << " of " << size << ", variant " << variant);
          CHECK(proof::prove(kind, size, *algorithm.plan(kind, size, variant)) == "");
        }
      }
}

TEST_CASE("what the study needs is supported at every size") {
  for (int size = 2; size <= 33; ++size) {
    CHECK(find_algorithm("double_binary_tree")->supports(Collective::all_reduce, size));
    for (const Collective kind : kKinds) {
      CHECK(find_algorithm("ring")->supports(kind, size));
      CHECK(find_algorithm("direct")->supports(kind, size));
    }
  }
  CHECK_FALSE(find_algorithm("double_binary_tree")->supports(Collective::all_to_all, 8));
  CHECK(find_algorithm("nonsense") == nullptr);
}

// Plans of a composed collective with the given algorithm on every level (double_binary_tree where
// it can, else that algorithm).
std::string prove_composed(Collective kind, HierarchicalSchedule schedule,
                           const std::vector<int>& dimensions, std::string_view name, int variant) {
  std::vector<std::unique_ptr<Plan>> plans;
  std::vector<proof::PlannedPhase> phases;
  for (const Phase& phase : make_phases(kind, schedule, static_cast<int>(dimensions.size()))) {
    const int size = dimensions[phase.dimension];
    const CollectiveAlgorithm* algorithm = find_algorithm(name);
    if (!algorithm->supports(phase.kind, size)) algorithm = find_algorithm("direct");
    plans.push_back(algorithm->plan(phase.kind, size, variant % algorithm->variants()));
    phases.push_back({phase, plans.back().get()});
  }
  return proof::prove(kind, dimensions, phases);
}

TEST_CASE("compositions over levels are proved") {
  const std::vector<std::vector<int>> shapes = {{2, 2}, {4, 8}, {8, 4}, {3, 5, 2}, {2, 3, 4}};
  for (const auto& shape : shapes)
    for (const Collective kind : kKinds)
      for (const auto schedule :
           {HierarchicalSchedule::baseline, HierarchicalSchedule::local_bandwidth_aware})
        for (const AlgorithmEntry& entry : builtin_algorithms())
          for (int variant = 0; variant < 2; ++variant) {
            INFO(entry.name << " " << name_of(kind) << " " << name_of(schedule) << " levels "
                            << shape.size() << " first " << shape[0]);
            CHECK(prove_composed(kind, schedule, shape, entry.name, variant) == "");
          }
}

// A plan in which one field of one send is off.
class Mutated final : public Plan {
 public:
  Mutated(const Plan& plan, Position rank, int stage, int index, int field)
      : plan_(plan), rank_(rank), stage_(stage), index_(index), field_(field) {}
  int pieces() const override { return plan_.pieces(); }
  int lanes() const override { return plan_.lanes(); }
  Stage stage(Position rank, int lane, int index) const override {
    return plan_.stage(rank, lane, index);
  }
  Send send(Position rank, int lane, int stage, int index) const override {
    Send send = plan_.send(rank, lane, stage, index);
    if (rank != rank_ || stage != stage_ || index != index_) return send;
    if (field_ == 0) send.to += send.to + 1 == rank ? 2 : 1;
    if (field_ == 1) send.pieces.first = (send.pieces.first + 1) % plan_.pieces();
    if (field_ == 2) ++send.stage;
    if (field_ == 3) send.reduce = !send.reduce;
    return send;
  }

 private:
  const Plan& plan_;
  Position rank_;
  int stage_, index_, field_;
};

TEST_CASE("a mutation of one index of any plan is caught") {
  RandomStream random(7, "mutations");
  for (const AlgorithmEntry& entry : builtin_algorithms())
    for (const Collective kind : kKinds)
      for (const int size : {4, 5, 8}) {
        if (!entry.get().supports(kind, size)) continue;
        const auto plan = entry.get().plan(kind, size, 0);
        for (int trial = 0; trial < 40; ++trial) {
          const auto pick = [&](int n) {
            return static_cast<int>(random.uniform_int(static_cast<std::uint64_t>(n)));
          };
          const int rank = pick(size);
          int stages = 1;
          while (!plan->stage(rank, 0, stages - 1).last) ++stages;
          const int stage = pick(stages);
          const int sends = plan->stage(rank, 0, stage).sends;
          const int field = pick(4);
          if (sends == 0) continue;
          if (field == 1 && plan->pieces() == 1) continue;  // there is no other piece
          // Adding to nothing is the same as copying: not a fault that sets can show.
          const bool adds = kind == Collective::all_reduce || kind == Collective::reduce_scatter;
          if (field == 3 && !adds) continue;
          const Mutated mutated(*plan, rank, stage, pick(sends), field);
          INFO(entry.name << " " << name_of(kind) << " of " << size << ": rank " << rank
                          << " stage " << stage << " field " << field);
          CHECK(proof::prove(kind, size, mutated) != "");
        }
      }
}

// n = 8, chunk whole through one tree: an inside rank sends 3 times (up, down, down), a leaf once,
// the root once (it has one child). Over both trees: 3 + 1 at most, 2(n-1)/n * 2 = 3.5 on average.
TEST_CASE("a rank inside one tree of a double tree is a leaf of the other") {
  for (const int size : {2, 4, 8, 16, 128}) {
    int total = 0;
    for (int rank = 0; rank < size; ++rank) {
      int sends = 0;
      for (int tree = 0; tree < 2; ++tree) {
        const auto plan =
            find_algorithm("double_binary_tree")->plan(Collective::all_reduce, size, tree);
        for (int stage = 0;; ++stage) {
          const Stage s = plan->stage(rank, 0, stage);
          sends += s.sends;
          if (s.last) break;
        }
      }
      CHECK(sends <= 4);
      total += sends;
    }
    CHECK(total == 2 * 2 * (size - 1));
  }
}

}  // namespace
}  // namespace orrery
