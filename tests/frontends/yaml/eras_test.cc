// Which measured efficiency holds where a file names none, and what is known of it.
#include "frontends/yaml/eras.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "frontends/yaml/bundled_platforms.h"
#include "frontends/yaml/load_experiment.h"
#include "report/backend_text.h"
#include "system/measured_devices.h"
#include "system/npu_presets.h"
#include "tests/paths.h"

using namespace orrery;

namespace {

const std::string transformer = "transformer: {preset: llama2-7b}, training: {global_batch: 8}";
const std::string eight_bits =
    "transformer: {preset: llama2-7b, eight_bit_products: true}, training: {global_batch: 8}";
const std::string network = "layers: {preset: resnet-50}, data_parallel: {batch: 64}";

Experiment loaded(const std::string& device, const std::string& workload = transformer,
                  const std::vector<Override>& options = {}) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_eras_test." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform: {npu: " << device
                      << ", topology: {levels: [{kind: switch, size: 8, bandwidth: 100 GB/s, "
                         "latency: 1 us}]}}\nworkload: {"
                      << workload << "}\n";
  Experiment experiment = load_experiment(file, options);
  std::filesystem::remove(file);
  return experiment;
}

NpuSpec npu(const std::string& device, const std::string& workload = transformer) {
  return loaded(device, workload).npu;
}

std::string text(const std::string& device, const std::string& workload = transformer) {
  return efficiency_text(npu(device, workload).efficiency_in_force);
}

// "h100-2025 (mean error 6.1 % over 24 runs)", of what docs/validation.md has.
std::string measured(std::string_view name) {
  const Era& era = *std::ranges::find(eras(), name, &Era::name);
  return fmt::format("{} (mean error {:.1f} % over {} runs)", name, era.error * 100, era.runs);
}

}  // namespace

// docs/validation.md is written by tests/validation/training_test.py.
TEST_CASE("the errors of eras are those of docs/validation.md") {
  std::ifstream page(source_folder() + "/docs/validation.md");
  std::stringstream document;
  document << page.rdbuf();
  std::string table = "| era | mean absolute error | runs |\n|---|---:|---:|\n";
  for (const Era& era : eras())
    table += fmt::format("| {} | {:.1f}% | {} |\n", era.name, era.error * 100, era.runs);
  CHECK_THAT(document.str(), Catch::Contains("\n" + table + "\n"));
  std::string names;
  for (const yaml::BundledFile& file : yaml::bundled_efficiencies()) names += file.name + ' ';
  std::string known;
  for (const Era& era : eras()) known += std::string(era.name) + ' ';
  CHECK(names == known);
}

TEST_CASE("a transformer has the newest efficiency that was measured on its device") {
  const NpuSpec h100 = npu("{preset: h100}");
  CHECK(h100.efficiency.matrix == Share{656, 1000});
  CHECK(h100.efficiency_in_force.name == "h100-2025");
  CHECK(efficiency_text(h100.efficiency_in_force) ==
        measured("h100-2025") + ", the newest measured on H100");
  CHECK(npu("{preset: v100}").efficiency_in_force.name == "v100-2020");
  CHECK(npu("{preset: a100-40gb}").efficiency_in_force.because == "the newest measured on A100");
  CHECK(npu("{preset: a100-80gb}").efficiency_in_force.because == "the newest measured on A100");
  // More memory than in the data sheet is still an A100.
  CHECK(npu("{preset: a100, memory: 80 GiB}").efficiency_in_force.name == "a100-2023");
}

