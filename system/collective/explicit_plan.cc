#include "system/collective/explicit_plan.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace orrery {
namespace {

struct ExplicitStage {
  std::vector<Send> sends;
  std::int32_t receives = 0;
  std::vector<StageName> after;
  Duration compute;
  std::int32_t added = 0;  // pieces
  bool works() const { return compute > Duration{} || added > 0; }
};

struct Table {
  Collective kind;
  int pieces, lanes = 1;
  bool gated = false, sends_leave;
  std::vector<std::vector<std::vector<ExplicitStage>>> stages;  // of each rank and lane
};

// For each step of a rank, thread by thread.
template <class T>
using OfSteps = std::vector<std::vector<T>>;

template <class T>
OfSteps<T> of_steps(const RankProgram& rank, T value) {
  OfSteps<T> result;
  for (const auto& steps : rank.threads) result.emplace_back(steps.size(), value);
  return result;
}

// The stage that each step of a rank belongs to.
class StageCutter {
 public:
  StageCutter(const RankProgram& rank, bool sends_leave)
      : rank_(rank), sends_leave_(sends_leave), awaited_(of_steps<char>(rank, 0)) {
    for (const auto& steps : rank.threads)
      for (const ProgramStep& step : steps)
        for (const StepName& other : step.after) awaited_[other.thread][other.step] = 1;
  }

  OfSteps<std::int32_t> cut() const {
    OfSteps<std::int32_t> stages = of_steps<std::int32_t>(rank_, 0);
    for (std::size_t thread = 0; thread < rank_.threads.size(); ++thread) {
      const auto& steps = rank_.threads[thread];
      Stage now;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i > 0 && (awaited_[thread][i - 1] != 0 || begins_stage(steps[i], now)))
          now = {.number = now.number + 1};
        note(steps[i], now);
        stages[thread][i] = now.number;
      }
    }
    return stages;
  }

 private:
  struct Stage {
    std::int32_t number = 0;
    bool sends = false, receives = false, adds = false;
  };

  bool begins_stage(const ProgramStep& step, const Stage& now) const {
    if (!step.after.empty() || (sends_leave_ && now.sends)) return true;
    switch (step.kind) {
      case StepKind::send:
        return now.receives;
      case StepKind::compute:
        return now.sends || now.receives;
      case StepKind::add:
        return now.sends || now.receives || now.adds;
      default:
        return false;
    }
  }

  static void note(const ProgramStep& step, Stage& now) {
    now.sends = now.sends || step.kind == StepKind::send;
    now.receives =
        now.receives || step.kind == StepKind::receive || step.kind == StepKind::receive_add;
    now.adds = now.adds || step.kind == StepKind::add;
  }

  const RankProgram& rank_;
  bool sends_leave_;
  OfSteps<char> awaited_;
};

// A message's pieces in the form of a plan. What is no row with a stride is as large as its first
// piece, so often: a byte for each piece off at most.
Pieces as_row(const std::vector<std::int32_t>& pieces, std::int32_t count) {
  if (pieces.empty()) return {0, count};
  const std::int32_t stride = pieces.size() > 1 ? pieces[1] - pieces[0] : 1;
  bool row = stride > 0;
  for (std::size_t i = 1; i < pieces.size(); ++i) row = row && pieces[i] - pieces[i - 1] == stride;
  if (row && stride == 1) return {pieces[0], count};
  return {.first = pieces[0], .count = count, .run = 1, .stride = row ? stride : 0};
}

