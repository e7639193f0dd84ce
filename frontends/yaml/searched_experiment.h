// The file of an experiment whose parallel configurations are searched.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
  ~SearchedExperiment();
  SearchedExperiment(const SearchedExperiment&) = delete;
  SearchedExperiment& operator=(const SearchedExperiment&) = delete;

  // Of context, what is written if none is listed.
  const SearchSpec& spec() const;
  // The keys that a search need not vary: context, schedule, chunks.
  const ParallelChoice& written_choice() const;
  // A file that holds the whole experiment with that choice; `head` are its first lines.
  std::string text(const ParallelChoice& choice, std::int32_t data, const std::string& head) const;

 private:
  explicit SearchedExperiment(std::unique_ptr<yaml::SearchedFile> file);

  std::unique_ptr<yaml::SearchedFile> file_;
};

}  // namespace orrery