// The generation goes before the peak: H20's 148 TFLOP/s are nearest to V100's 125, but it is a
// Hopper. Else by the factor between peaks: 459 TFLOP/s are 1.47 times A100's 312 and 1/2.15 of
// H100's 989, 667 are 1/1.48 of it.
TEST_CASE("a device that was not measured has the efficiency of the nearest, which is said") {
  const auto because = [](const std::string& device) {
    return npu(device).efficiency_in_force.because;
  };
  CHECK(because("{preset: h200}") == "ASSUMED: h200 is of H100's generation");
  CHECK(because("{preset: h100-pcie}") == "ASSUMED: h100-pcie is of H100's generation");
  CHECK(because("{preset: b200}") == "ASSUMED: b200 is of GB200's generation");
  CHECK(because("{preset: h20}") == "ASSUMED: h20 is of H100's generation");
  CHECK(because("{preset: mi300x}") == "ASSUMED: mi300x is nearest to H100");
  // 165 TFLOP/s are nearer to V100's 125 than to A100's 312, but the library is taken as A100's
  // too.
  CHECK(because("{preset: rtx-4090}") == "ASSUMED: rtx-4090 is nearest to A100");
  CHECK(because("{preset: tpu-v4}") == "ASSUMED: tpu-v4 is nearest to A100");
  CHECK(because("{preset: tpu-v5p}") == "ASSUMED: tpu-v5p is nearest to A100");
  CHECK(because("{preset: trn2}") == "ASSUMED: trn2 is nearest to H100");
  // A mean error belongs to what was measured.
  CHECK_THAT(
      text("{peak: 400 TFLOP/s}"),
      Catch::StartsWith("a100-2023, ASSUMED: the peak is nearest to A100's; error unknown (") &&
          Catch::EndsWith(" % where measured)"));
  CHECK(npu("{preset: h200}").efficiency_in_force.of_another_device);
  CHECK(npu("{peak: 400 TFLOP/s}").efficiency_in_force.of_another_device);
  CHECK_FALSE(npu("{preset: a100-40gb}").efficiency_in_force.of_another_device);
  CHECK_FALSE(npu("{preset: a100-80gb}").efficiency_in_force.of_another_device);
  CHECK(npu("{preset: a800}").efficiency_in_force.of_another_device);
  for (const NpuPreset& device : npu_presets()) {
    INFO(device.name);
    CHECK(text(fmt::format("{{preset: {}}}", device.name)) != "");
  }
}

// MI355X and GB300 have the very rates of GB200 (2,500 TFLOP/s, 8 TB/s) and H800 those of H100, but
// all rows of docs/validation.md ran on GB200 and H100.
TEST_CASE("a device is not the measured one because its data sheet has the same rates") {
  const auto in_force = [](const std::string& preset) {
    return npu("{preset: " + preset + "}").efficiency_in_force;
  };
  CHECK(in_force("mi355x").because == "ASSUMED: mi355x is nearest to GB200");
  CHECK(in_force("gb300").because == "ASSUMED: gb300 is of GB200's generation");
  CHECK(in_force("h800").because == "ASSUMED: h800 is of H100's generation");
  for (const char* preset : {"mi355x", "gb300", "h800"}) CHECK(in_force(preset).of_another_device);
  CHECK_FALSE(in_force("gb200").of_another_device);
}

// In 8 bits the H100 has twice the peak, of which it reaches another share.
TEST_CASE("a transformer in 8 bits has the peak and the efficiency of 8 bits") {
  const NpuSpec chosen = npu("{preset: h100}", eight_bits);
  CHECK(chosen.peak == teraflops_per_second(1979));
  CHECK(chosen.efficiency_in_force.name == "h100-2025-fp8");
  CHECK(chosen.efficiency.matrix == Share{585, 1000});
  CHECK(npu("{preset: h100, efficiency: none}", eight_bits).peak == teraflops_per_second(1979));
  const NpuSpec unnamed = npu("{peak: 1979 TFLOP/s}", eight_bits);
  CHECK(unnamed.peak == teraflops_per_second(1979));
  CHECK(unnamed.efficiency_in_force.name == "h100-2025-fp8");
}

// V100, A100 and TPU v4 multiply no 8-bit floating point. Who states the peak of 8-bit integers,
// twice the 312 TFLOP/s of an A100, has half of it in 16 bits.
TEST_CASE("a transformer in 8 bits is refused on a device without such a unit") {
  for (const char* device : {"v100", "a100", "tpu-v4"})
    CHECK_THROWS_WITH(npu(fmt::format("{{preset: {}}}", device), eight_bits),
                      Catch::Contains(fmt::format("{} has no unit for 8-bit", device)) &&
                          Catch::Contains("workload.transformer.eight_bit_products") &&
                          Catch::Contains("floating point: leave eight_bit_products out\n"));
  const NpuSpec integers = npu("{preset: a100, peak: 624 TFLOP/s}", eight_bits);
  CHECK(integers.peak == teraflops_per_second(624));
  CHECK(integers.efficiency_in_force.name == "a100-2023");
}

// 15.7 TFLOP/s of V100 are an eighth of its 125 in 16 bits. TPUs have no such unit, and nothing
// says how fast they are.
TEST_CASE("a transformer in single precision has the peak of single precision") {
  const auto in = [](const std::string& type) {
    return "transformer: {preset: llama2-7b, data_type: " + type + "}, training: {global_batch: 8}";
  };
  const NpuSpec v100 = npu("{preset: v100}", in("fp32"));
  CHECK(v100.peak == FlopRate{15'700'000'000'000});
  CHECK(v100.efficiency_in_force.because == "ASSUMED: measured in 16 bits");
  CHECK(v100.efficiency_in_force.of_another_device);
  CHECK(npu("{preset: v100}", in("fp16")).peak == teraflops_per_second(125));
  CHECK(npu("{preset: a100, peak: 156 TFLOP/s}", in("fp32")).peak == teraflops_per_second(156));
  CHECK(npu("{peak: 100 TFLOP/s}", in("fp32")).peak == teraflops_per_second(100));
  CHECK_THROWS_WITH(npu("{preset: tpu-v4}", in("fp32")),
                    Catch::Contains("workload.transformer.data_type: the rate of tpu-v4 is that of "
                                    "16 bits: write platform.npu.peak"));
}

