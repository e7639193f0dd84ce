// What the fluid and the queue backend can be told, as plain data. docs/models/fluid.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/units/share.h"
#include "core/units/units.h"

namespace orrery {

constexpr double value_of(Share share) {
  return static_cast<double>(share.part) / static_cast<double>(share.whole);
}

// How messages of TrafficClass::highest share a link with the others.
enum class ClassSharing : std::uint8_t {
  fair,      // like all others
  weighted,  // with a larger weight
  strict,    // the others get what they leave
};
std::string_view name_of(ClassSharing sharing);  // as written in YAML

// What part of the narrowest link's bandwidth a message of this size can use at most.
struct EfficiencyPoint {
  Bytes size;
  Share efficiency{1, 1};  // > 0
};

struct FluidSpec {
  Duration message_overhead = {};            // between send and the first byte, for every message
  std::optional<Bandwidth> flow_limit = {};  // of one message; > 0
  std::optional<Bytes> window = {};  // of one message: at most window / round-trip time; > 0
  // Linear between the points, the nearest one's outside; by rising size. Empty: 1 for all.
  std::vector<EfficiencyPoint> efficiency = {};
  ClassSharing highest = ClassSharing::fair;
  std::int32_t highest_weight = 4;  // under ClassSharing::weighted; 1 .. 1024
  // A message may end late by as long as this share of its size takes to carry, 0.1 % at most. 0:
  // exact.
  Share completion_tolerance{0, 100};
};

}  // namespace orrery
