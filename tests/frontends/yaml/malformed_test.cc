// Each malformed/NN_name.yaml with what the user reads about it, malformed/NN_name.expected: the
// diagnostics as main prints them, with file paths shortened to their last part.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"

namespace orrery {
namespace {

const std::filesystem::path folder = ORRERY_SOURCE_DIR "/tests/frontends/yaml/malformed";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string without_folders(std::string text) {
  const std::string prefix = folder.string() + "/";
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
    text.erase(at, prefix.size());
  }
  return text;
}

std::string messages_of(const std::filesystem::path& file) {
  try {
    load_experiment(file.string(), {});
  } catch (const ConfigError& error) {
    return without_folders(error.what()) + "\n";
  }
  return "no error\n";
}

TEST_CASE("malformed files are explained") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  CHECK(files.size() >= 40);
  for (const auto& file : files) {
    INFO(file.filename());
    CHECK(messages_of(file) == text_of(std::filesystem::path(file).replace_extension("expected")));
  }
}

}  // namespace
}  // namespace orrery
