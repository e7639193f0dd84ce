#include "frontends/yaml/describe_traffic.h"

#include <fmt/format.h>

#include <string>
#include <variant>

#include "frontends/yaml/schema_writer.h"

namespace orrery::yaml {

namespace {

constexpr const char* help =
    "distribution of the sizes of flows: websearch, alistorage, fbhadoop, or a list of points "
    "[bytes, cumulative share], between which sizes are uniform";

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const KnownSizes& known : known_sizes()) all.push_back(known.name);
  return all;
}

// A size with a unit, or a whole number of bytes.
FromText<Bytes> size_in(const std::string& text) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return ScalarType<Bytes>::parse(digits ? text + " B" : text);
}

// What is wrong with it; nothing if `point` is filled.
std::optional<WrongText> read_point(const YamlNode& node, SizePoint& point) {
  if (node.kind != NodeKind::list || node.children.size() != 2 ||
      node.children[0].kind != NodeKind::scalar || node.children[1].kind != NodeKind::scalar)
    return WrongText{"this is no point", "write [bytes, cumulative share]: [30 kB, 0.3]"};
  const FromText<Bytes> size = size_in(node.children[0].text);
  if (const auto* wrong = std::get_if<WrongText>(&size)) return *wrong;
  const FromText<Fraction> share = ScalarType<Fraction>::parse(node.children[1].text);
  if (const auto* wrong = std::get_if<WrongText>(&share)) return *wrong;
  point = {std::get<Bytes>(size), std::get<Fraction>(share)};
  return std::nullopt;
}

void read_sizes(Reader& keys, const YamlNode& node, std::vector<SizePoint>& sizes) {
  if (node.kind == NodeKind::scalar) {
    if (const KnownSizes* known = find_sizes(node.text)) {
      sizes = known->points;
      return;
    }
    const WrongText unknown = unknown_name(node.text, names());
    return keys.wrong("sizes", unknown.what, unknown.remedy);
  }
  sizes.resize(node.children.size());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (const auto wrong = read_point(node.children[i], sizes[i]))
      keys.wrong_item("sizes", i, wrong->what, wrong->remedy);
}

std::string text_of_points(const std::vector<SizePoint>& sizes) {
  std::string text;
  for (const SizePoint& point : sizes)
    text += fmt::format("{}[{}, {}]", text.empty() ? "" : ", ", ScalarType<Bytes>::text(point.size),
                        ScalarType<Fraction>::text(point.share));
  return '[' + text + ']';
}

}  // namespace

void describe_sizes(Reader& keys, std::vector<SizePoint>& sizes) {
  if (!keys.given("sizes")) {
    std::string missing;
    return keys.required("sizes", missing, help);
  }
  keys.free_form("sizes", [&](const YamlNode& node) {
    read_sizes(keys, node, sizes);
    keys.record("sizes", node.kind == NodeKind::scalar ? node.text : text_of_points(sizes),
                keys.origin_of("sizes"), help);
  });
}

void describe_sizes(SchemaWriter& keys, std::vector<SizePoint>&) {
  using Json = SchemaWriter::Json;
  const Json name = {{"type", "string"}, {"enum", names()}};
  const Json number = {{"type", Json::array({"string", "number"})}};
  const Json point = {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}, {"items", number}};
  const Json list = {{"title", "list of [bytes, cumulative share]"},
                     {"type", "array"},
                     {"minItems", 1},
                     {"items", point}};
  keys.property("sizes", {{"anyOf", Json::array({name, list})}}, help);
  keys.require("sizes");
}

}  // namespace orrery::yaml
