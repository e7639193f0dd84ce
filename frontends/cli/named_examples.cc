#include "frontends/cli/named_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "core/base/config_error.h"
#include "core/base/program_file.h"
#include "core/base/quoted.h"
#include "core/base/suggestion.h"

namespace orrery::cli {

namespace {

namespace fs = std::filesystem;

// Those that exist.
std::vector<fs::path> example_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  const auto add = [&](const fs::path& folder) {
    if (fs::is_directory(folder, error)) folders.push_back(folder);
  };
  if (const char* path = std::getenv("ORRERY_PATH")) {
    std::istringstream entries(path);
    for (std::string entry; std::getline(entries, entry, ':');)
      if (!entry.empty()) add(fs::path(entry) / "examples");
  }
  add(program_file().parent_path().parent_path() / "share/orrery/examples");
  add("examples");
  return folders;
}

std::optional<fs::path> find_example(const fs::path& name) {
  std::error_code error;
  for (const fs::path& folder : example_folders())
    if (fs::exists(folder / name, error)) return folder / name;
  return std::nullopt;
}

std::vector<std::string> experiments_in(const fs::path& folder) {
  std::vector<std::string> files;
  if (std::ifstream order(folder / "order.txt"); order) {
    for (std::string name; order >> name;) files.push_back(folder / name);
  } else {
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    std::ranges::sort(files);
  }
  if (files.empty())
    throw ConfigError({.file = folder,
                       .what = "the folder has no experiment",
                       .remedy = "name a YAML file, or a folder that holds some"});
  return files;
}

// "first-run" or "llama-70b/fsdp": no path of a file that somebody wrote.
bool looks_like_an_example(const std::string& text) {
  return !text.empty() && text.front() != '/' && text.find('.') == std::string::npos;
}

}  // namespace

std::vector<std::string> example_names() {
  std::set<std::string> names;
  std::error_code error;
  for (const fs::path& folder : example_folders())
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.is_directory(error)) names.insert(entry.path().filename());
  return {names.begin(), names.end()};
}

std::string example_title(const std::string& name) {
  const std::optional<fs::path> folder = find_example(name);
  if (!folder) return "";
  std::ifstream readme(*folder / "README.md");
  std::string line;
  std::getline(readme, line);
  return line.substr(std::min(line.find_first_not_of("# "), line.size()));
}

std::vector<std::string> experiments_of(const std::string& given) {
  std::error_code error;
  if (fs::is_directory(given, error)) return experiments_in(given);
  if (!looks_like_an_example(given) || fs::exists(given, error)) return {given};
  if (const auto found = find_example(given); found && fs::is_directory(*found, error))
    return experiments_in(*found);
  if (const auto found = find_example(given + ".yaml")) return {*found};
  const std::vector<std::string> names = example_names();
  if (given.find('/') != std::string::npos || names.empty()) return {given};
  const std::vector<std::string_view> known(names.begin(), names.end());
  if (nearest(given, known).empty()) return {given};
  throw ConfigError({.what = in_quotes(given) + " is neither a file nor an example",
                     .remedy = suggestion(given, known)});
}

std::vector<std::string> experiments_of(const std::vector<std::string>& given) {
  std::vector<std::string> all;
  for (const std::string& one : given)
    for (std::string& file : experiments_of(one)) all.push_back(std::move(file));
  return all;
}

std::string experiment_of(const std::string& given) {
  std::vector<std::string> files = experiments_of(given);
  if (files.size() == 1) return std::move(files.front());
  throw ConfigError(
      {.what =
           fmt::format("{} has {} experiments: {}", given, files.size(), fmt::join(files, ", ")),
       .remedy = fmt::format("`orrery compare {}` simulates them side by side; or name one of "
                             "them",
                             given)});
}

}  // namespace orrery::cli
