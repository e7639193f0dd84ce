#include "system/measured_devices.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace orrery {

namespace {

constexpr std::array known_eras{
#define MEASURED_ERA(name, error, runs) Era{name, error, runs},
#include "system/measured_eras.def"
#undef MEASURED_ERA
};

// Runs of A100 are simulated with the bandwidth of 80 GB (tests/validation/training_rows.py).
// torchtitan's H100 (h100-2024-fsdp) has less power and memory bandwidth than the preset.
constexpr std::array measured_devices{
    MeasuredDevice{"v100", "V100", "v100-2020", ""},
    MeasuredDevice{"a100", "A100", "a100-2023", "", {"a100-40gb", "a100-80gb"}},
    MeasuredDevice{"h100", "H100", "h100-2025", "h100-2025-fp8"},
    MeasuredDevice{"gb200", "GB200", "gb200-2025", "gb200-2025-fp8"},
};

struct Relative {
  std::string_view device, measured;
};
// Of the same architecture (NVIDIA's names: Ampere, Hopper, Blackwell).
constexpr std::array relatives{
    Relative{"a100-40gb", "a100"}, Relative{"a100-80gb", "a100"}, Relative{"a800", "a100"},
    Relative{"a10", "a100"},       Relative{"a40", "a100"},       Relative{"rtx-a6000", "a100"},
    Relative{"h100-pcie", "h100"}, Relative{"h800", "h100"},      Relative{"h20", "h100"},
    Relative{"h200", "h100"},      Relative{"b200", "gb200"},     Relative{"b300", "gb200"},
    Relative{"gb300", "gb200"},
};

// Ada is two years younger than Ampere: it never ran the software of V100's measurement.
constexpr std::array successors{Relative{"l4", "a100"}, Relative{"l40s", "a100"},
                                Relative{"rtx-4090", "a100"}};

const MeasuredDevice* measured_by(std::string_view preset, std::span<const Relative> by) {
  const auto relative = std::ranges::find(by, preset, &Relative::device);
  const std::string_view name = relative == by.end() ? preset : relative->measured;
  const auto* found = std::ranges::find(measured_devices, name, &MeasuredDevice::preset);
  return found == measured_devices.end() ? nullptr : found;
}

// TPUs, Trainium and Gaudi have libraries of their own, of which nothing was measured.
constexpr std::array device_libraries{
    DeviceLibrary{"v100", "nccl-v100", "NCCL's own model of V100"},
    DeviceLibrary{"a100", "nccl-a100", ""},
    DeviceLibrary{"a100-40gb", "nccl-a100", ""},
    DeviceLibrary{"a100-80gb", "nccl-a100", ""},
    DeviceLibrary{"a800", "nccl-a100", "A800 is nearest to A100"},
    DeviceLibrary{"t4", "nccl-a100", "T4 is nearest to A100"},
    DeviceLibrary{"a10", "nccl-a100", "A10 is nearest to A100"},
    DeviceLibrary{"a40", "nccl-a100", "A40 is nearest to A100"},
    DeviceLibrary{"rtx-a6000", "nccl-a100", "RTX A6000 is nearest to A100"},
    DeviceLibrary{"l4", "nccl-a100", "L4 is nearest to A100"},
    DeviceLibrary{"l40s", "nccl-a100", "L40S is nearest to A100"},
    DeviceLibrary{"rtx-4090", "nccl-a100", "RTX 4090 is nearest to A100"},
    DeviceLibrary{"h100", "nccl-h100", ""},
    DeviceLibrary{"h100-pcie", "nccl-h100", "as on H100 SXM"},
    DeviceLibrary{"h800", "nccl-h100", "H800 is nearest to H100"},
    DeviceLibrary{"h20", "nccl-h100", "H20 is nearest to H100"},
    DeviceLibrary{"h200", "nccl-h100", "H200 has H100's NVLink"},
    DeviceLibrary{"b200", "nccl-b200", "NCCL's own model of B200"},
    DeviceLibrary{"gb200", "nccl-b200", "NCCL's own model of B200"},
    DeviceLibrary{"b300", "nccl-b200", "NCCL's own model of B200"},
    DeviceLibrary{"gb300", "nccl-b200", "NCCL's own model of B200"},
    DeviceLibrary{"mi250x-gcd", "nccl-a100", "RCCL as NCCL on A100"},
    DeviceLibrary{"mi300x", "nccl-h100", "RCCL as NCCL on H100"},
    DeviceLibrary{"mi325x", "nccl-h100", "RCCL as NCCL on H100"},
    DeviceLibrary{"mi355x", "nccl-h100", "RCCL as NCCL on H100"},
};

}  // namespace

std::span<const Era> eras() { return known_eras; }

bool is_device(const MeasuredDevice& measured, std::string_view preset) {
  const auto& same = measured.other_memories;
  return !preset.empty() &&
         (preset == measured.preset || std::ranges::find(same, preset) != same.end());
}

const MeasuredDevice* nearest_measured_device(std::string_view preset, FlopRate peak) {
  if (const MeasuredDevice* earlier = measured_by(preset, successors)) return earlier;
  constexpr double farthest = 4;
  const auto factor = [&](const MeasuredDevice& device) {
    const double measured = static_cast<double>(find_npu_preset(device.preset)->peak.value);
    return std::exp(std::abs(std::log(static_cast<double>(peak.value) / measured)));
  };
  const auto* nearest = std::ranges::min_element(measured_devices, {}, factor);
  return peak > FlopRate{} && factor(*nearest) <= farthest ? nearest : nullptr;
}

const MeasuredDevice* measured_device_of_generation(std::string_view preset) {
  return measured_by(preset, relatives);
}

const DeviceLibrary* find_device_library(std::string_view device) {
  const auto* found = std::ranges::find(device_libraries, device, &DeviceLibrary::device);
  return found == device_libraries.end() ? nullptr : found;
}

}  // namespace orrery
