#include "frontends/yaml/input_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/base/io_error.h"
#include "formats/import/model_config.h"
#include "formats/yaml/parse_yaml.h"
#include "formats/yaml/preset_sections.h"
#include "frontends/yaml/bundled_platforms.h"
#include "frontends/yaml/eras.h"
#include "frontends/yaml/library_choice.h"
#include "frontends/yaml/named_sections.h"
#include "frontends/yaml/network_of_servers.h"
#include "system/npu_presets.h"

namespace orrery::yaml {

namespace {

constexpr std::array<std::string_view, 4> sections_with_files{"platform", "system", "network",
                                                              "workload"};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::string_view line = text.substr(0, text.find('\n'));
    lines.push_back(line.substr(0, line.find_last_not_of('\r') + 1));
    if (line.size() == text.size()) return lines;
    text.remove_prefix(line.size() + 1);
  }
}

// So that a.yaml and ./a.yaml are the same file.
std::string identity(const std::string& path) {
  std::error_code error;
  const auto canonical = std::filesystem::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

std::optional<std::size_t> index_of(const std::string& step) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  if (error != std::errc() || end != step.data() + step.size()) return std::nullopt;
  return index;
}

// "levels[1].size" -> levels, 1, size. Empty if there is an empty step.
std::vector<std::string> steps_of(std::string key) {
  for (std::size_t at = 0; (at = key.find('[', at)) != std::string::npos;) {
    const std::size_t end = key.find(']', at);
    if (end == std::string::npos) return {};
    key.erase(end, 1);
    key[at] = '.';
  }
  std::vector<std::string> steps(1);
  for (const char c : key) {
    if (c == '.') {
      steps.emplace_back();
    } else {
      steps.back() += c;
    }
  }
  return std::find(steps.begin(), steps.end(), "") == steps.end() ? steps
                                                                  : std::vector<std::string>{};
}

// The element of a list that a key means: its `name`, or its number from 0. Null if there is none.
YamlNode* element_of(YamlNode& list, const std::string& key) {
  for (YamlNode& child : list.children)
    if (const YamlNode* name = child.find("name"); name != nullptr && name->text == key)
      return &child;
  const std::optional<std::size_t> index = index_of(key);
  return index && *index < list.children.size() ? &list.children[*index] : nullptr;
}

// Null if there is none.
YamlNode* efficiency_of(YamlNode& root) {
  YamlNode* node = &root;
  for (const char* key : {"platform", "npu", "efficiency"}) {
    node = node->kind == NodeKind::map ? node->find(key) : nullptr;
    if (node == nullptr) return nullptr;
  }
  return node;
}

// Where the training of a workload, or of its jobs, does not say the same, or there is none yet.
void add_to_trainings(YamlNode* workload, const YamlNode& setting) {
  if (workload == nullptr || workload->kind != NodeKind::map) return;
  if (workload->find("transformer") != nullptr) {
    YamlNode* training = workload->find("training");
    if (training == nullptr)
      training = &workload->children.emplace_back(
          YamlNode{NodeKind::map, "", setting.place, "training", setting.key_place, {}});
    if (training->kind == NodeKind::null) training->kind = NodeKind::map;
    if (training->kind == NodeKind::map && training->find(setting.key) == nullptr)
      training->children.emplace_back(setting).is_default = true;
  }
  if (YamlNode* jobs = workload->find("jobs"))
    for (YamlNode& job : jobs->children) add_to_trainings(&job, setting);
}

// An efficiency was measured with the software of its time, and what that does beside computing is
// the default of what the workload does.
void tell_workload_of_software(YamlNode& root) {
  YamlNode* efficiency = efficiency_of(root);
  if (efficiency == nullptr || efficiency->kind != NodeKind::map) return;
  for (const char* key : {"overlap_gradient_sums", "recompute_stops_early", "optimizer_traffic"}) {
    if (const YamlNode* said = efficiency->find(key))
      add_to_trainings(root.find("workload"), *said);
    std::erase_if(efficiency->children, [&](const YamlNode& child) { return child.key == key; });
  }
}

