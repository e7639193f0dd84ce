// A hand-written job: each part's steps, repeated, as a program for the ranks of that part.
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "workload/graph/program.h"
#include "workload/workload.h"

namespace orrery {

namespace {

// Steps of the same name and kind are one row of the layer table, whichever part they are in: one
// all-reduce that two parts take part in. Steps without a name are rows of their own.
class StepRows {
 public:
  explicit StepRows(const ProgramSpec& spec) {
    for (std::size_t part = 0; part < spec.parts.size(); ++part) {
      auto& rows = rows_.emplace_back();
      for (std::size_t i = 0; i < spec.parts[part].steps.size(); ++i) {
        const ProgramSpec::Step& step = spec.parts[part].steps[i];
        rows.push_back(row_of(step, name_of(step, part, i, spec.parts.size())));
      }
    }
  }

  std::int32_t label(std::size_t part, std::size_t step, std::int32_t iteration) const {
    return iteration * static_cast<std::int32_t>(names_.size()) + rows_[part][step];
  }

  std::vector<Label> labels(std::int32_t iterations, const AskStop& stop) const {
    std::vector<Label> labels;
    for (std::int32_t iteration = 0; iteration < iterations; ++iteration) {
      for (const std::string& name : names_) {
        stop_if_asked(stop, labels.size());
        labels.push_back({.layer = name, .iteration = iteration, .pass = Pass::none});
      }
    }
    return labels;
  }

 private:
  using Key = std::tuple<std::string, std::size_t, int>;  // name, what it does, collective kind

  static std::string name_of(const ProgramSpec::Step& step, std::size_t part, std::size_t index,
                             std::size_t parts) {
    if (!step.name.empty()) return step.name;
    const std::string name = "step " + std::to_string(index);
    return parts == 1 ? name : "part " + std::to_string(part) + " " + name;
  }

  std::int32_t row_of(const ProgramSpec::Step& step, const std::string& name) {
    constexpr std::int32_t none = -1;  // a wait is booked to what it waits for
    if (std::holds_alternative<Wait>(step.operation.what)) return none;
    const auto* call = std::get_if<CollectiveCall>(&step.operation.what);
    const int kind = call == nullptr ? 0 : static_cast<int>(call->kind);
    const auto next = static_cast<std::int32_t>(names_.size());
    const auto [found, inserted] =
        index_.try_emplace(Key{name, step.operation.what.index(), kind}, next);
    if (inserted) names_.push_back(name);
    return found->second;
  }

  std::map<Key, std::int32_t> index_;
  std::vector<std::vector<std::int32_t>> rows_;  // of each part and step
  std::vector<std::string> names_;
};

void append_iteration(const ProgramSpec& spec, std::size_t index, const StepRows& rows,
                      std::int32_t iteration, const AskStop& stop,
                      std::vector<Operation>& operations) {
  const ProgramSpec::Part& part = spec.parts[index];
  std::vector<OperationId> id_of_step;
  const auto append = [&](std::size_t row_of_step, auto what) {
    const auto id = static_cast<OperationId>(operations.size());
    stop_if_asked(stop, operations.size());
    operations.push_back(
        {.id = id, .label = rows.label(index, row_of_step, iteration), .what = std::move(what)});
    return id;
  };
  for (std::size_t i = 0; i < part.steps.size(); ++i) {
    const ProgramSpec::Step& step = part.steps[i];
    if (const Wait* wait = std::get_if<Wait>(&step.operation.what)) {
      const auto target = static_cast<std::size_t>(wait->operation);
      CHECK(target < i, "step {} waits for step {}", i, wait->operation);
      id_of_step.push_back(append(target, Wait{id_of_step[target]}));
      continue;
    }
    const OperationId id = append(i, step.operation.what);
    id_of_step.push_back(id);
    if (step.wait && !std::holds_alternative<Compute>(step.operation.what)) append(i, Wait{id});
  }
}

Program make_program(const ProgramSpec& spec, std::size_t part, const StepRows& rows,
                     std::int32_t iterations, const AskStop& stop) {
  std::vector<Operation> operations;
  for (std::int32_t iteration = 0; iteration < iterations; ++iteration) {
    append_iteration(spec, part, rows, iteration, stop, operations);
  }
  return Program(std::move(operations));
}

// Rank -> index of its part; parts.size() = in none.
std::vector<std::int32_t> part_of_ranks(const ProgramSpec& spec, std::int32_t ranks) {
  const auto none = static_cast<std::int32_t>(spec.parts.size());
  std::vector<std::int32_t> part_of_rank(static_cast<std::size_t>(ranks), none);
  const auto assign = [&](Rank rank, std::int32_t part) {
    CHECK(rank >= 0 && rank < ranks, "part {} names rank {} of {}", part, rank, ranks);
    CHECK(part_of_rank[rank] == none, "rank {} is in two parts", rank);
    part_of_rank[rank] = part;
  };
  for (std::int32_t part = 0; part < none; ++part) {
    for (const Rank rank : spec.parts[part].ranks) assign(rank, part);
    if (!spec.parts[part].ranks.empty()) continue;
    for (Rank rank = 0; rank < ranks; ++rank) assign(rank, part);
  }
  return part_of_rank;
}

std::vector<Communicator> make_communicators(const ProgramSpec& spec, int levels) {
  std::vector<int> all(static_cast<std::size_t>(levels));
  std::iota(all.begin(), all.end(), 0);
  std::vector<Communicator> communicators = {{.name = "world", .groups = all}};
  for (std::size_t i = 1; i < spec.communicators.size(); ++i) {
    communicators.push_back(
        {.name = "communicator " + std::to_string(i), .groups = spec.communicators[i]});
  }
  return communicators;
}

}  // namespace

Job make_program_job(const ProgramSpec& spec, int levels, std::int32_t ranks,
                     std::int32_t iterations, const AskStop& stop) {
  const StepRows rows(spec);
  Job job;
  job.name = "program";
  job.ranks = ranks;
  job.communicators = make_communicators(spec, levels);
  job.labels = rows.labels(iterations, stop);
  if (spec.parts.size() == 1 && spec.parts[0].ranks.empty()) {
    job.operations =
        std::make_unique<ProgramSource>(ranks, make_program(spec, 0, rows, iterations, stop));
    return job;
  }
  std::vector<Program> programs;
  for (std::size_t part = 0; part < spec.parts.size(); ++part) {
    programs.push_back(make_program(spec, part, rows, iterations, stop));
  }
  programs.push_back(Program({}));  // of the ranks in no part
  job.operations = std::make_unique<ProgramSource>(std::move(programs), part_of_ranks(spec, ranks));
  return job;
}

}  // namespace orrery