Table make_table(const MessageProgram& program, const ProgramExecution& execution) {
  Table table{.kind = program.kind,
              .pieces = program.pieces,
              .sends_leave = program.sends_leave,
              .stages = {}};
  table.gated = program.sends_leave;
  std::vector<OfSteps<std::int32_t>> stage_of;
  for (const RankProgram& rank : program.ranks) {
    stage_of.push_back(StageCutter(rank, program.sends_leave).cut());
    table.lanes = std::max(table.lanes, static_cast<int>(rank.threads.size()));
    auto& lanes = table.stages.emplace_back(rank.threads.size());
    for (std::size_t thread = 0; thread < rank.threads.size(); ++thread)
      for (std::size_t i = 0; i < rank.threads[thread].size(); ++i) {
        const ProgramStep& step = rank.threads[thread][i];
        const auto number = static_cast<std::size_t>(stage_of.back()[thread][i]);
        if (lanes[thread].size() <= number) lanes[thread].resize(number + 1);
        ExplicitStage& stage = lanes[thread][number];
        if (step.kind == StepKind::receive || step.kind == StepKind::receive_add) ++stage.receives;
        stage.compute += step.compute;
        if (step.kind == StepKind::add) stage.added += step.count;
        for (const StepName& other : step.after)
          stage.after.push_back({other.thread, stage_of.back()[other.thread][other.step]});
        table.gated = table.gated || stage.works() || !stage.after.empty();
      }
  }
  // Messages leave a stage in the order of the steps, which the transfers may not have.
  std::vector<const Transfer*> transfers;
  for (const Transfer& transfer : execution.transfers) transfers.push_back(&transfer);
  std::stable_sort(transfers.begin(), transfers.end(), [](const Transfer* a, const Transfer* b) {
    return std::tuple(a->from, a->send.thread, a->send.step) <
           std::tuple(b->from, b->send.thread, b->send.step);
  });
  for (const Transfer* transfer : transfers) {
    const StepName& send = transfer->send;
    const StepName& receive = transfer->receive;
    const ProgramStep& sent = program.ranks[transfer->from].threads[send.thread][send.step];
    const ProgramStep& received = program.ranks[transfer->to].threads[receive.thread][receive.step];
    table.stages[transfer->from][send.thread][stage_of[transfer->from][send.thread][send.step]]
        .sends.push_back({.to = transfer->to,
                          .stage = stage_of[transfer->to][receive.thread][receive.step],
                          .pieces = as_row(transfer->pieces, sent.count),
                          .reduce = received.kind == StepKind::receive_add,
                          .lane = receive.thread});
  }
  return table;
}

class ExplicitPlan final : public Plan {
 public:
  explicit ExplicitPlan(std::shared_ptr<const Table> table) : table_(std::move(table)) {}

  int pieces() const override { return table_->pieces; }
  int lanes() const override { return table_->lanes; }
  bool gated() const override { return table_->gated; }

  Stage stage(Position rank, int lane, int index) const override {
    const auto* stages = stages_of(rank, lane);
    if (stages == nullptr) return {.sends = 0, .receives = 0, .last = true};
    const ExplicitStage& stage = (*stages)[index];
    return {.sends = static_cast<std::int32_t>(stage.sends.size()),
            .receives = stage.receives,
            .last = index + 1 == static_cast<int>(stages->size())};
  }
  Send send(Position rank, int lane, int stage, int index) const override {
    return (*stages_of(rank, lane))[stage].sends[index];
  }
  Gate gate(Position rank, int lane, int index) const override {
    const auto* stages = stages_of(rank, lane);
    if (stages == nullptr) return {};
    const ExplicitStage& stage = (*stages)[index];
    return {.after = stage.after,
            .compute = stage.compute,
            .added = {0, stage.added},
            .sends_leave = table_->sends_leave && !stage.sends.empty()};
  }

 private:
  // Null for a lane in which the rank has nothing to do.
  const std::vector<ExplicitStage>* stages_of(Position rank, int lane) const {
    const auto& lanes = table_->stages[rank];
    if (lane >= static_cast<int>(lanes.size()) || lanes[lane].empty()) return nullptr;
    return &lanes[lane];
  }

  std::shared_ptr<const Table> table_;
};

class ExplicitAlgorithm final : public CollectiveAlgorithm {
 public:
  explicit ExplicitAlgorithm(std::shared_ptr<const Table> table) : table_(std::move(table)) {}

  bool supports(Collective kind, int group_size) const override {
    return kind == table_->kind && group_size == static_cast<int>(table_->stages.size());
  }
  std::unique_ptr<Plan> plan(Collective, const GroupShape&, int) const override {
    return std::make_unique<ExplicitPlan>(table_);
  }

 private:
  std::shared_ptr<const Table> table_;
};

}  // namespace

CustomAlgorithm make_explicit_algorithm(const MessageProgram& program,
                                        const ProgramExecution& execution) {
  CHECK(!execution.fault, "a program that is not proved: {}", execution.fault->what);
  return {program.kind, static_cast<int>(program.ranks.size()),
          std::make_shared<ExplicitAlgorithm>(
              std::make_shared<const Table>(make_table(program, execution)))};
}

}  // namespace orrery
