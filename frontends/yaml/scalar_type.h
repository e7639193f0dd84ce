// What one YAML value can be: how its text becomes a C++ value, how that prints, and what an editor
// should know about it. The types are in word_types.h and scalar_types.h.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/from_text.h"
#include "core/units/units.h"

namespace orrery::yaml {

// For the JSON schema. With names, the value is one of them.
struct SchemaType {
  std::vector<std::string_view> json_types;
  std::vector<std::string_view> names = {};
  std::string_view pattern = {};
  bool is_part = false;         // a number is from 0 to 1
  std::string_view title = {};  // for people, where the JSON type says too little
};

// The longest time in a file. The clock ends at 106 days, and this leaves room for sums.
inline constexpr Duration longest_time = milliseconds(1'000'000'000);  // 11.6 days

// Inclusive, in the unit of the type (bytes, picoseconds, ...).
struct Limits {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
constexpr Limits at_least(std::int64_t least) { return {.least = least}; }
constexpr Limits between(std::int64_t least, std::int64_t most) { return {least, most}; }
inline constexpr Limits positive = at_least(1), not_negative = at_least(0), any_value = {};

// T of a value: parse(text), text(value), schema().
template <class T>
struct ScalarType;

}  // namespace orrery::yaml