// gb200-2025-fp8 was fitted to a run of 128 NPUs, and the other run (0.06 % off) is the same one of
// 256: nothing is known of other models.
TEST_CASE("a fit of one run is not said to have the error of that run at another size") {
  CHECK(text("{preset: b200}", eight_bits) ==
        "gb200-2025-fp8, ASSUMED: b200 is of GB200's generation; error unknown");
  EfficiencyInForce alone = npu("{preset: b200}", eight_bits).efficiency_in_force;
  alone.because = "";
  CHECK(efficiency_text(alone) == "gb200-2025-fp8; error unknown");
}

TEST_CASE("other models have what transformers reached, which is said") {
  CHECK(npu("{preset: a100}", network).efficiency.matrix == Share{681, 1000});
  CHECK(npu("{preset: a100}", network).efficiency_in_force.because ==
        "ASSUMED: measured on transformers");
  CHECK(npu("{preset: h200}", network).efficiency_in_force.because ==
        "ASSUMED: measured on transformers, on H100");
  // A peak of the file's own is no data sheet's.
  const NpuSpec own = npu("{preset: a100, peak: 200 TFLOP/s}", network);
  CHECK(own.efficiency.matrix.part == own.efficiency.matrix.whole);
  CHECK(own.efficiency_in_force.name == "none");
  CHECK(own.efficiency_in_force.because == "kernels run at the peak that the file states");
}

TEST_CASE("what a file says of efficiency goes before what is nearest") {
  const NpuSpec none = npu("{preset: h100, efficiency: none}");
  CHECK(none.efficiency.matrix == Share{100, 100});
  CHECK(none.efficiency_in_force.name == "none");
  CHECK(none.efficiency_in_force.because.empty());
  const NpuSpec own = npu("{preset: h100, efficiency: {matrix: 40 %}}");
  CHECK(own.efficiency.launch == Duration{});
  CHECK(own.efficiency.attention == Share{40, 100});  // without a key of its own
  CHECK(efficiency_text(own.efficiency_in_force) ==
        "the file's own, without losses where it has no key; for those of H100 write preset: "
        "h100-2025 beside them");
  const NpuSpec named = npu("{preset: h100, efficiency: {preset: h100-2023}}");
  CHECK(named.efficiency_in_force.name == "h100-2023");
  CHECK(named.efficiency_in_force.because.empty());
  CHECK(named.efficiency_in_force.error ==
        std::ranges::find(eras(), "h100-2023", &Era::name)->error);
  // What the error was measured with is another curve.
  const NpuSpec changed = npu("{preset: h100, efficiency: {preset: h100-2023, matrix: 40 %}}");
  CHECK(!changed.efficiency_in_force.error);
}

// 65.6 % is what h100-2025 says itself: nothing else may change with it.
TEST_CASE("an option changes one number of the efficiency in force, and of a file's own") {
  const auto changed = [](const std::string& device) {
    return loaded(device, transformer, {{"platform.npu.efficiency.matrix=65.6 %"}}).npu;
  };
  const NpuSpec same = changed("{preset: h100}");
  const NpuSpec unchanged = npu("{preset: h100}");
  CHECK(same.efficiency.matrix == unchanged.efficiency.matrix);
  CHECK(same.efficiency.attention == unchanged.efficiency.attention);
  CHECK(same.efficiency.attention_half_length == 463);
  CHECK(unchanged.efficiency.attention_half_length == 463);
  CHECK(same.efficiency.memory == unchanged.efficiency.memory);
  CHECK(same.efficiency.launch == unchanged.efficiency.launch);
  CHECK(efficiency_text(same.efficiency_in_force) == "h100-2025, changed by --set");
  CHECK(same.efficiency_in_force.of_another_device);
  CHECK(changed("{preset: h100, efficiency: {memory: 50 %}}").efficiency.launch == Duration{});
}

