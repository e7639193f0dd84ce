#include "formats/yaml/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace orrery::yaml {

namespace {

constexpr std::size_t reported_at_most = 20;
constexpr std::size_t kept_at_most = 1000;  // a machine-written file can be wrong a million times

std::string source_line(const Place& place) {
  constexpr std::size_t shown_at_most = 240;  // a longer one is not for people
  if (place.source == nullptr || place.line < 1) return "";
  const auto index = static_cast<std::size_t>(place.line - 1);
  if (index >= place.source->lines.size()) return "";
  const std::string_view line = place.source->lines[index];
  return line.size() <= shown_at_most ? printable(line, shown_at_most) : "";
}

}  // namespace

void Problems::add(const Place& place, std::string path, std::string what, std::string remedy) {
  const std::string file = place.source != nullptr ? place.source->name : "";
  for (const Diagnostic& known : diagnostics_) {
    if (place.line > 0 && known.file == file && known.line == place.line &&
        known.column == place.column && known.what == what) {
      return;
    }
  }
  // Line 1 of a --set option says nothing that the option itself does not.
  const bool has_lines = place.source != nullptr && place.source->is_file;
  add({file, has_lines ? place.line : 0, has_lines ? place.column : 0, as_written(std::move(path)),
       std::move(what), std::move(remedy), source_line(place)});
}

void Problems::name_as_written(std::string path, std::string written) {
  written_.push_back({std::move(path), std::move(written)});
}

std::string Problems::as_written(std::string path) const {
  for (const auto& [made, written] : written_) {
    const bool is_at_or_below =
        path.starts_with(made) &&
        (path.size() == made.size() || path[made.size()] == '.' || path[made.size()] == '[');
    if (is_at_or_below) return path.replace(0, made.size(), written);
  }
  return path;
}

void Problems::add(Diagnostic diagnostic) {
  if (diagnostics_.size() >= kept_at_most) {
    ++not_kept_;
    return;
  }
  diagnostics_.push_back(std::move(diagnostic));
}

void Problems::throw_if_any() {
  if (diagnostics_.empty()) return;
  std::vector<std::string> files;  // in order of their first problem
  for (const Diagnostic& diagnostic : diagnostics_) {
    if (std::find(files.begin(), files.end(), diagnostic.file) == files.end()) {
      files.push_back(diagnostic.file);
    }
  }
  const auto position = [&](const Diagnostic& diagnostic) {
    return std::tuple(std::find(files.begin(), files.end(), diagnostic.file) - files.begin(),
                      diagnostic.line, diagnostic.column);
  };
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [&](const auto& a, const auto& b) { return position(a) < position(b); });
  if (diagnostics_.size() > reported_at_most) {
    Diagnostic rest;
    rest.what = fmt::format("... and {} more", count() - reported_at_most);
    diagnostics_.resize(reported_at_most);
    diagnostics_.push_back(std::move(rest));
  }
  throw ConfigError(std::exchange(diagnostics_, {}));
}

}  // namespace orrery::yaml
