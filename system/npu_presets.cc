#include "system/npu_presets.h"

#include <algorithm>

namespace orrery {

std::span<const NpuPreset> npu_presets() {
  // Data sheets say GB of memory and mean 2^30 bytes.
  constexpr Bytes gibibyte{std::int64_t{1} << 30};
  static constexpr NpuPreset presets[] = {
      // NVIDIA V100 data sheet (January 2020), V100 SXM2: deep learning 125 TFLOPS, 900 GB/s, the
      // larger of its two memories.
      {"v100", teraflops_per_second(125), gigabytes_per_second(900), gibibyte * 32},
      // NVIDIA A100 data sheet, A100 40GB SXM: FP16 tensor core 312 TFLOPS, 1,555 GB/s.
      {"a100", teraflops_per_second(312), gigabytes_per_second(1555), gibibyte * 40},
      {"a100-40gb", teraflops_per_second(312), gigabytes_per_second(1555), gibibyte * 40},
      // NVIDIA H100 data sheet, H100 SXM: FP16 tensor core 1,979 TFLOPS and FP8 3,958 with
      // sparsity, which is twice the dense 989 and 1,979; 3.35 TB/s.
      {"h100", teraflops_per_second(989), gigabytes_per_second(3350), gibibyte * 80,
       teraflops_per_second(1979)},
      // The same data sheet, H100 PCIe: 1,513 and 3,026 TFLOPS with sparsity, 2 TB/s.
      {"h100-pcie", teraflops_per_second(756), gigabytes_per_second(2000), gibibyte * 80,
       teraflops_per_second(1513)},
      // NVIDIA H200 data sheet, H200 SXM: the chip of the H100, 141 GB at 4.8 TB/s.
      {"h200", teraflops_per_second(989), gigabytes_per_second(4800), gibibyte * 141,
       teraflops_per_second(1979)},
      // NVIDIA DGX B200 data sheet, an eighth of it: 72 PFLOPS in FP8 with sparsity, 36 in FP16,
      // twice the dense ones; 1,440 GB at 64 TB/s.
      {"b200", teraflops_per_second(2250), gigabytes_per_second(8000), gibibyte * 180,
       teraflops_per_second(4500)},
      // NVIDIA GB200 NVL72 data sheet, half of a superchip: 10 PFLOPS in FP16 and 20 in FP8 with
      // sparsity, 372 GB at 16 TB/s.
      {"gb200", teraflops_per_second(2500), gigabytes_per_second(8000), gibibyte * 186,
       teraflops_per_second(5000)},
      // AMD Instinct MI300X data sheet: FP16 and BF16 1,307.4 TFLOPS, FP8 2,614.9, 192 GB at 5.3
      // TB/s.
      {"mi300x", teraflops_per_second(1307), gigabytes_per_second(5300), gibibyte * 192,
       teraflops_per_second(2614)},
      // N. Jouppi et al., "TPU v4", ISCA 2023, table 4: bf16 275 TFLOPS, 32 GiB at 1,200 GB/s; six
      // links of 50 GB/s.
      {"tpu-v4", teraflops_per_second(275), gigabytes_per_second(1200), gibibyte * 32, FlopRate{},
       gigabytes_per_second(50)},
      // Google Cloud, "TPU v5p": bf16 459 TFLOPS, 95 GB at 2,765 GB/s; 4,800 Gb/s between chips,
      // over six links in three dimensions.
      {"tpu-v5p", teraflops_per_second(459), gigabytes_per_second(2765), gibibyte * 95, FlopRate{},
       gigabytes_per_second(100)},
      // AWS Neuron documentation, "Trainium2 Architecture": BF16 667 TFLOPS, FP8 1,299, 96 GiB at
      // 2.9 TB/s.
      {"trn2", teraflops_per_second(667), gigabytes_per_second(2900), gibibyte * 96,
       teraflops_per_second(1299)},
  };
  return presets;
}

const NpuPreset* find_npu_preset(std::string_view name) {
  const auto presets = npu_presets();
  const auto found = std::ranges::find(presets, name, &NpuPreset::name);
  return found == presets.end() ? nullptr : &*found;
}

}  // namespace orrery
