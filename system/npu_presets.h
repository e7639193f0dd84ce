// Devices by name: a100, h100, mi300x.
#pragma once

#include <span>
#include <string_view>

#include "core/units/units.h"

namespace orrery {

// Vendor figures for dense (not sparse) tensor operations and for device memory.
struct NpuPreset {
  std::string_view name;
  FlopRate peak;  // in 16-bit floating point
  Bandwidth memory_bandwidth;
  Bytes memory;
  FlopRate eight_bit_peak = {};  // in 8-bit floating point; 0 = it has none
  Bandwidth torus_link = {};     // of its links to neighbours, each way; 0 = it has none
};
std::span<const NpuPreset> npu_presets();
// Null if there is none.
const NpuPreset* find_npu_preset(std::string_view name);
// Of matrix products in 32-bit floating point, without the TF32 of tensor cores. 0 = no data sheet
// states it.
FlopRate single_precision_peak(std::string_view preset);

}  // namespace orrery
