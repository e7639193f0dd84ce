// One value of a declared column (simulation/columns.h), and how each form of a report shows it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/units/total.h"
#include "core/units/units.h"
#include "report/numbers.h"

namespace orrery {

// std::monostate: there is no value.
using Cell = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, Duration,
                          Bytes, TotalTime, TotalBytes, std::string, std::vector<std::int64_t>,
                          std::vector<std::string>, std::vector<std::vector<std::int64_t>>>;

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
Cell cell_of(const T& value) {
  if constexpr (IsOptional<T>::value) {
    return value ? cell_of(*value) : Cell();
  } else if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>) {
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    using Widest = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    return static_cast<Widest>(value);
  } else if constexpr (std::is_same_v<T, std::vector<std::int32_t>>) {
    return std::vector<std::int64_t>(value.begin(), value.end());
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(name_of(value));
  } else {
    return value;
  }
}

// The type of a column: a value of it, of which only the alternative counts.
template <class T>
Cell example_cell() {
  if constexpr (IsOptional<T>::value)
    return cell_of(typename T::value_type{});
  else
    return cell_of(T{});
}

std::string csv_text(const Cell& cell);  // "" if there is none
// Times in one unit for all, if there is one; shares as percentages. "" if there is none.
std::string table_text(const Cell& cell, const std::optional<TimeUnit>& unit);
nlohmann::ordered_json cell_json(const Cell& cell);
std::string unit_of(const Cell& example);  // "ps", "bytes" or ""
// `type`, and `unit` where there is one.
nlohmann::ordered_json cell_schema(const Cell& example, bool may_be_null);

}  // namespace orrery
