// Each malformed/NN_name.yaml with what the user reads about it, malformed/NN_name.expected: the
// diagnostics as main prints them, with file paths shortened to their last part.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "network/backends.h"
#include "tests/paths.h"

namespace orrery {
namespace {

const std::filesystem::path folder_of_malformed =
    source_folder() + "/tests/frontends/yaml/malformed";

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string without_folders(std::string text) {
  const std::string prefix = folder_of_malformed.string() + "/";
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
    text.erase(at, prefix.size());
  }
  return text;
}

// BACKENDS stands for those of this build.
std::string expected_of(std::filesystem::path file) {
  std::string text = text_of(file.replace_extension("expected"));
  std::string names;
  for (const BackendEntry& entry : builtin_backends())
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  if (const std::size_t at = text.find("BACKENDS"); at != std::string::npos)
    text.replace(at, 8, names);
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
  for (const auto& entry : std::filesystem::directory_iterator(folder_of_malformed)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  CHECK(files.size() >= 40);
  for (const auto& file : files) {
    INFO(file.filename());
    CHECK(messages_of(file) == expected_of(file));
  }
}

TEST_CASE("a build without ns-3 says what to do about it") {
  const auto load = [] {
    load_experiment(source_folder() + "/tests/frontends/yaml/good/minimal.yaml",
                    {{"network.backend=ns3"}});
  };
  if (find_backend("ns3") != nullptr)
    CHECK_NOTHROW(load());
  else
    CHECK_THROWS_WITH(load(), Catch::Contains("install libns3-dev"));
}

}  // namespace
}  // namespace orrery
