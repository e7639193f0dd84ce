#include "system/npu_presets.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace orrery {

namespace {

constexpr FlopRate gigaflops(std::int64_t n) { return FlopRate{1'000'000'000} * n; }

// Data sheets say GB of memory and mean 2^30 bytes.
constexpr Bytes gibibyte{std::int64_t{1} << 30};
constexpr NpuPreset presets[] = {
    // NVIDIA V100 data sheet (January 2020), V100 SXM2: deep learning 125 TFLOPS, 900 GB/s, the
    // larger of its two memories.
    {"v100", teraflops_per_second(125), gigabytes_per_second(900), gibibyte * 32},
    // NVIDIA A100 data sheet, A100 40GB SXM: FP16 tensor core 312 TFLOPS, 1,555 GB/s.
    {"a100", teraflops_per_second(312), gigabytes_per_second(1555), gibibyte * 40},
    {"a100-40gb", teraflops_per_second(312), gigabytes_per_second(1555), gibibyte * 40},
    // The same data sheet, A100 80GB SXM: 2,039 GB/s.
    {"a100-80gb", teraflops_per_second(312), gigabytes_per_second(2039), gibibyte * 80},
    // A100 80GB SXM with an NVLink of 400 GB/s.
    {"a800", teraflops_per_second(312), gigabytes_per_second(2039), gibibyte * 80},
    // NVIDIA T4 data sheet: mixed precision 65 TFLOPS, 16 GB at 300 GB/s.
    {"t4", teraflops_per_second(65), gigabytes_per_second(300), gibibyte * 16},
    // NVIDIA A10 and A40 data sheets: FP16 tensor core 125 and 149.7 TFLOPS, 24 and 48 GB at 600
    // and 696 GB/s.
    {"a10", teraflops_per_second(125), gigabytes_per_second(600), gibibyte * 24},
    {"a40", gigaflops(149'700), gigabytes_per_second(696), gibibyte * 48},
    // NVIDIA RTX A6000 data sheet: 309.7 TFLOPS with sparsity, twice the dense; 48 GB at 768
    // GB/s.
    {"rtx-a6000", gigaflops(154'850), gigabytes_per_second(768), gibibyte * 48},
    // NVIDIA L4 data sheet: FP16 tensor core 242 TFLOPS and FP8 485 with sparsity, twice the
    // dense; 24 GB at 300 GB/s.
    {"l4", teraflops_per_second(121), gigabytes_per_second(300), gibibyte * 24, gigaflops(242'500)},
    // NVIDIA L40S data sheet: FP16 tensor core 362.05 TFLOPS, FP8 733, 48 GB at 864 GB/s.
    {"l40s", gigaflops(362'050), gigabytes_per_second(864), gibibyte * 48,
     teraflops_per_second(733)},
    // NVIDIA Ada GPU architecture (white paper), GeForce RTX 4090: FP16 and FP8 tensor with FP32
    // accumulation 165.2 and 330.3 TFLOPS, 24 GB at 1,008 GB/s.
    {"rtx-4090", gigaflops(165'200), gigabytes_per_second(1008), gibibyte * 24, gigaflops(330'300)},
    // NVIDIA H100 data sheet, H100 SXM: FP16 tensor core 1,979 TFLOPS and FP8 3,958 with
    // sparsity, which is twice the dense 989 and 1,979; 3.35 TB/s.
    {"h100", teraflops_per_second(989), gigabytes_per_second(3350), gibibyte * 80,
     teraflops_per_second(1979)},
    // The same data sheet, H100 PCIe: 1,513 and 3,026 TFLOPS with sparsity, 2 TB/s.
    {"h100-pcie", teraflops_per_second(756), gigabytes_per_second(2000), gibibyte * 80,
     teraflops_per_second(1513)},
    // H100 SXM with an NVLink of 400 GB/s.
    {"h800", teraflops_per_second(989), gigabytes_per_second(3350), gibibyte * 80,
     teraflops_per_second(1979)},
    // NVIDIA H20: BF16 148 TFLOPS, FP8 296, 96 GB at 4 TB/s, as sellers list it.
    {"h20", teraflops_per_second(148), gigabytes_per_second(4000), gibibyte * 96,
     teraflops_per_second(296)},
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
    // NVIDIA DGX B300 data sheet, an eighth of it: the FP16 and FP8 rates of the B200, 2.3 TB.
    {"b300", teraflops_per_second(2250), gigabytes_per_second(8000), gibibyte * 288,
     teraflops_per_second(4500)},
    // NVIDIA GB300 NVL72 data sheet, a 72nd: the FP16 and FP8 rates of the GB200, 20 TB at
    // 576 TB/s.
    {"gb300", teraflops_per_second(2500), gigabytes_per_second(8000), gibibyte * 288,
     teraflops_per_second(5000)},
    // AMD Instinct MI300X data sheet: FP16 and BF16 1,307.4 TFLOPS, FP8 2,614.9, 192 GB at
    // 5.3 TB/s.
    {"mi300x", teraflops_per_second(1307), gigabytes_per_second(5300), gibibyte * 192,
     teraflops_per_second(2614)},
    // AMD Instinct MI250X data sheet, half of it: a module is two devices. FP16 383 TFLOPS,
    // 128 GB at 3.2 TB/s.
    {"mi250x-gcd", gigaflops(191'500), gigabytes_per_second(1600), gibibyte * 64},
    // AMD Instinct MI325X data sheet: the rates of the MI300X, 256 GB at 6 TB/s.
    {"mi325x", teraflops_per_second(1307), gigabytes_per_second(6000), gibibyte * 256,
     teraflops_per_second(2614)},
    // AMD Instinct MI355X data sheet: FP16 2.5 PFLOPS, FP8 5, 288 GB at 8 TB/s.
    {"mi355x", teraflops_per_second(2500), gigabytes_per_second(8000), gibibyte * 288,
     teraflops_per_second(5000)},
    // Intel Gaudi 2 and Gaudi 3: BF16 432 and 1,835 TFLOPS, FP8 865 and 1,835, 96 and 128 GB at
    // 2.45 and 3.7 TB/s.
    {"gaudi2", teraflops_per_second(432), gigabytes_per_second(2450), gibibyte * 96,
     teraflops_per_second(865)},
    {"gaudi3", teraflops_per_second(1835), gigabytes_per_second(3700), gibibyte * 128,
     teraflops_per_second(1835)},
    // N. Jouppi et al., "TPU v4", ISCA 2023, table 4: bf16 275 TFLOPS, 32 GiB at 1,200 GB/s; six
    // links of 50 GB/s.
    {"tpu-v4", teraflops_per_second(275), gigabytes_per_second(1200), gibibyte * 32, FlopRate{},
     gigabytes_per_second(50)},
    // Google Cloud, "TPU v5p": bf16 459 TFLOPS, 95 GB at 2,765 GB/s; 4,800 Gb/s between chips,
    // over six links in three dimensions.
    {"tpu-v5p", teraflops_per_second(459), gigabytes_per_second(2765), gibibyte * 95, FlopRate{},
     gigabytes_per_second(100)},
    // Google Cloud, "TPU v5e" and "TPU v6e": bf16 197 and 918 TFLOPS, 16 and 32 GB at 819 and
    // 1,638 GB/s; between chips 400 and 800 GB/s in both directions together, over four links in
    // two dimensions.
    {"tpu-v5e", teraflops_per_second(197), gigabytes_per_second(819), gibibyte * 16, FlopRate{},
     gigabytes_per_second(50)},
    {"tpu-v6e", teraflops_per_second(918), gigabytes_per_second(1638), gibibyte * 32, FlopRate{},
     gigabytes_per_second(100)},
    // AWS Neuron documentation, "Trainium Architecture": BF16 and FP8 190 TFLOPS, 32 GiB at 820
    // GB/s.
    {"trn1", teraflops_per_second(190), gigabytes_per_second(820), gibibyte * 32,
     teraflops_per_second(190)},
    // AWS Neuron documentation, "Trainium2 Architecture": BF16 667 TFLOPS, FP8 1,299, 96 GiB at
    // 2.9 TB/s.
    {"trn2", teraflops_per_second(667), gigabytes_per_second(2900), gibibyte * 96,
     teraflops_per_second(1299)},
};

// The same data sheets: FP32 of NVIDIA, where CUDA cores do it; FP32 matrix of AMD; the tensor
// engines' of AWS. H20 by sellers' lists; GB200 and B200 by the table of both in the HGX B200 data
// sheet.
struct SinglePeak {
  std::string_view name;
  FlopRate peak;
};
constexpr SinglePeak single_peaks[] = {
    {"v100", gigaflops(15'700)},       {"a100", gigaflops(19'500)},
    {"a100-40gb", gigaflops(19'500)},  {"a100-80gb", gigaflops(19'500)},
    {"a800", gigaflops(19'500)},       {"t4", gigaflops(8'100)},
    {"a10", gigaflops(31'200)},        {"a40", gigaflops(37'400)},
    {"rtx-a6000", gigaflops(38'700)},  {"l4", gigaflops(30'300)},
    {"l40s", gigaflops(91'600)},       {"rtx-4090", gigaflops(82'600)},
    {"h100", gigaflops(67'000)},       {"h100-pcie", gigaflops(51'000)},
    {"h800", gigaflops(67'000)},       {"h20", gigaflops(44'000)},
    {"h200", gigaflops(67'000)},       {"b200", gigaflops(75'000)},
    {"gb200", gigaflops(80'000)},      {"b300", gigaflops(75'000)},
    {"gb300", gigaflops(80'000)},      {"mi300x", gigaflops(163'400)},
    {"mi325x", gigaflops(163'400)},    {"mi355x", gigaflops(157'300)},
    {"mi250x-gcd", gigaflops(47'900)}, {"trn1", gigaflops(47'500)},
    {"trn2", gigaflops(181'000)},
};

}  // namespace

std::span<const NpuPreset> npu_presets() { return presets; }

const NpuPreset* find_npu_preset(std::string_view name) {
  const auto presets = npu_presets();
  const auto found = std::ranges::find(presets, name, &NpuPreset::name);
  return found == presets.end() ? nullptr : &*found;
}

FlopRate single_precision_peak(std::string_view preset) {
  const auto* found = std::ranges::find(single_peaks, preset, &SinglePeak::name);
  return found == std::end(single_peaks) ? FlopRate{} : found->peak;
}

}  // namespace orrery
