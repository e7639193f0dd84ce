#include "formats/chakra/trace_names.h"

#include <functional>

namespace orrery::chakra {

std::int32_t TraceNames::kernel(std::string_view name) {
  const std::size_t mark = std::hash<std::string_view>()(name) % marks_.size();
  if (marks_[mark]) {
    const auto known = number_of_.find(name);
    if (known != number_of_.end()) return known->second;
  }
  if (kernels_.size() == most_kernels) return no_kernel;
  marks_[mark] = true;
  const auto number = static_cast<std::int32_t>(kernels_.size());
  kernels_.push_back({std::string(name), {}});
  number_of_.emplace(kernels_.back().name, number);
  return number;
}

void TraceNames::add(std::span<const Duration> recorded) {
  for (std::size_t kernel = 0; kernel < recorded.size(); ++kernel)
    kernels_[kernel].recorded += recorded[kernel];
}

std::int32_t TraceNames::stream(const StreamName& name) {
  return streams_.try_emplace(name, static_cast<std::int32_t>(streams_.size())).first->second;
}

}  // namespace orrery::chakra
