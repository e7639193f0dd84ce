#include "frontends/yaml/bundled_platforms.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

#include "formats/input/embedded_files.h"
#include "formats/yaml/preset_sections.h"
#include "formats/yaml/problems.h"

namespace orrery::yaml {

namespace {

namespace fs = std::filesystem;

// By name; what is there already stays.
using FilesByName = std::map<std::string, std::string>;

void add_folder(const fs::path& folder, FilesByName& files) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".yaml")
      files.emplace(entry.path().stem(), entry.path().lexically_normal());
}

void add_embedded(const fs::path& folder, FilesByName& files) {
  for (const EmbeddedFile& file : embedded_files()) {
    const fs::path path(file.path);
    if (path.parent_path() == folder)
      files.emplace(path.stem(), std::string(embedded_prefix) + path.string());
  }
}

std::vector<BundledFile> bundled(const char* kind) {
  FilesByName by_name;
  if (const char* path = std::getenv("ORRERY_PATH")) {
    std::istringstream entries(path);
    for (std::string entry; std::getline(entries, entry, ':');)
      if (!entry.empty()) add_folder(fs::path(entry) / kind, by_name);
  }
  add_embedded(kind, by_name);
  add_folder(kind, by_name);
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
  for (const BundledFile& platform : bundled_platforms())
    if (letters_of(platform.name) == letters_of(name)) return platform.file;
  for (const BundledFile& platform : bundled_platforms())
    if (platform.name == known_server(name)) return platform.file;
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
