// One experiment with many parallel configurations, as a search sees it.
#pragma once

#include <cstdint>
#include <variant>

#include "core/base/config_error.h"
#include "simulation/experiment.h"
#include "simulation/search_spec.h"

namespace orrery {

class TrainingVariants {
 public:
  virtual ~TrainingVariants() = default;

  virtual const Experiment& written() const = 0;  // whose training is not set
  virtual std::int32_t npus() const = 0;
  virtual std::int32_t node_ranks() const = 0;
  // Of that choice: what it means, or the first rule that it breaks. From any thread.
  virtual std::variant<TransformerTraining, Diagnostic> training(
      const ParallelChoice& choice) const = 0;

  const TransformerSpec& model() const {
    return std::get<TransformerWorkload>(written().workload.what).model;
  }
  Experiment experiment(const TransformerTraining& training) const {
    Experiment experiment = written();
    std::get<TransformerWorkload>(experiment.workload.what).training = training;
    return experiment;
  }
};

}  // namespace orrery
