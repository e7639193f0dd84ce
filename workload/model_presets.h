// Published models by name: llama3-70b, dlrm-hoti20, resnet-50.
#pragma once

#include <span>
#include <string_view>

#include "workload/data_type.h"
#include "workload/workload_spec.h"

namespace orrery {

struct DlrmPreset {
  std::string_view name;
  DlrmSpec spec;  // without `element`, which follows from the data type
  DataType data_type;
};
std::span<const DlrmPreset> dlrm_presets();

struct StackPreset {
  std::string_view name;
  LayerStack (*make)();
};
std::span<const StackPreset> stack_presets();

struct TransformerPreset {
  std::string_view name;
  TransformerSpec spec;  // without the sizes of elements
};
std::span<const TransformerPreset> transformer_presets();

// Models of the same shape as a preset: "llama3.1-8b" is "llama3-8b".
struct ModelAlias {
  std::string_view name, preset;
};
std::span<const ModelAlias> model_aliases();

}  // namespace orrery