// What name_servers() reads, too: a platform, its servers and their number, which of one server are
// a file, and its ranks, which become a number of servers.
bool chooses_file(const std::vector<std::string>& steps) {
  constexpr std::string_view read[] = {"ranks", "nodes", "servers", "server", "nic"};
  if (steps[0] == "platform" && (steps.size() == 1 || std::ranges::count(read, steps[1]) > 0))
    return true;
  const bool of_model = steps.size() == 3 && steps[1] == "transformer";
  return (steps.size() == 2 || of_model) && steps.back() == "file" &&
         std::find(sections_with_files.begin(), sections_with_files.end(), steps[0]) !=
             sections_with_files.end();
}

}  // namespace

std::optional<YamlNode> InputFiles::load(const std::string& path,
                                         const std::vector<Override>& overrides) {
  std::optional<YamlNode> root = read(path, "");
  if (!root) return std::nullopt;
  if (root->kind == NodeKind::null) {
    problems_.add(root->place, "", "the file is empty",
                  "an experiment has at least the keys platform and workload");
    return std::nullopt;
  }
  if (root->kind != NodeKind::map) {
    problems_.add(root->place, "", fmt::format("this is {}", name_of(root->kind)),
                  "an experiment is a map: `platform: ...`, `workload: ...`");
    return std::nullopt;
  }
  expand_names(*root, "");
  std::vector<Assignment> assignments;
  bool complete = true;
  for (const Override& option : overrides) {
    std::optional<Assignment> assignment = parse(option);
    complete = complete && assignment;
    if (assignment) assignments.push_back(*std::move(assignment));
  }
  // `--set platform.file=other.yaml` chooses the file that the other options then change.
  const auto rest = std::stable_partition(assignments.begin(), assignments.end(),
                                          [](const auto& a) { return chooses_file(a.steps); });
  for (auto a = assignments.begin(); a != rest; ++a) {
    const bool counts = a->steps.back() == "nodes" || a->steps.back() == "servers";
    YamlNode* platform = root->find("platform");
    if (counts && platform != nullptr && platform->find("nodes") == nullptr)
      taken(*platform, "ranks");  // of the servers that there were
    assign(*root, *a);
  }
  name_servers(*root, problems_);
  if (!resolve_references(*root, path)) complete = false;
  for (auto a = rest; complete && a != assignments.end(); ++a) assign(*root, *a);
  // An option may itself bring a reference: --set 'platform={file: other.yaml}'.
  name_servers(*root, problems_);
  if (complete && !resolve_references(*root, path)) complete = false;
  if (complete) {
    network_chosen_ = add_network_of_servers(*root, problems_);
    add_npu_of_server(*root);
    add_link_of_npu(*root);
    const Source& chosen = sources_.emplace_back(chosen_source());
    efficiency_ = choose_efficiency(*root, chosen);
    protocols_ = choose_library(*root, chosen);
  }
  if (complete && !resolve_efficiency(*root)) complete = false;
  if (complete) tell_workload_of_software(*root);
  if (!complete) return std::nullopt;
  return root;
}

std::optional<YamlNode> InputFiles::read(const std::string& path, const std::string& key_path) {
  const std::string& text = texts_.read(path);
  const Source& source = sources_.emplace_back(Source{path, true, lines_of(text)});
  return parse_yaml(text, source, key_path, problems_);
}

// --- file: ---

bool InputFiles::resolve_references(YamlNode& root, const std::string& path) {
  bool complete = true;
  for (YamlNode& child : root.children) {
    const auto& names = sections_with_files;
    if (std::find(names.begin(), names.end(), child.key) == names.end()) continue;
    if (!resolve(child, child.key, {path}) || !resolve_models(child, child.key, path))
      complete = false;
  }
  return complete;
}

// The transformer of a workload, and those of several jobs.
bool InputFiles::resolve_models(YamlNode& workload, const std::string& key_path,
                                const std::string& path) {
  bool complete = true;
  if (YamlNode* model = workload.find("transformer"))
    complete = resolve(*model, join_path(key_path, "transformer"), {path});
  YamlNode* jobs = workload.find("jobs");
  for (std::size_t i = 0; jobs != nullptr && i < jobs->children.size(); ++i)
    if (!resolve_models(jobs->children[i], item_path(join_path(key_path, "jobs"), i), path))
      complete = false;
  return complete;
}

