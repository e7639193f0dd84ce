// What enumerators are called in YAML, reports and messages.
#include "system/job.h"
#include "system/system_spec.h"

namespace orrery {

std::string_view name_of(SchedulingPolicy policy) {
  switch (policy) {
    case SchedulingPolicy::lifo:
      return "lifo";
    case SchedulingPolicy::fifo:
      return "fifo";
    case SchedulingPolicy::priority:
      return "priority";
    case SchedulingPolicy::shortest_first:
      return "shortest_first";
  }
  return "?";
}

std::string_view name_of(HierarchicalSchedule schedule) {
  switch (schedule) {
    case HierarchicalSchedule::baseline:
      return "baseline";
    case HierarchicalSchedule::local_bandwidth_aware:
      return "local_bandwidth_aware";
    case HierarchicalSchedule::flat:
      return "flat";
    case HierarchicalSchedule::torus:
      return "torus";
    case HierarchicalSchedule::themis:
      return "themis";
    case HierarchicalSchedule::across_first:
      return "across_first";
  }
  return "?";
}

std::string_view name_of(Protocol protocol) {
  switch (protocol) {
    case Protocol::none:
      return "none";
    case Protocol::simple:
      return "simple";
    case Protocol::ll:
      return "ll";
    case Protocol::ll128:
      return "ll128";
    case Protocol::nvls:
      return "nvls";
    case Protocol::automatic:
      return "auto";
  }
  return "?";
}

std::string_view name_of_detail(std::uint8_t detail) {
  if (detail == kDetailSend) return "send";
  if (detail == kDetailReceive) return "receive";
  if (detail == kDetailCompute) return "compute";
  return name_of(static_cast<Collective>(detail));
}

std::string_view name_of(Pass pass) {
  switch (pass) {
    case Pass::none:
      return "none";
    case Pass::forward:
      return "forward";
    case Pass::input_gradient:
      return "input_gradient";
    case Pass::weight_gradient:
      return "weight_gradient";
  }
  return "?";
}

}  // namespace orrery
