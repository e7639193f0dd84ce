#include "frontends/yaml/field.h"

#include <fmt/format.h>

#include <utility>

namespace orrery::yaml {

bool expect(Problems& problems, const YamlNode& node, NodeKind kind, const std::string& path) {
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
      remedy = path == "platform.topology"
                   ? "write its kind and its keys, such as {torus: 8x8x8}, {leaf_spine: {nodes: "
                     "16, node: hgx-h100}} or {levels: [{kind: ring, size: 16, bandwidth: 50 GB/s}]}"
                   : "write keys and values: {key: value}, or a line for each";
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
  problems.add(place, path, std::move(what), std::string(remedy));
  return false;
}

}  // namespace orrery::yaml
