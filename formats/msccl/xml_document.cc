#include "formats/msccl/xml_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace orrery::msccl {

XmlDocument::XmlDocument(std::string name, std::string text, const std::string& remedy)
    : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
  const pugi::xml_parse_result result = document_.load_buffer(text_.data(), text_.size());
  if (!result)
    refuse(position(result.offset), fmt::format("this is not XML: {}", result.description()),
           remedy);
}

std::int32_t XmlDocument::number(pugi::xml_node node, const char* name, std::int32_t least,
                                 std::int32_t most) const {
  const std::string_view text = word(node, name);
  std::int32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest != end || value < least || value > most)
    refuse(
        node,
        fmt::format("{}=\"{}\" of <{}> is no number that can stand here", name, text, node.name()),
        most == std::numeric_limits<std::int32_t>::max()
            ? fmt::format("write a whole number, {} or more", least)
            : fmt::format("write a whole number from {} to {}", least, most));
  return value;
}

std::string_view XmlDocument::word(pugi::xml_node node, const char* name) const {
  const pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute)
    refuse(node, fmt::format("<{}> has no attribute {}", node.name(), name),
           fmt::format("write {}=\"...\"", name));
  return attribute.value();
}

void XmlDocument::refuse(pugi::xml_node node, std::string what, std::string remedy) const {
  refuse(position(node.offset_debug()), std::move(what), std::move(remedy));
}

void XmlDocument::refuse(int line, std::string what, std::string remedy) const {
  refuse(Position{line, 0}, std::move(what), std::move(remedy));
}

void XmlDocument::refuse(const Position& where, std::string what, std::string remedy) const {
  throw ConfigError({.file = name_,
                     .line = where.line,
                     .column = where.column,
                     .what = std::move(what),
                     .remedy = std::move(remedy)});
}

XmlDocument::Position XmlDocument::position(std::ptrdiff_t offset) const {
  if (offset < 0) return {0, 0};
  const auto at = static_cast<std::size_t>(offset);
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), at);
  const auto line = static_cast<int>(next - line_starts_.begin());
  return {line, static_cast<int>(at - *std::prev(next)) + 1};
}

}  // namespace orrery::msccl
