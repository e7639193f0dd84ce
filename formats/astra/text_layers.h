// The layers of a text workload (text_workload.h), each a line of twelve columns; under
// HYBRID_CUSTOMIZED the policy of the layer is a thirteenth.
#pragma once

#include <cstddef>
#include <optional>

#include "formats/astra/text_lines.h"
#include "workload/layer_table.h"

namespace orrery::astra {

inline constexpr std::size_t kLayerColumns = 12;

// None if there are more or fewer columns. The groups of SimAI are those of hybrid_transformer.
std::optional<LayerSpec> read_layer(const Line& line, ParallelismPolicy policy,
                                    LineProblems& problems);

}  // namespace orrery::astra
