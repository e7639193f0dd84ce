// A YAML document as plain data, with the position of every key and value. Copied freely: values of
// several files and of the command line end up in one tree, and each still knows where it is from.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::yaml {

// Where text comes from: a file, one `--set` option, or what is chosen where both are silent.
struct Source {
  std::string name;  // as shown: "examples/hier.yaml", "--set system.chunks=0"
  bool is_file = true;
  std::vector<std::string_view> lines;  // of a file, for the excerpt under a message
  bool is_chosen = false;
};
inline Source chosen_source() { return {"chosen", false, {}, true}; }

struct Place {
  const Source* source = nullptr;
  int line = 0, column = 0;  // from 1; 0 = unknown
};

enum class NodeKind { null, scalar, list, map };

struct YamlNode {
  NodeKind kind = NodeKind::null;
  std::string text;  // of a scalar
  Place place;
  std::string key;  // in the parent map; "" for list items
  Place key_place;
  std::vector<YamlNode> children;  // of a list or map, in file order
  bool is_default = false;         // another section says it: it need not mean anything here

  const YamlNode* find(std::string_view wanted) const {
    for (const YamlNode& child : children) {
      if (child.key == wanted) return &child;
    }
    return nullptr;
  }
  YamlNode* find(std::string_view wanted) {
    return const_cast<YamlNode*>(static_cast<const YamlNode*>(this)->find(wanted));
  }
};

// Null if `node` is, or is no map, or does not have the key.
inline const YamlNode* child_of(const YamlNode* node, std::string_view key) {
  return node != nullptr && node->kind == NodeKind::map ? node->find(key) : nullptr;
}

// Takes a key out of a map.
inline std::optional<YamlNode> taken(YamlNode& map, std::string_view key) {
  const auto child = std::ranges::find(map.children, key, &YamlNode::key);
  if (child == map.children.end()) return std::nullopt;
  YamlNode node = std::move(*child);
  map.children.erase(child);
  return node;
}

// A map that stands where `place` does.
inline YamlNode map_at(const YamlNode& place, std::string key, std::vector<YamlNode> children) {
  YamlNode map;
  map.kind = NodeKind::map;
  map.key = std::move(key);
  map.place = map.key_place = place.key_place;
  map.children = std::move(children);
  return map;
}

inline std::string_view name_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::null:
      return "nothing";
    case NodeKind::scalar:
      return "a single value";
    case NodeKind::list:
      return "a list";
    case NodeKind::map:
      return "a map";
  }
  return "";
}

inline std::string join_path(std::string_view parent, std::string_view key) {
  std::string path(parent);
  if (!path.empty()) path += '.';
  return path += key;
}

inline std::string item_path(std::string_view list, std::size_t index) {
  return std::string(list) + '[' + std::to_string(index) + ']';
}

}  // namespace orrery::yaml
