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
#include "frontends/experiment.h"
#include "frontends/search_spec.h"
#include "frontends/yaml/load_experiment.h"

namespace orrery {

namespace yaml {
struct SearchedFile;
}

class TrainingVariants {
 public:
  // What the file says of the keys of ParallelChoice is not checked, so they need not suit the
  // platform. Throws like load_experiment(), and ConfigError if the workload is no transformer.
  TrainingVariants(const std::string& file, const std::vector<Override>& overrides);
  ~TrainingVariants();
  TrainingVariants(const TrainingVariants&) = delete;
  TrainingVariants& operator=(const TrainingVariants&) = delete;

  const Experiment& written() const { return experiment_; }  // whose training is not set
  const TransformerSpec& model() const;
  const SearchSpec& spec() const { return spec_; }  // of context, what is written if none is listed
  // The keys that a search need not vary: context, schedule, chunks.
  const ParallelChoice& written_choice() const { return written_; }
  std::int32_t npus() const { return npus_; }
  std::int32_t node_ranks() const { return node_ranks_; }

  // Of that choice: what it means, or the first rule that it breaks. From any thread.
  std::variant<TransformerTraining, Diagnostic> training(const ParallelChoice& choice) const;
  Experiment experiment(const TransformerTraining& training) const;
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
