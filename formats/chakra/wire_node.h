// A node of a trace from its bytes. Protobuf's own parser takes several times as long, and most of
// the time of reading a trace; that of the metadata and all writing are protobuf's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/chakra/execution_trace.h"

namespace orrery::chakra {

struct WireNode {
  Node node;  // without its duration, which may be beyond the clock
  std::uint64_t duration_us = 0;
};

// Nothing if the bytes are damaged. As protobuf does it: fields that are not known, or of another
// wire type, are skipped, the last of several counts, and lists may be packed or not.
std::optional<WireNode> wire_node(std::string_view bytes);

}  // namespace orrery::chakra
