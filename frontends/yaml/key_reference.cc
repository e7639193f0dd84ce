#include "frontends/yaml/key_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/base/config_error.h"
#include "formats/import/foreign_names.h"
#include "formats/yaml/problems.h"
#include "frontends/yaml/schemas.h"

namespace orrery {

namespace {

std::string without_indices(std::string_view key) {
  std::string plain;
  bool inside = false;
  for (const char c : key) {
    inside = c == '[' || (inside && c != ']');
    if (!inside && c != ']') plain += c;
  }
  std::string result;  // "levels.0.size" names an element, too
  for (std::size_t at = 0; at <= plain.size();) {
    const std::size_t end = std::min(plain.find('.', at), plain.size());
    const std::string step = plain.substr(at, end - at);
    const bool is_index =
        !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
    if (!is_index) result += fmt::format("{}{}", result.empty() ? "" : ".", step);
    at = end + 1;
  }
  return result;
}

[[noreturn]] void unknown(const std::string& key, const std::vector<KeyEntry>& all) {
  std::string remedy(name_here(key));
  if (remedy.empty()) {
    std::vector<std::string> names;
    for (const KeyEntry& entry : all) names.push_back(last_step(entry.path));
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string_view near = nearest(last_step(without_indices(key)), known);
    remedy = near.empty() ? "docs/reference/keys.md lists all keys"
                          : fmt::format("did you mean \"{}\"?", near);
  }
  throw ConfigError(Diagnostic{.what = yaml::in_quotes(key) + " is neither a file nor a key",
                               .remedy = std::move(remedy)});
}

}  // namespace

std::vector<KeyEntry> key_reference() { return keys_of_schema(strict_experiment_schema()); }

std::vector<std::string> paths_of_key(std::string_view name) {
  static const std::vector<KeyEntry> all = key_reference();
  std::vector<std::string> paths;
  for (const KeyEntry& key : all)
    if (last_step(key.path) == name && !key.path.starts_with("workload.jobs"))
      paths.push_back(key.path);
  return paths;
}

bool looks_like_a_key(const std::string& text) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_.[]-";
  const bool plain = !text.empty() && text.find_first_not_of(letters) == std::string::npos;
  return plain && !text.ends_with(".yaml") && !text.ends_with(".yml") && !text.ends_with(".json");
}

std::string explain_key(const std::string& key) {
  const std::vector<KeyEntry> all = key_reference();
  const std::string wanted = without_indices(key);
  std::vector<KeyEntry> found;
  for (const KeyEntry& entry : all) {
    const std::string path = without_indices(entry.path);
    if (path == wanted) return key_paragraph(entry);
    if (path.ends_with('.' + wanted) && !path.starts_with("workload.jobs.")) found.push_back(entry);
  }
  if (found.empty()) unknown(key, all);
  return key_paragraphs(found);
}

std::string key_reference_page() { return key_page(key_reference()); }

}  // namespace orrery
