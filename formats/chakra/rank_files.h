// The folder of an exported job: rank.0.et, rank.1.et, ... Equal files are one file with several
// names.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <unordered_map>

#include "system/operation_source.h"

namespace orrery::chakra {

// Throws IoError.
void write_file(const std::filesystem::path& path, const std::string& bytes);

class RankFiles {
 public:
  enum class Equal { linked, copied };
  // Makes the folder. Throws IoError.
  RankFiles(std::filesystem::path folder, Equal equal);

  std::filesystem::path path_of(Rank rank) const;
  // Throws IoError.
  void add(Rank rank, const std::string& bytes);
  std::size_t distinct() const { return known_.size(); }

 private:
  using Known = std::unordered_multimap<std::size_t, std::filesystem::path>;
  Known alike(const std::string& bytes) const;

  std::filesystem::path folder_;
  Equal equal_;
  Known known_;  // by hash of their bytes
};

}  // namespace orrery::chakra
