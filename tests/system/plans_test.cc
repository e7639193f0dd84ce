// Every algorithm, on sets: all group sizes 2..33, all variants, all kinds it supports;
// every root; compositions over levels; and plans with one mutated index, which the proof must
// refuse.
#include <bit>
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "system/collective/plan_check.h"
#include "system/collective/rooted_plan.h"

namespace orrery {
namespace {

// Of the plans, which do an all_to_allv as an all_to_all.
constexpr Collective kKinds[] = {
    Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather,
    Collective::all_to_all, Collective::broadcast,      Collective::reduce,
    Collective::gather,     Collective::scatter,        Collective::barrier};
static_assert(std::size(kKinds) == collective_count - 1);

// The list, and some algorithms with a parameter.
std::vector<std::string> names_of_plans() {
  std::vector<std::string> result;
  for (const AlgorithmEntry& entry : builtin_algorithms()) result.emplace_back(entry.name);
  for (const char* name :
       {"ring:2", "ring:3", "ring:8", "double_binary_tree:2", "binary_tree:2", "direct:1",
        "direct:2", "direct:5", "parameter_server:2", "parameter_server:3", "parameter_server:64"})
    result.emplace_back(name);
  return result;
}

TEST_CASE("every algorithm is proved for all group sizes it supports") {
  for (const std::string& name : names_of_plans())
    for (const Collective kind : kKinds)
      for (int size = 2; size <= 33; ++size) {
        const auto algorithm = find_algorithm(name);
        if (!algorithm->supports(kind, size)) continue;
        for (int variant = 0; variant < algorithm->variants(); ++variant) {
          INFO(name << " " << name_of(kind) << " of " << size << ", variant " << variant);
          CHECK(proof::prove(kind, size, *algorithm->plan(kind, size, variant)) == "");
        }
      }
}

// Rank r does what rank 0 does, and sends as many pieces to r + to, or to r xor to.
std::string difference_from_rank_0(const Plan& plan, int size, Symmetry symmetry) {
  for (Position rank = 1; rank < size; ++rank)
    for (int lane = 0; lane < plan.lanes(); ++lane)
      for (int index = 0;; ++index) {
        const Stage mine = plan.stage(rank, lane, index), first = plan.stage(0, lane, index);
        const std::string where =
            "rank " + std::to_string(rank) + " stage " + std::to_string(index);
        if (mine.sends != first.sends || mine.receives != first.receives || mine.last != first.last)
          return where;
        for (int i = 0; i < mine.sends; ++i) {
          const Send send = plan.send(rank, lane, index, i), of_0 = plan.send(0, lane, index, i);
          const bool exchange = symmetry == Symmetry::exchange;
          const Position to = exchange ? of_0.to ^ rank : (of_0.to + rank) % size;
          if (send.to != to || send.stage != of_0.stage || send.pieces.count != of_0.pieces.count ||
              send.reduce != of_0.reduce)
            return where + " send " + std::to_string(i);
        }
        if (mine.last) break;
      }
  return "";
}

TEST_CASE("plans that say they are symmetric are") {
  int rotations = 0, exchanges = 0;
  for (const std::string& name : names_of_plans())
    for (const Collective kind : kKinds)
      for (int size = 2; size <= 33; ++size) {
        const auto algorithm = find_algorithm(name);
        if (!algorithm->supports(kind, size)) continue;
        for (int variant = 0; variant < algorithm->variants(); ++variant) {
          INFO(name << " " << name_of(kind) << " of " << size << ", variant " << variant);
          const auto plan = algorithm->plan(kind, size, variant);
          if (plan->symmetry() == Symmetry::none) continue;
          ++(plan->symmetry() == Symmetry::rotation ? rotations : exchanges);
          CHECK(difference_from_rank_0(*plan, size, plan->symmetry()) == "");
        }
      }
  CHECK(rotations > 1'000);
  CHECK(exchanges > 20);
}

// A plan that forgets to say so is simulated on every rank, which a user of 16,384 ranks notices.
TEST_CASE("plans that are symmetric say so") {
  int others = 0;
  for (const std::string& name : names_of_plans())
    for (const Collective kind : kKinds)
      for (const int size : {4, 6, 7, 8, 16, 33}) {
        const auto algorithm = find_algorithm(name);
        if (!algorithm->supports(kind, size)) continue;
        for (int variant = 0; variant < algorithm->variants(); ++variant) {
          const auto plan = algorithm->plan(kind, size, variant);
          if (plan->symmetry() != Symmetry::none || plan->switches() > 0 || plan->gated()) continue;
          INFO(name << " " << name_of(kind) << " of " << size << ", variant " << variant);
          CHECK(difference_from_rank_0(*plan, size, Symmetry::rotation) != "");
          if (std::has_single_bit(static_cast<unsigned>(size)))
            CHECK(difference_from_rank_0(*plan, size, Symmetry::exchange) != "");
          ++others;
        }
      }
  CHECK(others > 100);
}

TEST_CASE("a plan is proved for every root") {
  for (const std::string& name : names_of_plans())
    for (const Collective kind : kKinds)
      for (const int size : {2, 3, 8, 13}) {
        const auto algorithm = find_algorithm(name);
        if (!has_root(kind) || !algorithm->supports(kind, size)) continue;
        for (int root = 0; root < size; ++root) {
          INFO(name << " " << name_of(kind) << " of " << size << ", root " << root);
          const auto plan = algorithm->plan(kind, size, root % algorithm->variants());
          CHECK(proof::prove(kind, size, *rooted_at(root, size, *plan), root) == "");
        }
      }
}

// No algorithm needs a special group size: what it supports for one it supports for all.
TEST_CASE("what an algorithm can do") {
  const auto kinds_of = [](const std::string& name) {
    std::string kinds;
    for (const Collective kind : kKinds) {
      const bool able = find_algorithm(name)->supports(kind, 2);
      for (int size = 3; size <= 33; ++size)
        CHECK(find_algorithm(name)->supports(kind, size) == able);
      CHECK_FALSE(find_algorithm(name)->supports(kind, 1));
      if (able) kinds += std::string(kinds.empty() ? "" : " ") + std::string(name_of(kind));
    }
    return kinds;
  };
  CHECK(kinds_of("ring") == "all_reduce reduce_scatter all_gather all_to_all broadcast reduce");
  CHECK(kinds_of("direct") ==
        "all_reduce reduce_scatter all_gather all_to_all broadcast reduce gather scatter");
  CHECK(kinds_of("halving_doubling") == "all_reduce reduce_scatter all_gather");
  CHECK(kinds_of("recursive_doubling") == "all_reduce all_gather barrier");
  CHECK(kinds_of("pat") == "all_reduce reduce_scatter all_gather");
  CHECK(kinds_of("bruck") == "all_gather all_to_all");
  CHECK(kinds_of("pairwise") == "all_to_all");
  CHECK(kinds_of("double_binary_tree") == "all_reduce broadcast reduce barrier");
  CHECK(kinds_of("binary_tree") == "all_reduce broadcast reduce barrier");
  CHECK(kinds_of("binomial_tree") == "all_reduce broadcast reduce gather scatter barrier");
  CHECK(kinds_of("chain") == "all_reduce broadcast reduce gather scatter barrier");
  CHECK(kinds_of("linear") == "all_reduce broadcast reduce gather scatter barrier");
  CHECK(kinds_of("in_network") == "all_reduce reduce_scatter all_gather broadcast reduce barrier");
  CHECK(kinds_of("parameter_server") == "all_reduce");
  CHECK(kinds_of("dissemination") == "barrier");
}

TEST_CASE("algorithms are found by name, with a number where they take one") {
  CHECK(find_algorithm("ring").get() == find_algorithm("ring").get());
  CHECK(find_algorithm("ring:4")->plan(Collective::all_reduce, 8, 0)->lanes() == 4);
  CHECK(find_algorithm("direct:2")->plan(Collective::all_gather, 8, 0)->stage(0, 0, 0).sends == 2);
  for (const char* wrong :
       {"nonsense", "", "rin", "ring:", "ring:0", "ring:-1", "ring:2x", "ring:2:3", "ring: 2",
        "ring:65", "ring:99999999999", "chain:2", ":2"}) {
    INFO(wrong);
    CHECK(find_algorithm(wrong) == nullptr);
  }
}

// The plans of a composed collective with the given algorithm where it can, else with one that can.
std::string prove_composed(Collective kind, HierarchicalSchedule schedule,
                           const DimensionOrder& order, const std::vector<int>& dimensions,
                           std::string_view name, int root) {
  std::vector<std::unique_ptr<Plan>> plans;
  std::vector<proof::PlannedPhase> phases;
  int radix = 1;
  std::vector<int> coordinate_of_root;
  for (const int size : dimensions) {
    coordinate_of_root.push_back(root / radix % size);
    radix *= size;
  }
  for (const Phase& phase : make_phases(kind, schedule, order)) {
    const int size = dimensions[phase.dimension];
    auto algorithm = find_algorithm(name);
    for (const char* other : {"direct", "dissemination"})
      if (!algorithm->supports(phase.kind, size)) algorithm = find_algorithm(other);
    plans.push_back(algorithm->plan(phase.kind, size, root % algorithm->variants()));
    if (has_root(phase.kind)) {
      const Plan& plan = *plans.back();
      plans.push_back(rooted_at(coordinate_of_root[phase.dimension], size, plan));
    }
    phases.push_back({phase, plans.back().get()});
  }
  return proof::prove(kind, dimensions, phases, root);
}

void prove_compositions(const std::vector<std::vector<int>>& shapes) {
  for (const auto& shape : shapes)
    for (const Collective kind : kKinds)
      for (const auto schedule :
           {HierarchicalSchedule::baseline, HierarchicalSchedule::local_bandwidth_aware,
            HierarchicalSchedule::torus, HierarchicalSchedule::themis,
            HierarchicalSchedule::across_first})
        for (const DimensionOrder& order : orders_of(schedule, static_cast<int>(shape.size()))) {
          const auto in_torus =
              orders_of(HierarchicalSchedule::torus, static_cast<int>(order.size()));
          const auto known = std::find(in_torus.begin(), in_torus.end(), order);
          // As local_bandwidth_aware, and as torus.
          if (schedule == HierarchicalSchedule::torus && known == in_torus.begin()) continue;
          if (schedule == HierarchicalSchedule::themis && known != in_torus.end()) continue;
          for (const std::string& name : names_of_plans())
            for (const int root : {0, 1, 3}) {
              if (root > 1 && !has_root(kind)) continue;  // 0 and 1: the variants
              INFO(name << " " << name_of(kind) << " " << name_of(schedule) << " from level "
                        << order[0] << " of " << shape.size() << ", first " << shape[0] << " root "
                        << root);
              CHECK(prove_composed(kind, schedule, order, shape, name, root) == "");
            }
        }
}

TEST_CASE("compositions over levels are proved") {
  prove_compositions({{2, 2}, {4, 3}, {3, 2, 2}});
}

TEST_CASE("compositions over larger levels are proved", "[slow]") {
  prove_compositions({{4, 8}, {3, 5, 2}, {8, 2, 4}});
}

// Which levels a chunk passes, and where it turns back: each order must be one in which no queue is
// passed twice on one way (collective_scheduler.h).
TEST_CASE("a chunk passes the levels in one order out and in the other order back") {
  for (const Collective kind : kKinds)
    for (const auto schedule :
         {HierarchicalSchedule::baseline, HierarchicalSchedule::local_bandwidth_aware,
          HierarchicalSchedule::torus, HierarchicalSchedule::themis,
          HierarchicalSchedule::across_first})
      for (const DimensionOrder& order : orders_of(schedule, 3)) {
        INFO(name_of(kind) << " " << name_of(schedule) << " from level " << order[0]);
        int last = -1;  // place in `order`
        bool back = false;
        for (const Phase& phase : make_phases(kind, schedule, order)) {
          const auto place = static_cast<int>(
              std::find(order.begin(), order.end(), phase.dimension) - order.begin());
          if (phase.back && !back) last = static_cast<int>(order.size());
          CHECK((phase.back || !back));  // it turns once
          back = phase.back;
          CHECK((back ? place < last : place > last));
          last = place;
        }
      }
  CHECK(orders_of(HierarchicalSchedule::torus, 3) ==
        std::vector<DimensionOrder>{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}});
  CHECK(orders_of(HierarchicalSchedule::across_first, 3) == std::vector<DimensionOrder>{{0, 1, 2}});
  // All of them, and those of the torus by the same numbers.
  CHECK(orders_of(HierarchicalSchedule::themis, 3) ==
        std::vector<DimensionOrder>{
            {0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}});
}

// A plan in which one field of one send, or one count of one stage, is off.
class Mutated final : public Plan {
 public:
  enum Field { to, first, stage_of_arrival, reduce, count, run, receives, sends, come, kFields };

