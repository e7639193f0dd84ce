// What a node of a trace does, where, and what its work is called.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/chakra/execution_trace.h"

namespace orrery::chakra {

// Communication with is_cpu_op is what the host does to begin it.
enum class Role : std::uint8_t {
  structure,  // nothing: metadata
  host,
  processor,
  memory,
  send,
  receive,
  collective
};
inline constexpr std::size_t role_count = 7;
Role role_of(const Node& node);

// The stream of the processor or thread of the host that the node says it runs on.
struct StreamName {
  bool host = false;
  std::int64_t number = 0;
  auto operator<=>(const StreamName&) const = default;
};
std::optional<StreamName> stream_of(const Node& node, Role role);

// The name of a kernel without its arguments: a part of `name`, or words for one that has none.
std::string_view kernel_name(std::string_view name);

}  // namespace orrery::chakra
