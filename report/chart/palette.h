// What colours and hatching mean, in every chart. Readers who confuse colours tell the seven apart,
// and each is at least 3:1 against the white ground (tests/report/html_report_test.py).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

struct Paint {
  const char* colour;
  int hatching;  // 0: none; 1..3: lines in directions of their own, which tell marks in print
};

namespace palette {

inline constexpr const char* ground = "#ffffff";
inline constexpr const char* ink = "#1a1a1a";   // text, axes, marks of bounds and limits
inline constexpr const char* grid = "#d9d9d9";  // behind the data; says nothing of its own
inline constexpr const char* compute = "#0072b2";
inline constexpr const char* tensor = "#d55e00";
inline constexpr const char* reduction = "#aa4499";
inline constexpr const char* pipeline = "#008060";
inline constexpr const char* exchange = "#8c6d00";
inline constexpr const char* other = "#882255";
inline constexpr const char* idle = "#808080";

}  // namespace palette

// Of a part of an iteration: "compute", "forward", "TP", "all_reduce", "bubble", ...
Paint paint_of_part(std::string_view part);
// Of a kind of memory: "parameters", "gradients", ...
Paint paint_of_memory(std::string_view kind);
// Of the links of a level of the network, 0 the innermost.
const char* colour_of_network_level(std::size_t level);
// Amounts, in cell_levels steps from light to dark. The lightest is 3:1 against the ground too.
inline constexpr int cell_levels = 16;
const char* colour_of_level(int level);  // REQUIRES: 0 <= level, < cell_levels
// Of a share from 0 to 1.
const char* colour_of_share(double share);

}  // namespace orrery
