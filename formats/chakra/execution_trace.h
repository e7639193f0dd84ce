// Chakra execution traces (.et): what they are made of, and how they are written. They are read by
// trace_nodes.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/units/units.h"

namespace orrery::chakra {

enum class NodeType : std::uint8_t {
  invalid,
  metadata,
  memory_load,
  memory_store,
  compute,
  send,
  receive,
  collective
};
std::string_view name_of(NodeType type);

// Writers choose the type of a number freely; readers take any.
struct Attribute {
  std::string name;
  std::variant<std::int64_t, double, std::string> value;
};

// Of a node: nodes of PyTorch have up to twenty. In memory each takes many times its bytes.
inline constexpr std::size_t most_attributes = 4'096;

struct Node {
  std::uint64_t id = 0;  // unique in its file
  std::string name = {};
  NodeType type = NodeType::invalid;
  std::vector<std::uint64_t> control_dependencies = {}, data_dependencies = {};  // ids of any nodes
  Duration duration = {};  // whole microseconds on disk
  std::vector<Attribute> attributes = {};
  std::string inputs = {};  // the values of its inputs, as PyTorch writes them

  // Nothing if there is no such attribute, or it is no whole number.
  std::optional<std::int64_t> number(std::string_view attribute) const;
  // "" if there is none; a number as its digits.
  std::string text(std::string_view attribute) const;
};

// As format 1.0.0.
std::string trace_bytes(const std::vector<Node>& nodes);
// The same as a file. Throws IoError.
void write_trace(const std::string& path, const std::vector<Node>& nodes);

}  // namespace orrery::chakra
