#include "frontends/yaml/sweep_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "frontends/yaml/reader.h"
#include "simulation/sweep_samples.h"

namespace orrery::yaml {

namespace {

// As `--set` takes it: YAML in one line.
std::string flow_text(const YamlNode& node, bool inside = false) {
  std::string text;
  switch (node.kind) {
    case NodeKind::null:
      return "null";
    case NodeKind::scalar: {
      const bool plain = node.text.find_first_of(",[]{}#:\"'\n") == std::string::npos;
      if (!inside || (plain && !node.text.empty())) return node.text;
      for (const char c : node.text)
        text += c == '"' || c == '\\' ? fmt::format("\\{}", c) : std::string(1, c);
      return fmt::format("\"{}\"", text);
    }
    case NodeKind::list:
      for (const YamlNode& child : node.children)
        text += (text.empty() ? "" : ", ") + flow_text(child, true);
      return fmt::format("[{}]", text);
    case NodeKind::map:
      for (const YamlNode& child : node.children)
        text +=
            fmt::format("{}{}: {}", text.empty() ? "" : ", ", child.key, flow_text(child, true));
      return fmt::format("{{{}}}", text);
  }
  return text;
}

}  // namespace

SweepSetting setting_of(const std::string& key, const YamlNode& value) {
  return {key, flow_text(value), fmt::format("{}:{}", value.place.source->name, value.place.line)};
}

namespace {

// Steps that are equal would be simulated in one folder.
void check_steps(const YamlNode& item, const SweepAxis& axis, const std::string& path,
                 Problems& problems) {
  std::set<std::string> known;
  for (std::size_t i = 0; i < axis.steps.size(); ++i) {
    std::string identity;
    for (const SweepSetting& setting : axis.steps[i])
      identity += identity_of(sweep_value(setting.value)) + '\n';
    if (known.insert(identity).second) continue;
    const YamlNode& key = item.children.front();
    problems.add(key.children[i].place, path,
                 fmt::format("{} has the value {} twice{}", key.key, axis.steps[i].front().value,
                             item.children.size() > 1 ? ", with equal values beside it" : ""),
                 "each point is simulated once: keep one of them");
  }
}

}  // namespace

std::optional<SweepAxis> zip_axis(const YamlNode& item, const std::string& path,
                                  Problems& problems) {
  const auto wrong = [&](const YamlNode& node, std::string what, std::string remedy) {
    problems.add(node.place, path, std::move(what), std::move(remedy));
    return std::nullopt;
  };
  if (item.kind != NodeKind::map || item.children.empty())
    return wrong(item, fmt::format("this is {}", name_of(item.kind)),
                 "write for example `- system.chunks: [32, 128]`");
  SweepAxis axis;
  for (const YamlNode& key : item.children) {
    if (key.kind != NodeKind::list || key.children.empty())
      return wrong(key, fmt::format("the values of {} are {}", key.key, name_of(key.kind)),
                   "write a list with at least one value: [32, 128]");
    if (axis.steps.empty()) axis.steps.resize(key.children.size());
    if (axis.steps.size() != key.children.size())
      return wrong(key,
                   fmt::format("{} has {} values, and {} beside it {}", key.key,
                               key.children.size(), item.children.front().key, axis.steps.size()),
                   "keys of one item change together, so give them equally many; or write an item "
                   "for each, which gives every combination");
    for (std::size_t i = 0; i < axis.steps.size(); ++i)
      axis.steps[i].push_back(setting_of(key.key, key.children[i]));
  }
  check_steps(item, axis, path, problems);
  return axis;
}

namespace {

constexpr Limits one_to_a_million = between(1, 1'000'000);

// `{from: 1 us, to: 1 ms, scale: log}`.
class RangeReader {
 public:
  RangeReader(SampledKey& key, std::string path, Problems& problems)
      : key_(key), path_(std::move(path)), problems_(problems) {}

  bool read(const YamlNode& node) {
    for (const YamlNode& child : node.children)
      if (child.key != "from" && child.key != "to" && child.key != "scale")
        return wrong(child.key_place, fmt::format("a range has no key {}", child.key));
    const YamlNode *from = node.find("from"), *to = node.find("to"), *scale = node.find("scale");
    if (from == nullptr || to == nullptr) return wrong(node.place, "the range has no ends");
    const SweepValue low = sweep_value(from->text), high = sweep_value(to->text);
    if (low.kind == SweepValueKind::text) return wrong(from->place, not_a_number(*from));
    if (high.kind == SweepValueKind::text) return wrong(to->place, not_a_number(*to));
    if (low.kind != high.kind)
      return wrong(to->place, fmt::format("the range begins with {} and ends with {}",
                                          name_of(low.kind), name_of(high.kind)));
    if (!(low.number < high.number)) return wrong(to->place, "the range ends before it begins");
    if (scale != nullptr && scale->text != "log" && scale->text != "linear")
      return wrong(scale->place, fmt::format("there is no scale \"{}\"", scale->text));
    key_.is_logarithmic = scale != nullptr && scale->text == "log";
    if (key_.is_logarithmic && low.number <= 0)
      return wrong(from->place, "a logarithmic range begins above 0");
    key_.kind = low.kind;
    key_.from = low.number;
    key_.to = high.number;
    key_.is_whole = low.kind == SweepValueKind::number && is_whole(*from) && is_whole(*to);
    return true;
  }

