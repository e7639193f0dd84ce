#include "frontends/yaml/field.h"

#include <fmt/format.h>

#include <utility>

namespace orrery::yaml {

namespace {

// What to write in the place of something that is no map.
std::string remedy_of_map(const YamlNode& node, const std::string& path) {
  if (path == "platform.topology")
    return "write its kind and its keys, such as {torus: 8x8x8}, {leaf_spine: {nodes: 16, node: "
           "hgx-h100}} or {levels: [{kind: ring, size: 16, bandwidth: 50 GB/s}]}";
  if (path == "workload" && node.kind == NodeKind::scalar)
    return fmt::format(
        "write workload: {{{}: 100 MB}} for a collective; workload: {{transformer: llama3-70b}} "
        "for a model (orrery list presets)",
        node.text);
  for (const char* network : {"fat_tree", "leaf_spine", "rail"})
    if (path == fmt::format("platform.topology.{}", network))
      return fmt::format(
          "write how many servers and which, {0}: {{nodes: 16, node: hgx-h100}}, or NPUs with a "
          "NIC each, {0}: {{nodes: 16, bandwidth: 50 GB/s}}",
          network);
  return "write keys and values: {key: value}, or a line for each";
}

}  // namespace

std::string remedy_of_scalar(const std::string& path, std::string remedy) {
  if (path.find(".oversubscription") == std::string::npos) return remedy;
  return "write ports down for each up, from 1 to 4096: 3 or 3:1 (below 1, as 1:3 is, more go up)";
}

bool expect(Problems& problems, const YamlNode& node, NodeKind kind, const std::string& path) {
  if (node.kind == kind && (kind != NodeKind::list || !node.children.empty())) return true;
  std::string remedy;
  switch (kind) {
    case NodeKind::null:
    case NodeKind::scalar:
      remedy = "write one value";
      break;
    case NodeKind::list:
      remedy = "write a list: [a, b], or a line `- a` for each element";
      break;
    case NodeKind::map:
      remedy = remedy_of_map(node, path);
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
  problems.add(place, path, std::move(what), std::move(remedy));
  return false;
}

}  // namespace orrery::yaml
