// The nodes of one file as a picture for Graphviz: who waits for whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "formats/chakra/rank_trace.h"

namespace orrery::chakra {

struct DotOptions {
  std::optional<std::uint64_t> around = {};  // the id of a node; none = all nodes
  std::int32_t steps = 2;                    // dependencies between it and what is shown
  std::size_t most = 300;                    // nodes: what is near goes first
};

// Edges lead from a node to one that waits for it: data dependencies drawn through, control
// dependencies dashed. Throws ConfigError if there is no such node, or there are more than `most`
// and none is named.
std::string dot_text(const RankTrace& trace, const DotOptions& options);

}  // namespace orrery::chakra
