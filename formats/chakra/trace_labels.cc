#include "formats/chakra/trace_labels.h"

#include <algorithm>
#include <utility>

namespace orrery::chakra {

TraceLabels::TraceLabels(const std::map<std::string, Duration>& kernels) {
  constexpr std::size_t kRows = 20;
  std::vector<std::pair<std::string, Duration>> longest(kernels.begin(), kernels.end());
  std::ranges::stable_sort(longest, std::ranges::greater{},
                           &std::pair<std::string, Duration>::second);
  for (std::size_t i = 0; i < longest.size(); ++i) {
    const std::string& name = longest[i].first;
    row_of_kernel_[name] = i < kRows ? name : "other kernels";
    if (i < kRows) of(name);
  }
}

std::int32_t TraceLabels::of_kernel(const std::string& name) { return of(row_of_kernel_.at(name)); }

std::int32_t TraceLabels::of(const std::string& name, const std::string& traffic) {
  const auto next = static_cast<std::int32_t>(labels_.size());
  const auto [found, is_new] = index_of_.try_emplace(name, next);
  if (is_new) labels_.push_back({name, 0, Pass::none, traffic});
  return found->second;
}

}  // namespace orrery::chakra
