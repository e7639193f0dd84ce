// The keys of `platform.npu.efficiency`, and of the files in platforms/efficiency. Keys is Reader
// or SchemaWriter.
#pragma once

#include <cstddef>
#include <string>

#include "frontends/yaml/reader.h"
#include "system/compute/roofline.h"

namespace orrery::yaml {

// Shares of at least a hundredth.
void check_efficiency(Reader& keys, const EfficiencySpec& efficiency);

template <class Keys>
void describe_efficiency(Keys& keys, EfficiencySpec& efficiency, std::string& description) {
  std::string preset;
  keys.optional("preset", preset,
                "one of `orrery list presets`, a device with the software of its time, which gives "
                "the other values");
  keys.optional("description", description, "a sentence for `orrery list presets`");
  keys.optional("matrix", efficiency.matrix,
                "share of the peak that a large matrix product reaches, and what else computes");
  keys.optional("attention", efficiency.attention,
                "share of the peak that a large attention kernel (flash attention) reaches");
  keys.optional("memory", efficiency.memory,
                "share of the memory bandwidth that a large kernel reaches");
  keys.optional("launch", efficiency.launch, "before each operation, while the device does nothing",
                not_negative);
  keys.optional("issue", efficiency.issue,
                "what the host takes for an operation: the device is not faster than that",
                not_negative);
  keys.optional_items("products", efficiency.products, "matrix products that were timed",
                      [](auto& product, TimedProduct& timed, std::size_t) {
                        product.required("rows", timed.shape.rows,
                                         "of the first matrix and the result", positive);
                        product.required("columns", timed.shape.columns,
                                         "of the second matrix and the result", positive);
                        product.required("depth", timed.shape.depth,
                                         "columns of the first, rows of the second", positive);
                        product.required("time", timed.time, "that the product takes", positive);
                      });
  keys.check([&](Reader& reader) { check_efficiency(reader, efficiency); });
}

}  // namespace orrery::yaml
