// What a message carries of a model's tensors, as far as its sender says so: for transports that
// send some of them first, or may lose a part of them (docs/models/mlt.md). Six bytes.
#pragma once

#include <cstdint>
#include <limits>

namespace orrery {

// Where gradients go to be added up, or what became of them comes back. Anything else (activations,
// barriers, sums of four bytes) has to come whole.
enum class TensorWay : std::uint8_t { none, push, pull };

struct TensorPart {
  std::int16_t layer = -1;  // from the front, 0 to layers - 1; -1: of none in particular
  std::int16_t layers = 0;
  TensorWay way = TensorWay::none;
  std::uint8_t iteration = 0;  // of training; the last number stands for all later ones, too

  // Of a model with more layers than that many, neighbours share a number.
  static constexpr TensorPart of(std::int64_t layer, std::int64_t layers, TensorWay way) {
    constexpr std::int64_t most = std::numeric_limits<std::int16_t>::max();
    if (layers > most) {
      layer = layer * most / layers;
      layers = most;
    }
    return {static_cast<std::int16_t>(layer), static_cast<std::int16_t>(layers), way};
  }
  constexpr bool operator==(const TensorPart&) const = default;
};
static_assert(sizeof(TensorPart) == 6);

}  // namespace orrery
