#include "formats/chakra/rank_files.h"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <system_error>
#include <utility>

#include "core/base/io_error.h"
#include "core/base/text_file.h"

namespace orrery::chakra {

namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw IoError(fmt::format("cannot write {}", path.string()));
}

RankFiles::RankFiles(fs::path folder, Equal equal) : folder_(std::move(folder)), equal_(equal) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw IoError(fmt::format("cannot make {}: {}", folder_.string(), error.message()));
}

fs::path RankFiles::path_of(Rank rank) const { return folder_ / fmt::format("rank.{}.et", rank); }

void RankFiles::add(Rank rank, const std::string& bytes) {
  const fs::path path = path_of(rank);
  std::error_code ignored;
  fs::remove(path, ignored);  // it may be a link to what is still needed
  for (const auto& [hash, known] : alike(bytes)) {
    std::error_code error;
    if (read_text_file(known.string()) != bytes) continue;
    fs::create_hard_link(known, path, error);
    if (!error) return;
  }
  write_file(path, bytes);
  known_.emplace(std::hash<std::string>()(bytes), path);
}

RankFiles::Known RankFiles::alike(const std::string& bytes) const {
  if (equal_ == Equal::copied) return {};
  const auto [begin, end] = known_.equal_range(std::hash<std::string>()(bytes));
  return {begin, end};
}

}  // namespace orrery::chakra
