#include "workload/workload_spec.h"

namespace orrery {

std::string_view name_of(Recompute recompute) {
  switch (recompute) {
    case Recompute::none:
      return "none";
    case Recompute::selective:
      return "selective";
    case Recompute::full:
      return "full";
  }
  return "?";
}

std::string_view name_of(Optimizer optimizer) {
  return optimizer == Optimizer::replicated ? "replicated" : "distributed";
}

std::string_view name_of(RankOrder order) {
  return order == RankOrder::tensor_data_pipeline ? "tp-dp-pp" : "tp-pp-dp";
}

}  // namespace orrery
