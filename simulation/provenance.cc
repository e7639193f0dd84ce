#include "simulation/provenance.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/hash.h"
#include "simulation/written.h"

namespace orrery {

namespace {

std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_-+./=:,@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  quoted += '\'';
  return quoted;
}

bool has(const Experiment& experiment, const Provenance::Setting& setting) {
  return std::ranges::any_of(experiment.resolved, [&](const ResolvedValue& value) {
    return value.path == setting.key && value.value == setting.value;
  });
}

}  // namespace

std::string shell_text(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) {
    if (!text.empty()) text += ' ';
    text += shell_word(argument);
  }
  return text;
}

std::string inputs_hash(const Experiment& experiment) {
  // What is written counts as such, also where it equals the default: a schedule that is written is
  // not replaced by an automatic choice.
  std::string text;
  for (const ResolvedValue& value : experiment.resolved)
    text += fmt::format("{} {} {}\n", value.path, is_written(value) ? "=" : "is", value.value);
  return hash_text(text);
}

Provenance provenance_of(const Experiment& experiment, const Invocation& invocation) {
  Provenance provenance{.version = invocation.version,
                        .commit = invocation.commit,
                        .command = invocation.command,
                        .inputs = inputs_hash(experiment),
                        .configuration = {},
                        .origins = {}};
  for (const ResolvedValue& value : experiment.resolved) {
    provenance.configuration.push_back({value.path, value.value});
    if (value.origin != "default") provenance.origins.push_back({value.path, value.origin});
  }
  return provenance;
}

Provenance provenance_of(std::span<const Experiment> experiments, const Invocation& invocation) {
  Provenance provenance = provenance_of(experiments.front(), invocation);
  std::string hashes;
  for (const Experiment& experiment : experiments) hashes += inputs_hash(experiment);
  if (experiments.size() > 1) provenance.inputs = hash_text(hashes);
  for (const Experiment& other : experiments.subspan(1))
    std::erase_if(provenance.configuration,
                  [&](const Provenance::Setting& setting) { return !has(other, setting); });
  std::erase_if(provenance.origins, [&](const Provenance::Origin& origin) {
    return std::ranges::find(provenance.configuration, origin.key, &Provenance::Setting::key) ==
           provenance.configuration.end();
  });
  return provenance;
}

}  // namespace orrery
