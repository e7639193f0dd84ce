#include "formats/yaml/preset_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

#include "core/base/suggestion.h"
#include "network/topology/builders/server_presets.h"
#include "network/transport_presets.h"
#include "system/npu_presets.h"
#include "workload/model_presets.h"

namespace orrery::yaml {

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

namespace {

// The letters it begins with: "llama" of "Llama-4-Scout".
std::string family(std::string_view name) {
  std::string letters = letters_of(name.substr(name.rfind('/') + 1));
  letters.resize(static_cast<std::size_t>(
      std::ranges::find_if(letters, [](char c) { return c >= '0' && c <= '9'; }) -
      letters.begin()));
  return letters;
}

// The letters without the owner and the words that tell versions of one shape apart:
// "llama3170b" of "meta-llama/Meta-Llama-3.1-70B-Instruct".
std::string without_versions(std::string_view name) {
  constexpr std::array<std::string_view, 10> versions{"base", "chat", "hf",       "instruct", "it",
                                                      "meta", "v0.1", "thinking", "v0.3",     ""};
  std::string kept;
  std::string_view rest = name.substr(name.rfind('/') + 1);
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of("-_ "));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    std::string plain;
    for (const char c : word)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::ranges::find(versions, plain) == versions.end()) kept += letters_of(word);
  }
  return kept;
}

using NamesByLetters = std::map<std::string, std::string_view>;

NamesByLetters names_by_letters() {
  NamesByLetters names;
  const auto add = [&](const auto& table) {
    for (const auto& preset : table) names[letters_of(preset.name)] = preset.name;
  };
  add(npu_presets());
  add(server_presets());
  add(transformer_presets());
  add(dlrm_presets());
  add(stack_presets());
  add(transport_presets());
  for (const ModelAlias& alias : model_aliases())
    names.try_emplace(letters_of(alias.name), alias.preset);
  return names;
}

// "" if no preset and no model of the shape of one has these letters. Every word of a file is
// looked up, and a sweep reads many.
std::string_view spelt_otherwise(const std::string& letters) {
  static const NamesByLetters names = names_by_letters();
  const auto found = names.find(letters);
  return found == names.end() ? "" : found->second;
}

NamesByLetters names_without_active_parameters() {
  NamesByLetters names;
  for (const auto& preset : transformer_presets()) {
    const std::string whole = letters_of(preset.name);
    const std::size_t active = whole.rfind('a');
    if (active != std::string::npos && active > 0 && active + 1 < whole.size() &&
        std::isdigit(static_cast<unsigned char>(whole[active + 1])) != 0 &&
        whole[active - 1] == 'b')
      names.try_emplace(whole.substr(0, active), preset.name);
  }
  return names;
}

// "qwen3-235b" is qwen3-235b-a22b: of a model with experts, without the parameters in use.
std::string_view with_active_parameters(const std::string& letters) {
  static const NamesByLetters names = names_without_active_parameters();
  const auto found = names.find(letters);
  return found == names.end() ? "" : found->second;
}

}  // namespace

std::string_view section_of_preset(std::string_view name) {
  const auto has = [&](const auto& table) {
    return std::any_of(table.begin(), table.end(), [&](const auto& p) { return p.name == name; });
  };
  if (has(npu_presets())) return "platform.npu";
  if (has(server_presets())) return "node of a network in platform.topology";
  if (has(transformer_presets())) return "workload.transformer";
  if (has(dlrm_presets())) return "workload.model";
  if (has(stack_presets())) return "workload.layers";
  return has(transport_presets()) ? "network.transport" : "";
}

std::string_view section_of_family(std::string_view name) {
  const auto has = [&](const auto& table) {
    return std::any_of(table.begin(), table.end(), [&](const auto& p) {
      return !family(name).empty() && family(p.name).starts_with(family(name));
    });
  };
  if (has(dlrm_presets())) return "workload.model";
  return has(stack_presets()) ? "workload.layers" : "workload.transformer";
}

std::string_view known_name(std::string_view name) {
  if (!section_of_preset(name).empty()) return name;
  const std::string_view spelt = spelt_otherwise(letters_of(name));
  if (!spelt.empty()) return spelt;
  const std::string plain = without_versions(name);
  if (const std::string_view version = spelt_otherwise(plain); !version.empty()) return version;
  const std::string_view experts = with_active_parameters(plain);
  return experts.empty() ? name : experts;
}

std::string_view known_server(std::string_view name) {
  const std::string letters = letters_of(name);
  for (const ServerPreset& server : server_presets())
    if (letters_of(server.name) == letters) return server.name;
  for (const ServerAlias& alias : server_aliases())
    if (letters_of(alias.name) == letters) return alias.preset;
  for (const ServerPreset& server : server_presets())
    if (letters_of(server.npu) == letters) return server.name;
  return name;
}

std::string remedy_of_unknown_preset(std::string_view path, std::string_view name,
                                     const std::vector<std::string_view>& known) {
  constexpr std::size_t short_list = 10;
  std::vector<std::string_view> near = known;
  if (known.size() > short_list)
    std::erase_if(near, [&](std::string_view preset) { return family(preset) != family(name); });
  std::string remedy;
  if (near.empty() && nearest(name, known).empty())
    remedy = "orrery list presets names all that are known";
  else if (near.size() == 1)
    remedy = fmt::format("did you mean \"{}\"?", near.front());
  else
    remedy = suggestion(name, near.empty() ? known : near);
  if (path.ends_with("transformer"))
    remedy += "; any other model is read from its config.json: transformer: {file: config.json}";
  if (path.ends_with("npu"))
    remedy += "; any other device: npu: {peak: 400 TFLOP/s, memory_bandwidth: 2 TB/s}";
  if (path.ends_with("node"))
    remedy += "; any other server: node: {npus: 8, bandwidth: 450 GB/s, nics: 8}";
  return remedy;
}

}  // namespace orrery::yaml
