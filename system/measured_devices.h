// What was measured of devices, and which of it stands for a device that was not measured.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "core/units/units.h"
#include "system/npu_presets.h"

namespace orrery {

// A measured efficiency: platforms/efficiency/NAME.yaml.
struct Era {
  std::string_view name;
  double error;  // of iteration times: mean absolute error of the runs that were not fitted to
  int runs;      // as many of them
};
// Those of docs/validation.md, which has this table.
std::span<const Era> eras();

// A device that was measured, by its preset, and its newest era of 16 and of 8 bits ("" = none).
// `other_memories`: presets of the same device, measured too. Equal rates make no device another
// one: MI355X has those of GB200.
struct MeasuredDevice {
  std::string_view preset, name, era, eight_bit_era;
  std::array<std::string_view, 2> other_memories = {};
};
// Whether the preset is of that device; "" is of none.
bool is_device(const MeasuredDevice& measured, std::string_view preset);
// The one whose 16-bit peak differs from `peak` by the least factor. Null if all are too far: peaks
// grow by a factor of two to three with each generation, so a device further than a factor of four
// from all of them is of none of these generations. A preset of a generation between two is nearest
// to that of the earlier one, whatever its peak.
const MeasuredDevice* nearest_measured_device(std::string_view preset, FlopRate peak);
// The one of whose generation a preset is. Null if none is.
const MeasuredDevice* measured_device_of_generation(std::string_view preset);

// The library whose measured protocols (measured_protocols.h) a device has.
struct DeviceLibrary {
  std::string_view device;  // a preset, or the first word of an efficiency's name
  std::string_view library;
  std::string_view because;  // "" = measured on this device
};
// Null if nothing was measured of its library.
const DeviceLibrary* find_device_library(std::string_view device);

}  // namespace orrery
