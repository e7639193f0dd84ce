#include "formats/chakra/execution_trace.h"

#include <fmt/format.h>

#include <array>
#include <fstream>

#include "core/base/io_error.h"
#include "core/base/protobuf_message.h"

namespace orrery::chakra {

namespace {

constexpr std::array<std::string_view, 8> kTypeNames = {"invalid",      "metadata",  "memory load",
                                                        "memory store", "compute",   "send",
                                                        "receive",      "collective"};

}  // namespace

std::string_view name_of(NodeType type) { return kTypeNames[static_cast<std::size_t>(type)]; }

std::optional<std::int64_t> Node::number(std::string_view attribute) const {
  for (const Attribute& one : attributes)
    if (one.name == attribute)
      if (const auto* value = std::get_if<std::int64_t>(&one.value)) return *value;
  return std::nullopt;
}

std::string Node::text(std::string_view attribute) const {
  for (const Attribute& one : attributes) {
    if (one.name != attribute) continue;
    if (const auto* value = std::get_if<std::string>(&one.value)) return *value;
    if (const auto* value = std::get_if<std::int64_t>(&one.value)) return std::to_string(*value);
  }
  return "";
}

namespace {

// Field numbers of et_def.proto: wire_node.h.
ProtobufMessage message_of(const Attribute& attribute) {
  ProtobufMessage message;
  message.add_bytes(1, attribute.name);
  const auto* number = std::get_if<std::int64_t>(&attribute.value);
  if (number != nullptr && attribute.name == "is_cpu_op")  // some readers take no other type
    message.add_integer(27, *number != 0 ? 1 : 0);
  else if (number != nullptr)
    message.add_integer(9, *number);
  else if (const auto* real = std::get_if<double>(&attribute.value))
    message.add_double(3, *real);
  else
    message.add_bytes(29, std::get<std::string>(attribute.value));
  return message;
}

// Fields that are 0 or empty are left out, as protobuf does.
ProtobufMessage message_of(const Node& node) {
  ProtobufMessage message;
  const auto add = [&](std::uint32_t field, std::int64_t value) {
    if (value != 0) message.add_integer(field, value);
  };
  add(1, static_cast<std::int64_t>(node.id));
  if (!node.name.empty()) message.add_bytes(2, node.name);
  add(3, static_cast<std::int64_t>(node.type));
  message.add_integers(4, node.control_dependencies);
  message.add_integers(5, node.data_dependencies);
  add(7, node.duration.value / 1'000'000);
  for (const Attribute& attribute : node.attributes) message.add_message(10, message_of(attribute));
  return message;
}

}  // namespace

std::string trace_bytes(const std::vector<Node>& nodes) {
  std::string file;
  ProtobufMessage head;
  head.add_bytes(1, "1.0.0");
  head.append_delimited_to(file);
  for (const Node& node : nodes) message_of(node).append_delimited_to(file);
  return file;
}

void write_trace(const std::string& path, const std::vector<Node>& nodes) {
  std::ofstream file(path, std::ios::binary);
  file << trace_bytes(nodes);
  if (!file.flush()) throw IoError(fmt::format("cannot write {}", path));
}

}  // namespace orrery::chakra
