#include "frontends/yaml/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/hash.h"
#include "core/base/io_error.h"
#include "formats/import/foreign_names.h"
#include "formats/yaml/preset_sections.h"
#include "frontends/yaml/key_reference.h"
#include "frontends/yaml/named_sections.h"
#include "simulation/collective_operations.h"

namespace orrery::yaml {

namespace {

std::string origin_text(const Place& place) {
  if (!place.source->is_file) return place.source->is_chosen ? "chosen" : "--set";
  return fmt::format("{}:{}", place.source->name, place.line);
}

bool contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<std::string_view> without_repeats(const std::vector<std::string_view>& words) {
  std::vector<std::string_view> once;
  for (const std::string_view word : words)
    if (!contains(once, word)) once.push_back(word);
  return once;
}

std::string joined(const std::vector<std::string_view>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

// "workload.transformer.sequence" is also `sequence` of the workload.
bool is_short_key(std::string_view path) {
  return std::ranges::any_of(keys_of_workload, [&](const ShortKey& known) {
    return path == fmt::format("workload.{}.{}", known.section, known.key);
  });
}

// Whether one of `known` is `key` with or without an s at its end.
bool differs_by_an_s(const std::string& key, const std::vector<std::string_view>& known) {
  return contains(known, key + "s") ||
         (key.ends_with('s') && contains(known, key.substr(0, key.size() - 1)));
}

// What an unknown key should have been: the key of this name in a map below, or elsewhere in the
// workload, or one of `known` here.
std::string remedy_of_unknown_key(const std::string& key, const std::string& path,
                                  const std::vector<std::string_view>& known) {
  if (path == "workload" && find_simulated(key)) {
    return fmt::format(
        "to time it alone: orrery coll --platform FILE --op {} --size 256M; as an operation of a "
        "job, write workload.program[].operations[].{}",
        key, key);
  }
  if (path.empty() && (key == "experiments" || key == "vary"))
    return "a sweep has this key: orrery sweep run FILE -o FOLDER";
  if (path.empty() && key == "traffic")
    return "flows are no workload: orrery traffic FILE simulates them";
  if (key == "ranks" && path.starts_with("workload.jobs"))
    return "write npus: \"0-31\", or nodes: 4";
  if (differs_by_an_s(key, known)) return suggestion(key, known);
  constexpr std::size_t few = 3;  // a `size` belongs to many
  const std::string around = path.starts_with("workload.") ? "workload" : path;
  std::vector<std::string> elsewhere = paths_of_key(key);
  std::erase_if(elsewhere, [&](const std::string& other) {
    return !around.empty() && !other.starts_with(around + '.');
  });
  constexpr std::size_t many = 16;  // to read in a message
  if (known.size() > many && elsewhere.empty() && nearest(key, known).empty() &&
      path.find('[') == std::string::npos)
    return fmt::format("orrery explain {} lists the {} keys that are known", path, known.size());
  if (elsewhere.empty() || elsewhere.size() > few) return suggestion(key, known);
  // A name may stand in the place of its section, so the short key is what can be added.
  if (elsewhere.size() == 1 && path != "workload" && is_short_key(elsewhere.front()))
    return fmt::format("write workload.{}", key);
  return fmt::format("write {}", fmt::join(elsewhere, " or "));
}

}  // namespace

const YamlNode* Reader::declare(std::string_view key) {
  declared_.push_back(key);
  return map_.find(key);
}

void Reader::finish() {
  for (const YamlNode& child : map_.children)
    if (!contains(declared_, child.key)) unknown_key(child);
  for (const MissingChoice& choice : missing_choices_)
    problems_.add(place_, path_, "one of the keys " + joined(choice.keys, ", ") + " is missing",
                  choice.help);
  report_missing_preset();
  for (const Missing& missing : missing_) {
    problems_.add(place_, path_, fmt::format("the key \"{}\" is missing", missing.key),
                  missing.help);
  }
}

// Where most of what a preset has is missing, the preset is: one mistake, one message.
void Reader::report_missing_preset() {
  constexpr std::size_t many = 3;
  std::vector<std::string_view> keys;
  for (const Missing& missing : missing_)
    if (missing.is_in_presets) keys.push_back(missing.key);
  if (keys.size() < many) return;
  std::erase_if(missing_, [](const Missing& missing) { return missing.is_in_presets; });
  problems_.add(place_, path_, fmt::format("the keys {} are missing", joined(keys, ", ")),
                "name a preset (orrery list presets), or write them");
}

void Reader::unknown_key(const YamlNode& child) {
  const std::vector<std::string_view> known = without_repeats(declared_);
  const bool of_element = path_.ends_with(']') && differs_by_an_s(child.key, known);
  const std::string_view elsewhere = of_element ? "" : name_here(child.key);
  std::string remedy(elsewhere);
  if ((child.key == "name" || child.key == "model") && child.kind == NodeKind::scalar &&
      !key_of_name(path_, child.text).empty()) {
    remedy =
        fmt::format("write {}: {}", path_.substr(path_.rfind('.') + 1), known_name(child.text));
    missing_.clear();
    missing_choices_.clear();
  } else if (path_.empty() && child.kind == NodeKind::scalar &&
             section_of_preset(known_name(child.text)) == "workload.transformer") {
    remedy = fmt::format("write workload: {{transformer: {}}}", known_name(child.text));
  } else if (child.key == "file") {
    remedy = "`file:` stands below platform, system, network, workload or transformer only";
  } else if (elsewhere.empty()) {
    remedy = remedy_of_unknown_key(child.key, path_, known);
  }
  problems_.add(child.key_place, path_, "unknown key " + in_quotes(child.key), remedy);
  // It is there, only misspelt: one mistake, one message.
  std::vector<std::string_view> absent = known;
  std::erase_if(absent, [&](std::string_view key) { return given(key); });
  const std::string_view meant = nearest(child.key, absent);
  const auto is_it = [&](std::string_view key) {
    const std::string written = fmt::format("write {}", key);
    return key == meant || remedy.starts_with(written + ":") || remedy.starts_with(written + ".") ||
           remedy.find(join_path(path_, key)) != std::string::npos;
  };
  std::erase_if(missing_, [&](const Missing& missing) { return is_it(missing.key); });
  std::erase_if(missing_choices_, [&](const MissingChoice& choice) {
    return std::ranges::any_of(choice.keys, is_it) || !nearest(child.key, choice.keys).empty();
  });
}

void Reader::required_field(std::string_view key, const Field& field, std::string_view help,
                            const Limits& limits) {
  if (!read_key(key, field, help, limits)) missing_.push_back({key, std::string(help)});
}

void Reader::optional_field(std::string_view key, const Field& field, std::string_view help,
                            const Limits& limits, const std::string& origin) {
  if (read_key(key, field, help, limits) || !records_defaults_) return;
  record(key, field.text(), origin.empty() ? default_origin_ : origin, help);
}

std::optional<std::size_t> Reader::preset_of(const std::vector<std::string_view>& names,
                                             std::string_view help) {
  std::string name;
  if (!read_key("preset", FieldOf<std::string>(name), help, any_value) || name.empty()) return {};
  default_origin_ = "preset " + name;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return found - names.begin();
  unknown_preset(name, names);
  return {};
}

void Reader::preset_field(std::string_view key, const Field& field, std::string_view help,
                          const Limits& limits) {
  if (read_key(key, field, help, limits)) return;
  if (given("preset")) {
    record(key, field.text(), default_origin_, help);
  } else {
    missing_.push_back({key, std::string(help) + " (or name a `preset`)", true});
  }
}

bool Reader::read_key(std::string_view key, const Field& field, std::string_view help,
                      const Limits& limits) {
  const YamlNode* node = declare(key);
  if (node == nullptr) return false;
  if (field.read(problems_, *node, join_path(path_, key), limits))
    record(key, field.text(), origin_of(key), help);
  return true;
}

void Reader::field_or_map(std::string_view key, const Field& field, std::string_view help,
                          Describe describe) {
  const YamlNode* node = declare(key);
  if (node != nullptr && node->kind == NodeKind::map)
    add_map(key, help, {}, describe);
  else
    optional_field(key, field, help, any_value, "");
}

void Reader::add_map(std::string_view key, std::string_view help, const MapForm& form,
                     Describe describe) {
  const YamlNode* node = declare(key);
  if (node == nullptr && form.is_optional) return;
  const std::string path = join_path(path_, key);
  YamlNode empty;
  empty.kind = NodeKind::map;
  Place place = place_;
  if (node == nullptr) {
    if (form.is_required) return missing_.push_back({key, std::string(help)});
  } else {
    place = node->key_place;
    if (node->kind != NodeKind::null && !expect(problems_, *node, NodeKind::map, path)) return;
  }
  const bool has_keys = node != nullptr && node->kind == NodeKind::map;
  Reader keys(problems_, texts_, resolved_, has_keys ? *node : empty, place, path);
  if (!form.may_be_none) keys.default_origin_ = default_origin_;
  keys.records_defaults_ = records_defaults_;
  describe(keys);
  keys.finish();
}

void Reader::list_of_maps(std::string_view key, std::string_view help, const Elements& elements,
                          bool is_required) {
  const YamlNode* node = declare(key);
  if (node == nullptr) {
    if (is_required) missing_.push_back({key, std::string(help)});
    return;
  }
  const std::string path = join_path(path_, key);
  const bool is_none = !is_required && node->kind == NodeKind::list && node->children.empty();
  if (is_none || !expect(problems_, *node, NodeKind::list, path)) return;
  elements.resize(node->children.size());
  read_elements(*node, path, records_defaults_, elements.describe);
}

void Reader::written_items(std::string_view key, std::string_view help, Describe describe) {
  const YamlNode* node = declare(key);
  if (node == nullptr) return missing_.push_back({key, std::string(help)});
  const std::string path = join_path(path_, key);
  if (!expect(problems_, *node, NodeKind::list, path)) return;
  std::size_t values = resolved_.size();
  for (const YamlNode& child : node->children) values += child.children.size();
  // Room for what follows, too. Short lists leave the growth to the vector.
  if (values > 2 * resolved_.capacity()) resolved_.reserve(values + values / 8);
  read_elements(*node, path, false, [&](Keys& keys, std::size_t) { describe(keys); });
}

void Reader::read_elements(const YamlNode& list, const std::string& path, bool records_defaults,
                           CallableReference<Keys&, std::size_t> describe) {
  for (std::size_t i = 0; i < list.children.size(); ++i) {
    const YamlNode& child = list.children[i];
    const std::string child_path = item_path(path, i);
    if (!expect(problems_, child, NodeKind::map, child_path)) continue;
    Reader keys(problems_, texts_, resolved_, child, child.place, child_path);
    keys.records_defaults_ = records_defaults;
    describe(keys, i);
    keys.finish();
  }
}

void Reader::exactly_one_but(const std::vector<std::string_view>& keys,
                             const std::vector<std::string_view>&, std::string_view help) {
  std::vector<std::string_view> found;
  for (const std::string_view key : keys) {
    if (declare(key) != nullptr) found.push_back(key);
  }
  if (found.size() == 1) return;
  if (found.empty()) {
    missing_choices_.push_back({keys, std::string(help)});
    return;
  }
  wrong(found[1], fmt::format("\"{}\" and \"{}\" exclude each other", found[0], found[1]),
        "write exactly one of " + joined(keys, ", "));
}

void Reader::only_with(const std::vector<std::string_view>& owners, std::string_view key) {
  if (declare(key) == nullptr) return;
  if (std::any_of(owners.begin(), owners.end(), [&](auto owner) { return given(owner); })) return;
  const std::string_view elsewhere = path_.ends_with(']') ? "" : name_here(key);
  wrong(key, fmt::format("\"{}\" has no meaning here", key),
        "it belongs beside " + joined(owners, ", ") +
            (elsewhere.empty() ? ": remove it" : fmt::format("; {}", elsewhere)));
}

void Reader::unknown_preset(const std::string& name, const std::vector<std::string_view>& known) {
  const std::string_view section = section_of_preset(name);
  wrong("preset", in_quotes(name) + " is unknown here",
        section.empty() ? remedy_of_unknown_preset(path_, name, known)
                        : fmt::format("write {}: {}", section, name));
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
    if (const YamlNode* node = map_.find(problem.key); node != nullptr && !node->is_default)
      report(problem);
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

void Reader::tell_preset_from_defaults(
    Describe describe, CallableReference<std::string_view, std::string&> source_of) {
  if (default_origin_ == "default") return;
  YamlNode empty;
  empty.kind = NodeKind::map;
  Problems problems;
  std::vector<ResolvedValue> plain;
  Reader keys(problems, texts_, plain, empty, place_, path_);
  describe(keys);
  const std::string above = path_ + '.';
  for (ResolvedValue& value : resolved_) {
    if (value.origin != default_origin_ || !value.path.starts_with(above)) continue;
    const auto same = std::ranges::find(plain, value.path, &ResolvedValue::path);
    const std::string_view key = std::string_view(value.path).substr(above.size());
    source_of(key, value.origin);
    if (value.origin == default_origin_ && same != plain.end() && same->value == value.value)
      value.origin = "default";
  }
}

const std::string* Reader::contents(std::string_view key, const std::string& path) {
  try {
    const std::string& text = texts_.read(path);
    record_contents(key, path);
    return &text;
  } catch (const IoError& error) {
    report(SpecProblem{std::string(key), error.what(), unreadable_remedy});
    return nullptr;
  }
}

void Reader::record_contents(std::string_view key, const std::string& path) {
  record(fmt::format("{} contents", key), hash_text(texts_.hash(path)), path,
         "hash of the file (FNV-1a, 64 bits)");
}

}  // namespace orrery::yaml