  Mutated(const Plan& plan, Position rank, int lane, int stage, int index, Field field)
      : plan_(plan), rank_(rank), lane_(lane), stage_(stage), index_(index), field_(field) {}

  int pieces() const override { return plan_.pieces(); }
  int lanes() const override { return plan_.lanes(); }
  int switches() const override { return plan_.switches(); }
  Stage stage(Position rank, int lane, int index) const override {
    Stage stage = plan_.stage(rank, lane, index);
    if (rank != rank_ || lane != lane_ || index != stage_) return stage;
    if (field_ == Field::receives) ++stage.receives;
    if (field_ == Field::sends) --stage.sends;
    return stage;
  }
  Send send(Position rank, int lane, int stage, int index) const override {
    Send send = plan_.send(rank, lane, stage, index);
    if (rank != rank_ || lane != lane_ || stage != stage_ || index != index_) return send;
    switch (field_) {
      case Field::to:
        send.to += send.to + 1 == rank ? 2 : 1;
        break;
      case Field::first:
        send.pieces.first = (send.pieces.first + 1) % plan_.pieces();
        break;
      case Field::stage_of_arrival:
        ++send.stage;
        break;
      case Field::reduce:
        send.reduce = !send.reduce;
        break;
      case Field::count:
        --send.pieces.count;
        break;
      case Field::run:
        ++send.pieces.run;
        break;
      default:
        break;
    }
    return send;
  }