// A name of platforms/efficiency, or a file that `orrery calibrate` wrote. Nothing if there is
// none.
std::optional<std::string> InputFiles::efficiency_file(const YamlNode& preset) {
  if (preset.text.ends_with(".yaml")) return resolved_path(preset);
  const std::vector<BundledFile> known = bundled_efficiencies();
  const auto named = std::find_if(known.begin(), known.end(),
                                  [&](const auto& file) { return file.name == preset.text; });
  if (named != known.end()) return named->file;
  problems_.add(preset.place, "platform.npu.efficiency.preset",
                in_quotes(preset.text) + " is not known", suggest(preset.text, known));
  return std::nullopt;
}

// platform.npu.efficiency.preset: the keys of that file, under those that stand beside it.
bool InputFiles::resolve_efficiency(YamlNode& root) {
  YamlNode* node = efficiency_of(root);
  if (node == nullptr) return true;
  const std::string path = "platform.npu.efficiency";
  const YamlNode* preset = node->kind == NodeKind::map ? node->find("preset") : nullptr;
  if (preset == nullptr || preset->kind != NodeKind::scalar) return true;  // the reader complains
  const std::optional<std::string> file = efficiency_file(*preset);
  if (!file) return false;
  std::optional<YamlNode> loaded;
  try {
    loaded = read(*file, path);
  } catch (const IoError& error) {
    problems_.add(preset->place, path + ".preset", error.what(), unreadable_remedy);
  }
  if (!loaded) return false;
  if (loaded->kind != NodeKind::map) {
    problems_.add(loaded->place, path, fmt::format("the file holds {}", name_of(loaded->kind)),
                  "it must hold the keys of " + path);
    return false;
  }
  name_efficiency(efficiency_, preset->text, node->children.size() == 1);
  YamlNode own = std::move(*node);
  *node = std::move(*loaded);
  node->key = own.key;
  node->place = own.place;
  node->key_place = own.key_place;
  merge(*node, std::move(own), path);
  return true;
}

// What `over` says replaces what `base` says; maps are merged key by key. A map over a list changes
// elements of it.
void InputFiles::merge(YamlNode& base, YamlNode over, const std::string& path) {
  if (base.kind == NodeKind::list && over.kind == NodeKind::map)
    return merge_elements(base, std::move(over), path);
  if (base.kind != NodeKind::map || over.kind != NodeKind::map) {
    base = std::move(over);
    return;
  }
  for (YamlNode& child : over.children) {
    if (YamlNode* same = base.find(child.key)) {
      const std::string key = child.key;
      merge(*same, std::move(child), join_path(path, key));
    } else {
      base.children.push_back(std::move(child));
    }
  }
}

void InputFiles::merge_elements(YamlNode& list, YamlNode over, const std::string& path) {
  for (YamlNode& child : over.children) {
    YamlNode* element = element_of(list, child.key);
    if (element == nullptr) {
      problems_.add(child.key_place, path,
                    fmt::format("the list has no element {}", in_quotes(child.key)),
                    fmt::format("write the `name` of one, or its number from 0 to {}",
                                list.children.size() - 1));
      continue;
    }
    const std::string key = child.key;
    child.key = "";
    merge(*element, std::move(child), join_path(path, key));
  }
}

// What `file:` names: a path, or a bundled platform.
std::string InputFiles::path_of(const YamlNode& file) {
  std::string path = resolved_path(file);
  if (!is_platform_name(file.text) || texts_.can_read(path)) return path;
  return find_bundled_platform(file.text).value_or(path);
}

