#include "frontends/yaml/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/hash.h"
#include "frontends/yaml/foreign_names.h"
#include "frontends/yaml/key_reference.h"
#include "frontends/yaml/presets.h"

namespace orrery::yaml {

namespace {

std::string origin_text(const Place& place) {
  if (!place.source->is_file) return place.source->is_chosen ? "chosen" : "--set";
  return fmt::format("{}:{}", place.source->name, place.line);
}

bool contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string joined(const std::vector<std::string_view>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

// What an unknown key should have been: the key of this name in a map below, or elsewhere in the
// workload, or one of `known` here.
std::string remedy_of_unknown_key(const std::string& key, const std::string& path,
                                  const std::vector<std::string_view>& known) {
  constexpr std::size_t few = 3;  // a `size` belongs to many
  const std::string around = path.starts_with("workload.") ? "workload" : path;
  std::vector<std::string> elsewhere = paths_of_key(key);
  std::erase_if(elsewhere, [&](const std::string& other) {
    return !around.empty() && !other.starts_with(around + '.');
  });
  if (elsewhere.empty() || elsewhere.size() > few) return suggestion(key, known);
  return fmt::format("write {}", fmt::join(elsewhere, " or "));
}

}  // namespace

const YamlNode* Reader::declare(std::string_view key) {
  if (!contains(declared_, key)) declared_.push_back(key);
  return map_.find(key);
}

void Reader::finish() {
  std::vector<std::string_view> absent;
  for (const std::string_view key : declared_) {
    if (!given(key)) absent.push_back(key);
  }
  for (const YamlNode& child : map_.children) {
    if (contains(declared_, child.key)) continue;
    const std::string_view elsewhere = name_here(child.key);
    std::string remedy(elsewhere);
    if (child.key == "file") {
      remedy = "`file:` stands below platform, system, network, workload or transformer only";
    } else if (elsewhere.empty()) {
      remedy = remedy_of_unknown_key(child.key, path_, declared_);
    }
    problems_.add(child.key_place, path_, "unknown key " + in_quotes(child.key), remedy);
    // It is there, only misspelt: one mistake, one message.
    const std::string_view meant = nearest(child.key, absent);
    std::erase_if(missing_, [&](const Missing& missing) { return missing.key == meant; });
  }
  for (const Missing& missing : missing_) {
    problems_.add(place_, path_, fmt::format("the key \"{}\" is missing", missing.key),
                  missing.help);
  }
}

bool Reader::expect(const YamlNode& node, NodeKind kind, const std::string& path) {
  if (node.kind == kind && (kind != NodeKind::list || !node.children.empty())) return true;
  std::string_view remedy;
  switch (kind) {
    case NodeKind::null:
    case NodeKind::scalar:
      remedy = "write one value";
      break;
    case NodeKind::list:
      remedy = "write a list: [a, b], or a line `- a` for each element";
      break;
    case NodeKind::map:
      remedy = "write keys and values: {key: value}, or a line for each";
      break;
  }
  std::string what;
  Place place = node.place;
  if (node.kind == kind) {
    what = "the list is empty";
    remedy = "write at least one element";
  } else if (node.kind == NodeKind::null) {
    // The parser positions what is not there on the next line.
    if (node.key_place.source != nullptr) place = node.key_place;
    what = "there is no value";
    if (kind == NodeKind::scalar) remedy = "write one, or remove the key";
  } else {
    what = fmt::format("this is {}, not {}", name_of(node.kind), name_of(kind));
  }
  problems_.add(place, path, std::move(what), std::string(remedy));
  return false;
}

void Reader::exactly_one(const std::vector<std::string_view>& keys, std::string_view help) {
  std::vector<std::string_view> found;
  for (const std::string_view key : keys) {
    if (declare(key) != nullptr) found.push_back(key);
  }
  if (found.size() == 1) return;
  if (found.empty()) {
    // A misspelt one is reported as unknown, with its remedy.
    for (const YamlNode& child : map_.children) {
      if (!nearest(child.key, keys).empty()) return;
    }
    problems_.add(place_, path_, "one of the keys " + joined(keys, ", ") + " is missing",
                  std::string(help));
    return;
  }
  wrong(found[1], fmt::format("\"{}\" and \"{}\" exclude each other", found[0], found[1]),
        "write exactly one of " + joined(keys, ", "));
}

void Reader::only_with(const std::vector<std::string_view>& owners, std::string_view key) {
  if (declare(key) == nullptr) return;
  if (std::any_of(owners.begin(), owners.end(), [&](auto owner) { return given(owner); })) return;
  const std::string_view elsewhere = name_here(key);
  wrong(key, fmt::format("\"{}\" has no meaning here", key),
        "it belongs beside " + joined(owners, ", ") +
            (elsewhere.empty() ? ": remove it" : fmt::format("; {}", elsewhere)));
}

void Reader::unknown_preset(const std::string& name, const std::vector<std::string_view>& known) {
  const WrongText unknown = unknown_name(name, known);
  const std::string_view section = section_of_preset(name);
  wrong("preset", unknown.what,
        section.empty() ? unknown.remedy : fmt::format("it is a preset of {}", section));
}

void Reader::note_if_given(std::string_view key, std::vector<GivenSetting>& noted,
                           SettingGroup group) {
  if (given(key)) noted.push_back({join_path(path_, key), group});
}

void Reader::wrong(std::string_view key, std::string what, std::string remedy) {
  const YamlNode* node = map_.find(key);
  problems_.add(node != nullptr ? node->place : place_, join_path(path_, key), std::move(what),
                std::move(remedy));
}

void Reader::wrong_item(std::string_view key, std::size_t index, std::string what,
                        std::string remedy) {
  const YamlNode* node = map_.find(key);
  if (node == nullptr || node->kind != NodeKind::list || index >= node->children.size()) {
    return wrong(key, std::move(what), std::move(remedy));
  }
  problems_.add(node->children[index].place, item_path(join_path(path_, key), index),
                std::move(what), std::move(remedy));
}

void Reader::wrong_map(std::string what, std::string remedy) {
  problems_.add(place_, path_, std::move(what), std::move(remedy));
}

void Reader::report(const SpecProblem& problem) {
  const YamlNode* node = &map_;
  Place place = place_;
  std::string path = path_;
  for (std::string_view rest = problem.key; !rest.empty();) {
    if (rest.front() == '[') {
      std::size_t index = 0;
      std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
      if (node == nullptr || node->kind != NodeKind::list || index >= node->children.size()) break;
      node = &node->children[index];
      path = item_path(path, index);
      rest.remove_prefix(rest.find(']') + 1);
    } else {
      if (rest.front() == '.') rest.remove_prefix(1);
      const std::string_view key = rest.substr(0, rest.find_first_of(".["));
      node = node == nullptr ? nullptr : node->find(key);
      path = join_path(path, key);
      rest.remove_prefix(key.size());
    }
    if (node != nullptr) place = node->place;
  }
  problems_.add(place, std::move(path), problem.what, problem.remedy);
}

void Reader::report(const SpecProblems& problems) {
  for (const SpecProblem& problem : problems) report(problem);
}

void Reader::report_given(const SpecProblems& problems) {
  for (const SpecProblem& problem : problems)
    if (given(problem.key)) report(problem);
}

std::string Reader::origin_of(std::string_view key) const {
  const YamlNode* node = map_.find(key);
  return node != nullptr ? origin_text(node->place) : default_origin_;
}

void Reader::record(std::string_view key, std::string text, std::string origin,
                    std::string_view help) {
  if (text.empty()) return;
  resolved_.push_back(
      {join_path(path_, key), std::move(text), std::move(origin), std::string(help)});
}

const std::string& Reader::contents(std::string_view key, const std::string& path) {
  const std::string& text = texts_.read(path);
  record(fmt::format("{} contents", key), hash_text(text), path,
         "hash of the file (FNV-1a, 64 bits)");
  return text;
}

}  // namespace orrery::yaml
