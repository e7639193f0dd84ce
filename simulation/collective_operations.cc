#include "simulation/collective_operations.h"

#include "core/base/check.h"

namespace orrery {

const CollectiveOperation* find_operation(std::string_view name) {
  for (const CollectiveOperation& operation : collective_operations) {
    if (operation.name == name) return &operation;
  }
  return nullptr;
}

std::vector<Collective> simulated_operations() {
  std::vector<Collective> kinds;
  for (int i = 0; i < collective_count; ++i) {
    const auto kind = static_cast<Collective>(i);
    if (find_operation(name_of(kind)) != nullptr) kinds.push_back(kind);
  }
  return kinds;
}

std::optional<Collective> find_simulated(std::string_view name) {
  for (const Collective kind : simulated_operations())
    if (name_of(kind) == name) return kind;
  return std::nullopt;
}

double algorithm_bandwidth(Bytes size, Duration time) {
  return static_cast<double>(size.value) * 1e3 / static_cast<double>(time.value);
}

double bus_bandwidth(std::string_view operation, std::int64_t ranks, Bytes size, Duration time) {
  const CollectiveOperation* found = find_operation(operation);
  CHECK(found != nullptr, "no bus bandwidth is defined for {}", operation);
  const double share = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  const double bandwidth = algorithm_bandwidth(size, time);
  switch (found->factor) {
    case BusFactor::one:
      break;
    case BusFactor::share:
      return bandwidth * share;
    case BusFactor::twice_share:
      return bandwidth * 2 * share;
  }
  return bandwidth;
}

double relative_error(Duration simulated, Duration measured) {
  return static_cast<double>(simulated.value - measured.value) /
         static_cast<double>(measured.value);
}

}  // namespace orrery