bool InputFiles::resolve(YamlNode& section, const std::string& key_path,
                         std::vector<std::string> chain) {
  const auto reference = std::find_if(section.children.begin(), section.children.end(),
                                      [](const auto& child) { return child.key == "file"; });
  if (section.kind != NodeKind::map || reference == section.children.end()) return true;
  const YamlNode file = std::move(*reference);
  section.children.erase(reference);
  const auto fail = [&](std::string what, std::string remedy) {
    problems_.add(file.place, join_path(key_path, "file"), std::move(what), std::move(remedy));
    return false;
  };
  if (file.kind != NodeKind::scalar)
    return fail(fmt::format("this is {}", name_of(file.kind)), "write the path of a YAML file");
  const std::string path = path_of(file);
  chain.push_back(path);
  const auto same_file = [&](const auto& earlier) { return identity(earlier) == identity(path); };
  if (std::find_if(chain.begin(), chain.end() - 1, same_file) != chain.end() - 1)
    return fail("the files refer to each other: " + fmt::format("{}", fmt::join(chain, " -> ")),
                "write the keys out in one of them");
  std::optional<YamlNode> loaded;
  try {
    loaded = read(path, key_path);
  } catch (const IoError& error) {
    if (const NpuPreset* device = find_npu_preset(known_name(file.text)))
      return fail(in_quotes(file.text) + " is a device, no platform",
                  fmt::format("write {}: {{npu: {}, {}}}", key_path, file.text,
                              device->torus_link > Bandwidth{} ? "torus: 4x4x4" : "nodes: 16"));
    const bool may_be_platform = is_platform_name(file.text) && !key_path.ends_with("transformer");
    return fail(error.what(), may_be_platform
                                  ? "nor is it a bundled platform: " + suggest_platform(file.text)
                                  : std::string(unreadable_remedy));
  }
  if (!loaded) return false;
  if (loaded->kind != NodeKind::map)
    return fail(fmt::format("{} holds {}", path, name_of(loaded->kind)),
                fmt::format("it must hold the keys of {}", key_path));
  if (is_model_config(*loaded) && !read_model_config(*loaded, key_path, problems_)) return false;
  // Of a file of whole sections, an experiment or a bundled platform, the one of this name.
  if (YamlNode* same = loaded->find(key_path)) {
    if (same->kind != NodeKind::map)
      return fail(fmt::format("{} of {} is {}", key_path, path, name_of(same->kind)),
                  "it must be a map of keys");
    YamlNode section_of_file = std::move(*same);
    loaded = std::move(section_of_file);
  }
  expand_names(*loaded, key_path);
  if (!resolve(*loaded, key_path, std::move(chain))) return false;
  // The section stays where it is named; only its keys come from the file.
  std::vector<YamlNode> beside = std::exchange(section.children, std::move(loaded->children));
  YamlNode over;
  over.kind = NodeKind::map;
  over.children = std::move(beside);
  merge(section, std::move(over), key_path);
  return true;
}

// --- --set ---

std::optional<InputFiles::Assignment> InputFiles::parse(const Override& option) {
  const Source& source = sources_.emplace_back(
      Source{option.shown.empty() ? "--set " + option.text : option.shown, false, {}});
  const std::size_t equals = option.text.find('=');
  const std::string key = option.text.substr(0, equals);
  if (equals == std::string::npos || key.empty()) {
    problems_.add({&source, 0, 0}, "", equals == std::string::npos ? "there is no `=`" : "no key",
                  "write KEY=VALUE, for example system.chunks=64");
    return std::nullopt;
  }
  std::vector<std::string> steps = steps_of(key);
  if (steps.empty()) {
    problems_.add({&source, 0, 0}, "", in_quotes(key) + " is not a path of keys",
                  "write for example platform.topology.levels[1].bandwidth");
    return std::nullopt;
  }
  auto value = parse_yaml(option.text.substr(equals + 1), source, key, problems_);
  if (!value) return std::nullopt;
  return Assignment{&source, std::move(steps), std::move(*value)};
}

void InputFiles::assign(YamlNode& root, const Assignment& assignment) {
  const Place place{assignment.source, 0, 0};
  YamlNode* node = &root;
  std::string path;
  for (const std::string& step : expanded_steps(root, assignment.steps)) {
    if (node->kind == NodeKind::list) {
      YamlNode* element = element_of(*node, step);
      if (element == nullptr) {
        problems_.add(place, path, fmt::format("there is no element {}", in_quotes(step)),
                      fmt::format("this list has {}, numbered from 0", node->children.size()));
        return;
      }
      path = item_path(path, static_cast<std::size_t>(element - node->children.data()));
      node = element;
      continue;
    }
    if (node->kind == NodeKind::scalar && path == "platform.server") name_server(*node);
    if (node->kind == NodeKind::scalar) {
      problems_.add(place, path,
                    fmt::format("this is a single value, it has no key {}", in_quotes(step)),
                    "set the value itself");
      return;
    }
    node->kind = NodeKind::map;
    YamlNode* child = node->find(step);
    if (child == nullptr) {
      child = &node->children.emplace_back();
      child->key = step;
      child->place = child->key_place = place;
    }
    node = child;
    path = join_path(path, step);
  }
  std::string key = std::move(node->key);
  *node = assignment.value;
  node->key = std::move(key);
  node->place = node->key_place = place;
  expand_names(root, "");
}

}  // namespace orrery::yaml
