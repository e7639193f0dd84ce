#include "formats/yaml/write_yaml.h"

#include <algorithm>
#include <filesystem>

#include "formats/yaml/resolved_path.h"

namespace orrery::yaml {

namespace {

bool is_plain(const std::string& text) {
  const auto is_safe = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_-+./ %()").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.front() != ' ' && text.back() != ' ' && text.front() != '-' &&
         text.front() != '%' && std::ranges::all_of(text, is_safe);
}

std::string scalar_text(const YamlNode& node) {
  std::string text = node.text;
  const bool names_file = node.key == "file" || node.key == "custom";
  if (names_file && node.place.source != nullptr)
    text = std::filesystem::absolute(resolved_path(node)).lexically_normal().string();
  if (is_plain(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return quoted + '"';
}

void write(const YamlNode& node, const std::string& indent, std::string& text);

void write_value(const YamlNode& node, const std::string& indent, std::string& text) {
  const bool empty = node.children.empty();
  switch (node.kind) {
    case NodeKind::null:
      text += '\n';
      return;
    case NodeKind::scalar:
      text += ' ' + scalar_text(node) + '\n';
      return;
    case NodeKind::list:
    case NodeKind::map:
      text += !empty ? "\n" : node.kind == NodeKind::list ? " []\n" : " {}\n";
      write(node, indent + "  ", text);
      return;
  }
}

void write(const YamlNode& node, const std::string& indent, std::string& text) {
  for (const YamlNode& child : node.children) {
    text += indent + (node.kind == NodeKind::list ? "-" : child.key + ':');
    write_value(child, indent, text);
  }
}

}  // namespace

std::string yaml_text(const YamlNode& map) {
  std::string text;
  write(map, "", text);
  return text;
}

}  // namespace orrery::yaml
