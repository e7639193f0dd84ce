// A hand-written job: each part's steps, repeated, as a program for the ranks of that part.
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "workload/graph/program.h"
#include "workload/workload.h"

namespace orrery {

namespace {

// Steps of the same name are one row of the layer table, whichever part they are in: the send of
// one rank and the receive of another, or one all-reduce that two parts take part in.
class Rows {
 public:
  explicit Rows(const ProgramSpec& spec) {
    for (const ProgramSpec::Part& part : spec.parts) {
      for (std::size_t i = 0; i < part.steps.size(); ++i) {
        const std::string name = name_of_step(part, i);
        if (index_.emplace(name, static_cast<std::int32_t>(names_.size())).second) {
          names_.push_back(name);
        }
      }
    }
  }

  std::int32_t label(const ProgramSpec::Part& part, std::size_t step,
                     std::int32_t iteration) const {
    return iteration * static_cast<std::int32_t>(names_.size()) +
           index_.at(name_of_step(part, step));
  }

  std::vector<Label> labels(std::int32_t iterations) const {
    std::vector<Label> labels;
    for (std::int32_t iteration = 0; iteration < iterations; ++iteration) {
      for (const std::string& name : names_) {
        labels.push_back({.layer = name, .iteration = iteration, .pass = Pass::none});
      }
    }
    return labels;
  }

 private:
  static std::string name_of_step(const ProgramSpec::Part& part, std::size_t step) {
    const std::string& name = part.steps[step].name;
    return name.empty() ? "step " + std::to_string(step) : name;
  }

  std::map<std::string, std::int32_t> index_;
  std::vector<std::string> names_;
};

void append_iteration(const ProgramSpec::Part& part, const Rows& rows, std::int32_t iteration,
                      std::vector<Operation>& operations) {
  std::vector<OperationId> id_of_step;
  const auto append = [&](std::size_t row_of_step, auto what) {
    const auto id = static_cast<OperationId>(operations.size());
    operations.push_back(
        {.id = id, .label = rows.label(part, row_of_step, iteration), .what = std::move(what)});
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

Program make_program(const ProgramSpec::Part& part, const Rows& rows, std::int32_t iterations) {
  std::vector<Operation> operations;
  for (std::int32_t iteration = 0; iteration < iterations; ++iteration) {
    append_iteration(part, rows, iteration, operations);
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
  std::vector<Communicator> communicators = {{.name = "world", .levels = all}};
  for (std::size_t i = 1; i < spec.communicators.size(); ++i) {
    communicators.push_back(
        {.name = "communicator " + std::to_string(i), .levels = spec.communicators[i]});
  }
  return communicators;
}

}  // namespace

Job make_program_job(const ProgramSpec& spec, int levels, std::int32_t ranks,
                     std::int32_t iterations) {
  const Rows rows(spec);
  Job job;
  job.name = "program";
  job.ranks = ranks;
  job.communicators = make_communicators(spec, levels);
  job.labels = rows.labels(iterations);
  if (spec.parts.size() == 1 && spec.parts[0].ranks.empty()) {
    job.operations =
        std::make_unique<ProgramSource>(ranks, make_program(spec.parts[0], rows, iterations));
    return job;
  }
  std::vector<Program> programs;
  for (const ProgramSpec::Part& part : spec.parts) {
    programs.push_back(make_program(part, rows, iterations));
  }
  programs.push_back(Program({}));  // of the ranks in no part
  job.operations = std::make_unique<ProgramSource>(std::move(programs), part_of_ranks(spec, ranks));
  return job;
}

}  // namespace orrery