  Position travelled(int lane, int stage, int part) const override {
    const bool here = field_ == Field::come && lane == lane_ && stage == stage_;
    return plan_.travelled(lane, stage, part) + (here ? 1 : 0);
  }

  // Whether the mutation is a fault at all.
  static bool matters(Collective kind, const Plan& plan, const Send& send, Field field) {
    // All pieces are all pieces, wherever one begins.
    if (field == Field::first || field == Field::run)
      if (send.pieces.count == plan.pieces()) return false;
    // A multicast brings a rank its own part, too, which it has.
    if (field == Field::count && kind == Collective::all_gather)
      if (send.pieces.at(send.pieces.count - 1) == send.to) return false;
    if (field == Field::come) return kind == Collective::all_to_all;
    if (field == Field::run) return send.pieces.run > 0 && send.pieces.run < send.pieces.count;
    // Adding to nothing is the same as copying: not a fault that sets can show. A barrier's last
    // message may bring what was there before.
    const bool adds = kind == Collective::all_reduce || kind == Collective::reduce_scatter ||
                      kind == Collective::reduce;
    return field != Field::reduce || adds;
  }

 private:
  const Plan& plan_;
  Position rank_;
  int lane_, stage_, index_;
  Field field_;
};

TEST_CASE("a mutation of one index of any plan is caught") {
  const std::vector<std::int32_t> uneven = {2, 1, 4};  // members of three nodes
  RandomStream random(7, "mutations");
  const auto pick = [&](int n) {
    return static_cast<int>(random.uniform_int(static_cast<std::uint64_t>(n)));
  };
  for (const std::string& name : names_of_plans())
    for (const Collective kind : kKinds)
      for (const GroupShape& group : {GroupShape(3), GroupShape(4), GroupShape(5), GroupShape(8),
                                      GroupShape(11), GroupShape(3, 2), GroupShape(uneven)}) {
        const auto algorithm = find_algorithm(name);
        const int size = group.size();
        if (!algorithm->supports(kind, size)) continue;
        const auto plan = algorithm->plan(kind, group, pick(algorithm->variants()));
        int mutations = 0;
        for (int trial = 0; trial < 400 && mutations < 60; ++trial) {
          const int rank = pick(size + plan->switches()), lane = pick(plan->lanes());
          int stages = 1;
          while (!plan->stage(rank, lane, stages - 1).last) ++stages;
          const int stage = pick(stages);
          const int sends = plan->stage(rank, lane, stage).sends;
          const auto field = static_cast<Mutated::Field>(pick(Mutated::kFields));
          const int index = sends > 0 ? pick(sends) : 0;
          if (sends == 0 && field != Mutated::receives) continue;
          if (sends > 0 &&
              !Mutated::matters(kind, *plan, plan->send(rank, lane, stage, index), field))
            continue;
          ++mutations;
          const Mutated mutated(*plan, rank, lane, stage, index, field);
          INFO(name << " " << name_of(kind) << " of " << size << ": rank " << rank << " lane "
                    << lane << " stage " << stage << " field " << field);
          CHECK(proof::prove(kind, size, mutated) != "");
        }
        CHECK(mutations > 20);
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
