#include "frontends/yaml/bundled_platforms.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

#include "frontends/yaml/problems.h"

namespace orrery::yaml {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  if (const char* path = std::getenv("ORRERY_PATH")) {
    std::istringstream entries(path);
    for (std::string entry; std::getline(entries, entry, ':');) {
      if (!entry.empty()) found.emplace_back(entry);
    }
  }
  found.emplace_back(".");
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    found.push_back(program.parent_path() / "../share/orrery");
    found.push_back(program.parent_path() / "../..");  // build/release of a source tree
  }
  found.emplace_back(ORRERY_SOURCE_DIR);
  return found;
}

std::vector<BundledFile> bundled(const char* kind) {
  std::map<std::string, std::string> by_name;
  for (const fs::path& folder : folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder / kind, error)) {
      if (entry.path().extension() != ".yaml") continue;
      by_name.emplace(entry.path().stem(), entry.path().lexically_normal());
    }
  }
  std::vector<BundledFile> files;
  for (const auto& [name, file] : by_name) files.push_back({name, file});
  return files;
}

}  // namespace

std::vector<BundledFile> bundled_platforms() { return bundled("platforms"); }

std::vector<BundledFile> bundled_efficiencies() { return bundled("platforms/efficiency"); }

std::optional<std::string> find_bundled_platform(const std::string& name) {
  for (const BundledFile& platform : bundled_platforms()) {
    if (platform.name == name) return platform.file;
  }
  return std::nullopt;
}

std::string suggest_platform(const std::string& name) { return suggest(name, bundled_platforms()); }

std::string suggest(const std::string& name, const std::vector<BundledFile>& files) {
  std::vector<std::string_view> names;
  for (const BundledFile& file : files) names.push_back(file.name);
  return suggestion(name, names);
}

bool is_platform_name(const std::string& text) {
  return !text.empty() && text.find_first_of("/.") == std::string::npos;
}

}  // namespace orrery::yaml
