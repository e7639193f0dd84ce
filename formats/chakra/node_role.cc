#include "formats/chakra/node_role.h"

namespace orrery::chakra {

Role role_of(const Node& node) {
  const auto unless_on_host = [&](Role role) {
    return node.number("is_cpu_op").value_or(0) != 0 ? Role::host : role;
  };
  switch (node.type) {
    case NodeType::invalid:
    case NodeType::metadata:
      return Role::structure;
    case NodeType::memory_load:
    case NodeType::memory_store:
      return Role::memory;
    case NodeType::compute:
      return unless_on_host(Role::processor);
    case NodeType::send:
      return unless_on_host(Role::send);
    case NodeType::receive:
      return unless_on_host(Role::receive);
    case NodeType::collective:
      break;
  }
  return unless_on_host(Role::collective);
}

std::optional<StreamName> stream_of(const Node& node, Role role) {
  if (role == Role::structure || role == Role::memory) return std::nullopt;
  const std::optional<std::int64_t> thread = node.number("tid");
  if (role == Role::host) return thread ? std::optional(StreamName{true, *thread}) : std::nullopt;
  const std::optional<std::int64_t> stream = node.number("stream");
  if (stream) return StreamName{false, *stream};
  return thread ? std::optional(StreamName{false, *thread}) : std::nullopt;
}

std::string_view kernel_name(std::string_view name) {
  constexpr std::size_t kMost = 60;
  if (name.starts_with("void ")) name.remove_prefix(5);
  name = name.substr(0, name.find('<'));
  if (const std::size_t arguments = name.find('('); arguments > 0) name = name.substr(0, arguments);
  return name.empty() ? "work without a name" : name.substr(0, kMost);
}

}  // namespace orrery::chakra
