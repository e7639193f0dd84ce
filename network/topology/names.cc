#include "network/topology/names.h"

#include <charconv>

namespace orrery {
namespace {

// The whole text as a number from 0 on.
template <class Integer>
std::optional<Integer> whole_number(std::string_view text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

Names::Names(const Topology& topology) : topology_(topology) {
  for (std::int32_t node = 0; node < topology.node_count(); ++node)
    nodes_.emplace(topology.node_name({node}), NodeId{node});
  for (LinkIndex i = 0; i < topology.links().size(); ++i)
    links_.emplace(std::pair{topology.links()[i].from, topology.links()[i].to}, i);
}

std::optional<NodeId> Names::node(std::string_view text) const {
  const std::string_view name = trimmed(text);
  if (const auto found = nodes_.find(std::string(name)); found != nodes_.end())
    return found->second;
  const auto index = whole_number<std::int32_t>(name);
  if (!index || *index >= topology_.node_count()) return std::nullopt;
  return NodeId{*index};
}

std::vector<LinkIndex> Names::links(NodeId from, NodeId to) const {
  std::vector<LinkIndex> found;
  const auto [begin, end] = links_.equal_range({from, to});
  for (auto link = begin; link != end; ++link) found.push_back(link->second);
  return found;
}

std::vector<LinkIndex> Names::links(const std::string& text) const {
  for (const auto& [arrow, both] :
       {std::pair{" -> ", false}, {" - ", true}, {"->", false}, {"-", true}}) {
    const std::size_t at = text.find(arrow);
    if (at == std::string::npos) continue;
    const auto from = node(text.substr(0, at));
    const auto to = node(text.substr(at + std::string_view(arrow).size()));
    if (!from || !to) return {};
    std::vector<LinkIndex> found = links(*from, *to);
    if (both)
      for (const LinkIndex back : links(*to, *from)) found.push_back(back);
    return found;
  }
  const auto index = whole_number<LinkIndex>(text);
  if (!index || *index >= topology_.links().size()) return {};
  return {*index};
}

}  // namespace orrery
