#include "frontends/yaml/describe_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "frontends/yaml/reader.h"

namespace orrery::yaml {

template <>
inline constexpr auto last_word<LoadOf> = LoadOf::uplinks;
template <>
inline constexpr auto last_word<FlowPattern> = FlowPattern::permutation;
template <>
inline constexpr auto last_word<FlowEnd> = FlowEnd::acknowledged;

namespace {

bool begins_with_digit(const std::string& text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

// What is wrong with it; nothing if `point` is filled.
std::optional<WrongText> read_point(const YamlNode& node, SizePoint& point) {
  if (node.kind != NodeKind::list || node.children.size() != 2 ||
      node.children[0].kind != NodeKind::scalar || node.children[1].kind != NodeKind::scalar)
    return WrongText{"this is no point", "write [bytes, cumulative share]: [30 kB, 0.3]"};
  const FromText<Bytes> size = parse_size(node.children[0].text);
  if (const auto* wrong = std::get_if<WrongText>(&size)) return *wrong;
  const FromText<Fraction> share = ScalarType<Fraction>::parse(node.children[1].text);
  if (const auto* wrong = std::get_if<WrongText>(&share)) return *wrong;
  point = {std::get<Bytes>(size), std::get<Fraction>(share)};
  return std::nullopt;
}

// A name, or one size.
std::optional<WrongText> read_word(const std::string& text, std::vector<SizePoint>& sizes) {
  if (const KnownSizes* known = find_sizes(text)) {
    sizes = known->points;
    return std::nullopt;
  }
  if (!begins_with_digit(text)) {
    std::vector<std::string_view> names;
    for (const KnownSizes& known : known_sizes()) names.push_back(known.name);
    WrongText unknown = unknown_name(text, names);
    unknown.remedy += "; or write a size, or a list of points [bytes, cumulative share]";
    return unknown;
  }
  const FromText<Bytes> size = parse_size(text);
  if (const auto* wrong = std::get_if<WrongText>(&size)) return *wrong;
  sizes = {{std::get<Bytes>(size), 1.0}};
  return std::nullopt;
}

}  // namespace

// The distribution of sizes: a name, a size, or a list of points.
template <>
class FieldOf<std::vector<SizePoint>> final : public Field {
 public:
  explicit FieldOf(std::vector<SizePoint>& sizes) : sizes_(sizes) {}

  bool read(Problems& problems, const YamlNode& node, const std::string& path,
            const Limits&) const override {
    const auto add = [&](const YamlNode& at, const std::string& key, WrongText wrong) {
      problems.add(at.place, key, std::move(wrong.what), std::move(wrong.remedy));
    };
    if (node.kind == NodeKind::scalar) {
      std::optional<WrongText> wrong = read_word(node.text, sizes_);
      if (wrong) add(node, path, *std::move(wrong));
      return !wrong;
    }
    if (!expect(problems, node, NodeKind::list, path)) return false;
    bool good = true;
    sizes_.resize(node.children.size());
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      std::optional<WrongText> wrong = read_point(node.children[i], sizes_[i]);
      if (!wrong) continue;
      add(node.children[i], item_path(path, i), *std::move(wrong));
      good = false;
    }
    return good;
  }
  std::string text() const override {
    const auto known = std::ranges::find(known_sizes(), sizes_, &KnownSizes::points);
    if (known != known_sizes().end()) return std::string(known->name);
    if (sizes_.size() == 1) return ScalarType<Bytes>::text(sizes_[0].size);
    std::string text;
    for (const SizePoint& point : sizes_)
      text +=
          fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", ScalarType<Bytes>::text(point.size),
                      ScalarType<Fraction>::text(point.share));
    return '[' + text + ']';
  }
  FieldType type(const Limits& limits) const override {
    return {{.json_types = {"string", "integer", "array"},
             .title = "a name, a size, or a list of [bytes, cumulative share]"},
            limits};
  }
  DefaultValue default_value() const override { return {}; }

 private:
  std::vector<SizePoint>& sizes_;
};

namespace {

std::string help_of_sizes() {
  std::string names;
  for (const KnownSizes& known : known_sizes()) names += std::string(known.name) + ", ";
  return "how large flows are: " + names +
         "one size for all, or a list of points [bytes, cumulative share], between which sizes "
         "are uniform";
}

void describe_flows(Keys& keys, FlowsSpec& flows) {
  static const std::string help = help_of_sizes();
  keys.required("sizes", flows.sizes, help);
  keys.optional("load", flows.load, "what the flows send, as a share of what `of` names");
  keys.optional("at_once", flows.at_once, "each NPU starts one flow, at time 0, instead of a load");
  keys.exactly_one({"load", "at_once"}, "how many flows start is said in one of these ways");
  keys.optional("of", flows.of,
                "what loads are shares of: hosts, what all NPUs can send on the outermost level; "
                "uplinks, what the links from switches with NPUs to other switches carry");
  keys.optional("pattern", flows.pattern,
                "to whom: uniform, each flow to an NPU drawn anew; permutation, each NPU to one "
                "other");
  keys.optional("for", flows.length,
                "time in which flows start; without it, that of 10,000 flows, and at least ten "
                "times that of the largest one alone",
                positive);
  keys.optional("warm_up", flows.warm_up,
                "flows that start before this are not counted; without it, a tenth of `for`",
                not_negative);
}

void describe_incast(Keys& keys, IncastSpec& incast) {
  keys.optional("senders", incast.senders, "NPUs that send to one, all at once",
                between(1, std::int64_t{1} << 24));
  keys.optional("size", incast.size, "what each of them sends", positive);
  keys.optional("load", incast.load, "what incasts send, as a share of what flows.of names");
}

}  // namespace

void describe_traffic(Keys& keys, TrafficSpec& traffic, const TopologySpec& topology,
                      bool topology_known) {
  keys.required_named_map(
      "flows",
      "flows at random times, such as flows: {sizes: websearch, load: 0.5}; for "
      "incasts alone, flows: {sizes: 500 kB, load: 0}",
      [&](Keys& below) { describe_flows(below, traffic.flows); });
  keys.optional_map("incast", "several NPUs that send to one, at random times",
                    [&](Keys& below) { describe_incast(below, traffic.incast.emplace()); });
  keys.optional("ends", traffic.ends,
                "when a flow ends: delivered, its last byte is at the target; acknowledged, the "
                "source knows that (RoCE), as most published simulators count");
  keys.check([&](Reader& reader) {
    if (reader.clean() && topology_known) reader.report(problems_of(traffic, topology));
  });
}

}  // namespace orrery::yaml
