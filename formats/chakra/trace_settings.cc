#include "formats/chakra/trace_settings.h"

namespace orrery::chakra {

std::string_view name_of(TraceLanes lanes) {
  switch (lanes) {
    case TraceLanes::automatic:
      return "auto";
    case TraceLanes::streams:
      return "streams";
    case TraceLanes::two:
      return "two";
    case TraceLanes::free:
      break;
  }
  return "free";
}

std::string_view name_of(TraceDurations durations) {
  switch (durations) {
    case TraceDurations::automatic:
      return "auto";
    case TraceDurations::recorded:
      return "recorded";
    case TraceDurations::roofline:
      break;
  }
  return "roofline";
}

std::string_view name_of(TraceCollectives collectives) {
  return collectives == TraceCollectives::simulated ? "simulated" : "recorded";
}

}  // namespace orrery::chakra
