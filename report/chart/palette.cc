#include "report/chart/palette.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace orrery {

namespace {

using Row = std::pair<std::string_view, Paint>;

// The first whose text the name begins with.
constexpr std::array parts{
    Row{"compute", {palette::compute, 0}},
    Row{"forward", {palette::compute, 0}},
    Row{"backward", {palette::compute, 1}},
    Row{"optimizer", {palette::compute, 2}},
    Row{"memory-bound", {palette::compute, 3}},
    Row{"recompute", {palette::compute, 3}},
    Row{"TP", {palette::tensor, 0}},
    Row{"CP", {palette::tensor, 1}},
    Row{"DP", {palette::reduction, 0}},
    Row{"all_reduce", {palette::reduction, 0}},
    Row{"reduce", {palette::reduction, 1}},
    Row{"all_gather", {palette::reduction, 2}},
    Row{"PP", {palette::pipeline, 0}},
    Row{"send", {palette::pipeline, 0}},
    Row{"receive", {palette::pipeline, 0}},
    Row{"bubble", {palette::idle, 1}},
    Row{"EP", {palette::exchange, 0}},
    Row{"all_to_all", {palette::exchange, 0}},
    Row{"idle", {palette::idle, 0}},
};

constexpr std::array memory{
    Row{"parameters", {palette::compute, 0}},   Row{"gradients", {palette::reduction, 1}},
    Row{"optimizer", {palette::exchange, 2}},   Row{"buffers", {palette::tensor, 3}},
    Row{"activations", {palette::pipeline, 0}}, Row{"again", {palette::pipeline, 1}},
    Row{"loss", {palette::pipeline, 2}},
};

template <class Rows>
Paint found(const Rows& rows, std::string_view name) {
  for (const auto& [beginning, paint] : rows)
    if (name.starts_with(beginning)) return paint;
  return {palette::other, 0};
}

}  // namespace

Paint paint_of_part(std::string_view part) {
  // "all_to_all backward" beside "all_to_all forward".
  Paint paint = found(parts, part);
  if (part.ends_with(" backward")) paint.hatching = 1;
  return paint;
}

Paint paint_of_memory(std::string_view kind) { return found(memory, kind); }

const char* colour_of_network_level(std::size_t level) {
  constexpr std::array colours{palette::compute,   palette::tensor,   palette::pipeline,
                               palette::reduction, palette::exchange, palette::other,
                               palette::idle};
  return colours[std::min(level, colours.size() - 1)];
}

const char* colour_of_level(int level) {
  static const std::array<std::string, cell_levels> colours = [] {
    constexpr std::array light{40, 155, 170}, dark{20, 10, 80};
    std::array<std::string, cell_levels> mixed;
    for (int at = 0; at < cell_levels; ++at) {
      const auto part = [&](std::size_t i) {
        return light[i] + (dark[i] - light[i]) * at / (cell_levels - 1);
      };
      mixed[static_cast<std::size_t>(at)] =
          fmt::format("#{:02x}{:02x}{:02x}", part(0), part(1), part(2));
    }
    return mixed;
  }();
  return colours[static_cast<std::size_t>(level)].c_str();
}

const char* colour_of_share(double share) {
  return colour_of_level(
      std::clamp(static_cast<int>(std::floor(share * cell_levels)), 0, cell_levels - 1));
}

}  // namespace orrery
