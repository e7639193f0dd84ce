// The first line of a text workload (text_workload.h): the policy, and what it takes.
#pragma once

#include <cstdint>
#include <optional>

#include "formats/astra/text_lines.h"
#include "workload/layer_table.h"

namespace orrery::astra {

struct PolicyLine {
  ParallelismPolicy policy = LayerTable{}.policy;
  std::optional<std::int64_t> last_bottom_layer;
  TransformerGroups groups;
};

PolicyLine read_policy(const Line& line, LineProblems& problems);

}  // namespace orrery::astra
