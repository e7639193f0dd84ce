// One experiment with many parallel configurations, as a search sees it.
#pragma once

#include <array>
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

// Keys of workload.training that mean nothing where a choice has one stage.
inline constexpr std::array<std::string_view, 6> keys_of_pipelines{
    "overlap_p2p",       "scatter_gather",       "embedding_and_loss_take_a_layer",
    "micro_batch_group", "defer_head_gradients", "deferral_limit"};

class TrainingVariants {
 public:
  // What a choice does not say is as in the training of `written`. `given` are keys of
  // workload.training that a user has written down: a choice with which one of them means nothing
  // is refused, but for keys_of_pipelines. Without "sequence_parallel" among them, tensor-parallel
  // ranks are sequence-parallel too; without "context_method", all_gather or ulysses stands for a
  // ring that is refused. REQUIRES: the workload of `written` is a transformer without a problem.
  TrainingVariants(Experiment written, std::vector<std::string> given);

  const Experiment& written() const { return written_; }
  const std::vector<std::string>& given() const { return given_; }
  const TransformerSpec& model() const { return transformer().model; }
  std::int32_t npus() const { return platform_.npus; }
  std::int32_t node_ranks() const { return node_size(platform_); }

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