// The rows of H100 ran at its 989 TFLOP/s and 3350 GB/s: those are it, other rates are not.
TEST_CASE("rates of the file's own have no error of the device that was measured") {
  CHECK(text("{preset: h100, peak: 989 TFLOP/s, memory_bandwidth: 3350 GB/s}") ==
        measured("h100-2025") + ", the newest measured on H100");
  for (const char* device :
       {"{preset: h100, peak: 1978 TFLOP/s}", "{preset: h100, memory_bandwidth: 5 TB/s}"})
    CHECK_THAT(text(device), Catch::StartsWith("h100-2025, ASSUMED: H100 was measured at other "
                                               "rates; error unknown ("));
  CHECK_FALSE(
      npu("{preset: h100, peak: 1979 TFLOP/s}", eight_bits).efficiency_in_force.of_another_device);
}

TEST_CASE("a device of no measured generation, and given times, have no efficiency") {
  CHECK(npu("{peak: 31 TFLOP/s}").efficiency_in_force.name.empty());  // 1 of 4.03 of V100's
  CHECK(npu("{peak: 32 TFLOP/s}").efficiency_in_force.name == "v100-2020");
  const std::string program = "program: [{operations: [{compute: 1 ms}]}]";
  CHECK(npu("{preset: h100}", program).efficiency_in_force.name.empty());
}

// a100-2021 and h100-2024-fsdp are software that waits for these sums; what the file itself says
// counts more.
TEST_CASE("an efficiency brings what its software hides, unless the training says it") {
  const auto overlaps = [](const std::string& preset, const std::string& setting) {
    return std::get<TransformerWorkload>(
               loaded("{preset: a100, efficiency: {preset: " + preset + "}}",
                      "transformer: {preset: llama2-7b}, training: {tensor: 8, global_batch: 8" +
                          setting + "}")
                   .workload.what)
        .training.overlap_gradient_sums;
  };
  CHECK_FALSE(overlaps("a100-2021", ""));
  CHECK(overlaps("a100-2021", ", overlap_gradient_sums: true"));
  CHECK(overlaps("a100-2023", ""));
  CHECK_FALSE(overlaps("a100-2023", ", overlap_gradient_sums: false"));
  CHECK_FALSE(overlaps("h100-2024-fsdp", ""));
  CHECK_FALSE(overlaps("h100-2024-fsdp-fp8", ""));
}

// Where the file has no section `training`, a parallelism is chosen, with the same software.
TEST_CASE("an efficiency brings its software to a training that is not written") {
  const auto training = [](const std::string& section) {
    const Experiment experiment = loaded(
        "{preset: a100, efficiency: {preset: a100-2021}}",
        "transformer: {layers: 2, hidden: 64, heads: 4, vocabulary: 64, sequence: 64}" + section);
    return std::get<TransformerWorkload>(experiment.workload.what).training;
  };
  for (const char* section : {"", ", training:", ", training: {}"}) {
    INFO(section);
    CHECK(training(section).optimizer_traffic == Bytes{52});
    CHECK_FALSE(training(section).overlap_gradient_sums);
  }
}

// What the efficiencies of 2020 and 2021 say of their optimizer; others keep the default of 30 B.
TEST_CASE("an efficiency brings what its optimizer moves, unless the training says it") {
  const auto traffic = [](const std::string& preset, const std::string& setting) {
    return std::get<TransformerWorkload>(
               loaded(
                   "{preset: a100, efficiency: {preset: " + preset + "}}",
                   "transformer: {preset: llama2-7b}, training: {global_batch: 8" + setting + "}")
                   .workload.what)
        .training.optimizer_traffic;
  };
  CHECK(traffic("a100-2021", "") == Bytes{52});
  CHECK(traffic("a100-2021", ", optimizer_traffic: 64 B") == Bytes{64});
  CHECK(traffic("a100-2023", "") == Bytes{30});
}

// PyTorch 2.1 is of autumn 2023: the H100 runs of 2023 had it, those of A100 did not.
TEST_CASE("an efficiency says whether its software ends recomputation early") {
  const auto early = [](const std::string& preset, const std::string& setting) {
    return std::get<TransformerWorkload>(
               loaded("{preset: h100, efficiency: {preset: " + preset + "}}",
                      "transformer: {preset: llama2-7b}, training: {global_batch: 8, recompute: "
                      "full" +
                          setting + "}")
                   .workload.what)
        .training.recompute_stops_early;
  };
  CHECK(early("h100-2023", ""));
  CHECK(early("h100-2024-fsdp", ""));
  CHECK_FALSE(early("h100-2023", ", recompute_stops_early: false"));
  CHECK_FALSE(early("a100-2023", ""));
  CHECK_FALSE(early("h100-2024", ""));
  CHECK(early("h100-2024", ", recompute_stops_early: true"));
}
