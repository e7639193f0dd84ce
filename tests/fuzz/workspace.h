// Inputs on disk: the folders of seeds.txt, copied to where they may be changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace orrery::fuzz {

struct Seed {
  std::filesystem::path folder;  // the copy
  std::string file;              // in it, that is changed
  std::string text;              // of that file, unchanged
  std::vector<std::string> arguments;
};

class Workspace {
 public:
  // Copies what `root`/tests/fuzz/seeds.txt names below `folder`.
  Workspace(const std::filesystem::path& root, const std::filesystem::path& folder);

  // Writes the input of this number; what is asked of the program with it.
  const Seed& prepare(std::uint64_t seed, std::uint64_t number);
  // As it was before prepare().
  void restore(const Seed& seed) const;

  const std::vector<Seed>& seeds() const { return seeds_; }

 private:
  std::vector<Seed> seeds_;
};

}  // namespace orrery::fuzz
