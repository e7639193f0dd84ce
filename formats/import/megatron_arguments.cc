#include "formats/import/megatron_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/config_error.h"
#include "core/base/quoted.h"

namespace orrery {

namespace {

constexpr int many = 9;

constexpr MegatronFlag flags[] = {
#define NUMBER(flag, key) {flag, FlagUse::number, 1, key, ""},
#define ON(flag, key) {flag, FlagUse::on, 0, key, ""},
#define READ(flag, values, sentence) {flag, FlagUse::read, values, "", sentence},
#define IGNORED(flag, values, sentence) {flag, FlagUse::ignored, values, "", sentence},
#include "formats/import/megatron_flags.def"
#undef NUMBER
#undef ON
#undef READ
#undef IGNORED
};

const MegatronFlag* find_flag(const std::string& name) {
  const auto* found =
      std::ranges::find_if(flags, [&](const MegatronFlag& flag) { return flag.name == name; });
  return found == std::end(flags) ? nullptr : found;
}

bool is_option(const LaunchWord& word) { return word.text.starts_with("--"); }

// "--a=b": a, b. What torchrun calls --nproc_per_node or --nproc-per-node is one name.
std::pair<std::string, std::optional<std::string>> parts_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  std::string name = text.substr(2, equals == std::string::npos ? equals : equals - 2);
  std::ranges::replace(name, '_', '-');
  if (equals == std::string::npos) return {name, std::nullopt};
  return {name, text.substr(equals + 1)};
}

void add_once(std::vector<std::string>& list, const std::string& name) {
  if (std::ranges::find(list, name) == list.end()) list.push_back(name);
}

}  // namespace

std::span<const MegatronFlag> megatron_flags() { return flags; }

MegatronArguments::MegatronArguments(std::string file, const LaunchLine& line, Imported& notes)
    : file_(std::move(file)) {
  const std::vector<LaunchWord>& words = line.words;
  const auto script = std::ranges::find_if(
      words, [](const LaunchWord& word) { return word.text.ends_with(".py"); });
  std::size_t i = script == words.end() ? 0 : static_cast<std::size_t>(script - words.begin());
  read_launcher(words, i);
  while (i < words.size()) {
    const LaunchWord& word = words[i++];
    if (!is_option(word)) continue;
    const auto [name, value] = parts_of(word.text);
    const MegatronFlag* flag = find_flag(name);
    Given given{{}, word.line};
    if (value) given.values.push_back(*value);
    const int most = flag == nullptr ? many : flag->values;
    while (!value && i < words.size() && !is_option(words[i]) &&
           (most == many || static_cast<int>(given.values.size()) < most))
      given.values.push_back(words[i++].text);
    if (flag == nullptr) {
      add_once(notes.unknown, "--" + name);
    } else if (flag->use == FlagUse::ignored) {
      add_once(notes.ignored, "--" + name);
    } else {
      notes.read += given_.contains(name) ? 0 : 1;
      given_[name] = std::move(given);  // the last one counts, as in Python
    }
  }
}

void MegatronArguments::read_launcher(const std::vector<LaunchWord>& words, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_option(words[i])) continue;
    const auto [name, value] = parts_of(words[i].text);
    if (value)
      launcher_[name] = *value;
    else if (i + 1 < count)
      launcher_[name] = words[i + 1].text;
  }
}

std::optional<std::int64_t> MegatronArguments::processes() const {
  std::int64_t product = 1;
  for (const char* name : {"nnodes", "nproc-per-node"}) {
    const auto found = launcher_.find(name);
    if (found == launcher_.end()) {
      if (std::string_view(name) == "nnodes" && !launcher_.empty()) continue;  // one
      return std::nullopt;
    }
    std::int64_t value = 0;
    const std::string& text = found->second;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    constexpr std::int64_t most = 1 << 24;
    if (error != std::errc() || *rest != '\0' || value < 1 || value > most) return std::nullopt;
    product *= value;
  }
  return product;
}

std::string MegatronArguments::word(const std::string& flag) const {
  const auto found = given_.find(flag);
  if (found == given_.end() || found->second.values.empty()) return "";
  return found->second.values.front();
}

std::optional<std::int64_t> MegatronArguments::number(const std::string& flag,
                                                      std::int64_t least) const {
  if (!has(flag)) return std::nullopt;
  const std::string text = word(flag);
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::int64_t most = 1LL << 32;
  if (error == std::errc() && *rest == '\0' && value >= least && value <= most) return value;
  if (text.starts_with("$(("))
    refuse(flag, in_quotes(text) + " cannot be computed",
           "write the number; a name in it is given with --variable NAME=VALUE");
  if (text.find('$') != std::string::npos)
    refuse(flag, fmt::format("the script does not say what {} is", in_quotes(text)),
           "give it with --variable NAME=VALUE");
  refuse(flag, in_quotes(text) + " cannot be its value",
         fmt::format("write a whole number, {} or more", least));
}

void MegatronArguments::refuse(const std::string& flag, const std::string& what,
                               const std::string& remedy) const {
  const auto found = given_.find(flag);
  throw ConfigError({.file = file_,
                     .line = found == given_.end() ? 0 : found->second.line,
                     .path = "--" + flag,
                     .what = what,
                     .remedy = remedy});
}

}  // namespace orrery
