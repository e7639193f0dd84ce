// One experiment with many parallel configurations: the file is read once, and each configuration
// is checked by the same description as if it had been written into workload.training.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "simulation/search/training_variants.h"

namespace orrery {

namespace yaml {
struct SearchedFile;
}

class SearchedExperiment final : public TrainingVariants {
 public:
  // What the file says of the keys of ParallelChoice is not checked, so they need not suit the
  // platform. Throws like load_experiment(), and ConfigError if the workload is no transformer.
  SearchedExperiment(const std::string& file, const std::vector<Override>& overrides);
  ~SearchedExperiment() override;
  SearchedExperiment(const SearchedExperiment&) = delete;
  SearchedExperiment& operator=(const SearchedExperiment&) = delete;

  const Experiment& written() const override { return experiment_; }
  const SearchSpec& spec() const { return spec_; }  // of context, what is written if none is listed
  // The keys that a search need not vary: context, schedule, chunks.
  const ParallelChoice& written_choice() const { return written_; }
  std::int32_t npus() const override { return npus_; }
  std::int32_t node_ranks() const override { return node_ranks_; }
  std::variant<TransformerTraining, Diagnostic> training(
      const ParallelChoice& choice) const override;
  // A file that holds the whole experiment with that choice; `head` are its first lines.
  std::string text(const ParallelChoice& choice, std::int32_t data, const std::string& head) const;

 private:
  void read(const std::string& file, const std::vector<Override>& overrides);

  std::unique_ptr<yaml::SearchedFile> file_;
  Experiment experiment_;
  SearchSpec spec_;
  ParallelChoice written_;
  std::int32_t npus_ = 0, node_ranks_ = 1;
};

}  // namespace orrery