 private:
  bool wrong(const Place& place, std::string what) {
    problems_.add(
        place, path_, std::move(what),
        fmt::format("write for example `{}: {{from: 1 us, to: 1 ms, scale: log}}`", key_.key));
    return false;
  }

  static std::string not_a_number(const YamlNode& node) {
    return fmt::format("{} is neither a number nor a quantity", in_quotes(node.text));
  }

  static bool is_whole(const YamlNode& node) {
    return node.text.find_first_not_of("+-0123456789") == std::string::npos;
  }

  SampledKey& key_;
  std::string path_;
  Problems& problems_;
};

std::vector<SampledKey> sampled_keys(const YamlNode& node, const std::string& path,
                                     Problems& problems) {
  std::vector<SampledKey> keys;
  if (node.kind != NodeKind::map || node.children.empty()) {
    problems.add(node.place, path, fmt::format("this is {}", name_of(node.kind)),
                 "write a map of keys with lists of values or ranges");
    return keys;
  }
  for (const YamlNode& child : node.children) {
    SampledKey key{.key = child.key};
    if (child.kind == NodeKind::map) {
      if (!RangeReader(key, path, problems).read(child)) continue;
    } else if (child.kind == NodeKind::list && !child.children.empty()) {
      for (const YamlNode& value : child.children) key.values.push_back(flow_text(value));
    } else {
      problems.add(child.place, path,
                   fmt::format("the values of {} are {}", child.key, name_of(child.kind)),
                   "write a list of values, or a range: {from: 1, to: 64}");
      continue;
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

std::optional<SweepAxis> sampled_axis(Sampling sampling, const YamlNode& node, InputTexts& texts,
                                      Problems& problems) {
  const std::string section = sampling == Sampling::latin ? "latin" : "random";
  if (node.kind != NodeKind::map) {
    problems.add(node.place, section, fmt::format("this is {}", name_of(node.kind)),
                 "write a map: {samples: 200, seed: 1, keys: {system.chunks: [16, 32, 64]}}");
    return std::nullopt;
  }
  std::vector<ResolvedValue> unused;
  Reader reader(problems, texts, unused, node, node.place, section);
  std::int64_t samples = 0, seed = 1;
  reader.required("samples", samples, "so many combinations are drawn", one_to_a_million);
  reader.optional("seed", seed, "another one draws others", not_negative);
  std::vector<SampledKey> keys;
  reader.free_form(
      "keys", [&](const YamlNode& map) { keys = sampled_keys(map, section + ".keys", problems); });
  if (node.find("keys") == nullptr)
    problems.add(node.place, section + ".keys", "no keys are drawn",
                 "write keys with lists of values or ranges");
  const bool clean = reader.clean();
  reader.finish();
  if (!clean || keys.empty()) return std::nullopt;
  const auto drawn = (sampling == Sampling::latin ? latin_samples : drawn_samples)(
      keys, static_cast<std::size_t>(samples), static_cast<std::uint64_t>(seed));
  const std::size_t different = std::set(drawn.begin(), drawn.end()).size();
  if (different < static_cast<std::size_t>(samples)) {
    problems.add(
        node.place, section + ".samples",
        fmt::format("{} different samples are wanted, and {} are found", samples, different),
        "draw fewer, or give more values; `vary` gives every combination");
    return std::nullopt;
  }
  SweepAxis axis;
  const Place place = node.place;
  for (const std::vector<std::string>& sample : drawn) {
    axis.steps.emplace_back();
    for (std::size_t i = 0; i < keys.size(); ++i)
      axis.steps.back().push_back(
          {keys[i].key, sample[i], fmt::format("{}:{}", place.source->name, place.line)});
  }
  return axis;
}

std::optional<SweepAxis> repeat_axis(const YamlNode& node, InputTexts& texts, Problems& problems) {
  if (node.kind != NodeKind::map) {
    problems.add(node.place, "repeat", fmt::format("this is {}", name_of(node.kind)),
                 "write {seeds: 5}");
    return std::nullopt;
  }
  std::vector<ResolvedValue> unused;
  Reader reader(problems, texts, unused, node, node.place, "repeat");
  std::int64_t seeds = 0;
  reader.required("seeds", seeds, "every point with so many seeds", one_to_a_million);
  const bool clean = reader.clean();
  reader.finish();
  if (!clean) return std::nullopt;
  SweepAxis axis;
  for (std::int64_t seed = 1; seed <= seeds; ++seed)
    axis.steps.push_back({{"seed", fmt::format("{}", seed),
                           fmt::format("{}:{}", node.place.source->name, node.place.line)}});
  return axis;
}

}  // namespace orrery::yaml
