#include "frontends/yaml/eras.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/units/unit_text.h"
#include "system/measured_devices.h"
#include "system/npu_presets.h"

namespace orrery::yaml {

namespace {

// What a workload, or its jobs, compute on the device.
struct ComputedModels {
  std::vector<const YamlNode*> transformers;
  bool others = false;  // layers or a recommendation model
};

void add_models(const YamlNode* workload, ComputedModels& found) {
  if (const YamlNode* transformer = child_of(workload, "transformer"))
    found.transformers.push_back(transformer);
  if (child_of(workload, "layers") != nullptr || child_of(workload, "model") != nullptr)
    found.others = true;
  if (const YamlNode* jobs = child_of(workload, "jobs"))
    for (const YamlNode& job : jobs->children) add_models(&job, found);
}

bool all_say(const ComputedModels& models, std::string_view key, std::string_view text) {
  return !models.others && !models.transformers.empty() &&
         std::ranges::all_of(models.transformers, [&](const YamlNode* transformer) {
           const YamlNode* setting = child_of(transformer, key);
           return setting != nullptr && setting->text == text;
         });
}

YamlNode node_of(std::string key, NodeKind kind, std::string text, const Source& source) {
  const Place place{&source, 0, 0};
  return {kind, std::move(text), place, std::move(key), place, {}};
}

// What a file says of its device.
struct StatedDevice {
  std::string name;  // of its preset; "" = none
  FlopRate peak;     // in 16 bits; 0 = not stated, or not to be read
  bool peak_is_stated = false;
  bool other_rates = false;  // than its preset's
};

// `otherwise` if the key is not there, or cannot be read.
template <typename Quantity>
Quantity stated(const YamlNode& npu, std::string_view key,
                Parsed<Quantity> (*parse)(std::string_view), Quantity otherwise) {
  const YamlNode* node = npu.find(key);
  const Parsed<Quantity> parsed = parse(node == nullptr ? "" : node->text);
  const auto* quantity = std::get_if<Quantity>(&parsed);
  return quantity == nullptr ? otherwise : *quantity;
}

enum class Products : std::uint8_t { eight_bits, sixteen_bits, single_precision };

Products products_of(const ComputedModels& models) {
  if (all_say(models, "eight_bit_products", "true")) return Products::eight_bits;
  return all_say(models, "data_type", "fp32") ? Products::single_precision : Products::sixteen_bits;
}

FlopRate peak_of(const NpuPreset& known, Products products) {
  if (products == Products::eight_bits) return known.eight_bit_peak;
  return products == Products::sixteen_bits ? known.peak : single_precision_peak(known.name);
}

StatedDevice stated_device(const YamlNode& npu, Products products) {
  StatedDevice device;
  device.peak_is_stated = npu.find("peak") != nullptr;
  const YamlNode* preset = npu.find("preset");
  if (preset == nullptr) {
    device.peak = stated(npu, "peak", parse_flop_rate, {});
    if (products == Products::eight_bits) device.peak.value /= 2;
    return device;
  }
  device.name = preset->text;
  const NpuPreset* known = find_npu_preset(device.name);
  if (known == nullptr) return device;
  device.peak = known->peak;
  const FlopRate peak = peak_of(*known, products);
  const Bandwidth memory = known->memory_bandwidth;
  device.other_rates = stated(npu, "peak", parse_flop_rate, peak) != peak ||
                       stated(npu, "memory_bandwidth", parse_bandwidth, memory) != memory;
  return device;
}

bool is_itself(const StatedDevice& device, const MeasuredDevice& measured) {
  return is_device(measured, device.name) && !device.other_rates;
}

std::string reason(const StatedDevice& device, const MeasuredDevice& measured,
                   const ComputedModels& models, Products products) {
  if (products == Products::single_precision) return "ASSUMED: measured in 16 bits";
  const bool itself = is_itself(device, measured);
  if (models.transformers.empty())
    return fmt::format("ASSUMED: measured on transformers{}{}", itself ? "" : ", on ",
                       itself ? "" : measured.name);
  if (itself) return fmt::format("the newest measured on {}", measured.name);
  if (is_device(measured, device.name))
    return fmt::format("ASSUMED: {} was measured at other rates", measured.name);
  if (device.name.empty())
    return fmt::format("ASSUMED: the peak is nearest to {}'s", measured.name);
  if (measured_device_of_generation(device.name) != nullptr)
    return fmt::format("ASSUMED: {} is of {}'s generation", device.name, measured.name);
  return fmt::format("ASSUMED: {} is nearest to {}", device.name, measured.name);
}

// The data sheet's, for a file that gives none. Nothing if it states none.
void add_peak(YamlNode& npu, const StatedDevice& device, Products products, const Source& chosen) {
  const NpuPreset* known = find_npu_preset(device.name);
  if (known == nullptr || device.peak_is_stated) return;
  if (const FlopRate peak = peak_of(*known, products); peak > FlopRate{})
    npu.children.push_back(node_of("peak", NodeKind::scalar, exact_text(peak), chosen));
}

}  // namespace

EfficiencyInForce choose_efficiency(YamlNode& root, const Source& chosen) {
  YamlNode* platform = root.find("platform");
  YamlNode* npu = platform == nullptr ? nullptr : platform->find("npu");
  if (npu == nullptr || npu->kind != NodeKind::map) return {};
  ComputedModels models;
  add_models(root.find("workload"), models);
  const Products products = products_of(models);
  const StatedDevice device = stated_device(*npu, products);
  if (products != Products::sixteen_bits) add_peak(*npu, device, products, chosen);
  YamlNode* given = npu->find("efficiency");
  if (given != nullptr && given->kind == NodeKind::scalar && given->text == "none") {
    given->kind = NodeKind::map;
    return {.name = "none", .because = ""};
  }
  if (given != nullptr && (given->kind != NodeKind::map || given->find("preset") != nullptr))
    return {};
  if (models.transformers.empty() && !models.others) return {};
  // Only transformers were measured. A peak that a file states for other models may be what their
  // kernels reach.
  if (models.transformers.empty() && device.peak_is_stated)
    return {.name = given == nullptr ? "none" : "",
            .because = given == nullptr ? "kernels run at the peak that the file states" : ""};
  const MeasuredDevice* measured = measured_device_of_generation(device.name);
  if (measured == nullptr) measured = nearest_measured_device(device.name, device.peak);
  if (measured == nullptr) return {};
  const bool has_unit = products == Products::eight_bits && !measured->eight_bit_era.empty();
  const std::string era(has_unit ? measured->eight_bit_era : measured->era);
  if (given != nullptr && given->place.source->is_file)
    return {.name = "the file's own",
            .because = fmt::format("without losses where it has no key; for those of {} write "
                                   "preset: {} beside them",
                                   measured->name, era)};
  const bool is_changed = given != nullptr;
  if (given == nullptr)
    given = &npu->children.emplace_back(node_of("efficiency", NodeKind::map, "", chosen));
  given->children.push_back(node_of("preset", NodeKind::scalar, era, chosen));
  return {.name = "",
          .because = is_changed ? "changed by --set" : reason(device, *measured, models, products),
          .of_another_device = is_changed || products == Products::single_precision ||
                               !is_itself(device, *measured)};
}

void name_efficiency(EfficiencyInForce& in_force, std::string_view preset, bool alone) {
  in_force.name = preset;
  const auto known = std::ranges::find(eras(), preset, &Era::name);
  if (!alone || known == eras().end() || known->runs == 0) return;
  in_force.error = known->error;
  in_force.runs = known->runs;
}

}  // namespace orrery::yaml
