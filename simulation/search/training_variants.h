// One experiment with many parallel configurations, as a search sees it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/spec_problem.h"
#include "simulation/experiment.h"
#include "simulation/search_spec.h"
#include "workload/platform_facts.h"

namespace orrery {

// Whether a key of workload.training says more of what that training does not have: of a pipeline,
// of tensor or context parallelism, of sharding or of layers that are computed again.
bool means_nothing(std::string_view key, const TransformerTraining& training);

class TrainingVariants {
 public:
  // What a choice does not say is as in the training of `written`. `given` are keys of
  // workload.training that a user has written down: a choice with which one of them means nothing
  // is refused, but for those that only say more of what it does not have (means_nothing), which
  // are left out of it. Without "sequence_parallel" among them, tensor-parallel ranks are
  // sequence-parallel too; without "context_method", all_gather or ulysses stands for a ring that
  // is refused. REQUIRES: the workload of `written` is a transformer without a problem.
  TrainingVariants(Experiment written, std::vector<std::string> given);

  const Experiment& written() const { return written_; }
  const std::vector<std::string>& given() const { return given_; }
  const TransformerSpec& model() const { return transformer().model; }
  std::int32_t npus() const { return platform_.npus; }
  std::int32_t node_ranks() const { return node_size(platform_); }

  // parallel_choices() of the platform. What is written of an overlap is not varied.
  std::vector<ParallelChoice> choices(SearchSpec spec) const;

  // Of that choice: what it means, or the first rule that it breaks. From any thread.
  std::variant<TransformerTraining, SpecProblem> training(const ParallelChoice& choice) const;

  Experiment experiment(const TransformerTraining& training) const;

 private:
  const TransformerWorkload& transformer() const {
    return std::get<TransformerWorkload>(written_.workload.what);
  }
  bool is_given(std::string_view key) const;
  TransformerTraining meant_by(const ParallelChoice& choice) const;

  Experiment written_;
  std::vector<std::string> given_;
  PlatformFacts platform_;
};

}  // namespace orrery
