#include "frontends/calibration/efficiency_file.h"

#include <fmt/format.h>

#include "core/base/share_text.h"
#include "core/units/unit_text.h"

namespace orrery {

std::string efficiency_keys_text(const EfficiencySpec& efficiency, const SoftwareKeys& software) {
  std::string text;
  const auto add = [&](const char* key, const std::string& value) {
    text += fmt::format("{}: {}\n", key, value);
  };
  add("matrix", share_text(efficiency.matrix));
  add("attention", share_text(efficiency.attention));
  add("memory", share_text(efficiency.memory));
  if (efficiency.spread.part > 0) add("spread", share_text(efficiency.spread));
  if (efficiency.launch > Duration{}) add("launch", exact_text(efficiency.launch));
  if (efficiency.issue > Duration{}) add("issue", exact_text(efficiency.issue));
  if (software.overlap_gradient_sums)
    add("overlap_gradient_sums", *software.overlap_gradient_sums ? "true" : "false");
  if (software.recompute_stops_early.value_or(false)) add("recompute_stops_early", "true");
  if (efficiency.products.empty()) return text;
  text += "products:\n";
  for (const TimedProduct& product : efficiency.products)
    text += fmt::format("  - {{rows: {}, columns: {}, depth: {}, time: {}}}\n", product.shape.rows,
                        product.shape.columns, product.shape.depth, exact_text(product.time));
  return text;
}

}  // namespace orrery
