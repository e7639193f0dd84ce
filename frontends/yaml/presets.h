// Named defaults: `preset: v100`, `preset: dlrm-hoti20`.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/units/units.h"
#include "frontends/yaml/scalar_types.h"
#include "network/topology/builders/cluster_graph.h"
#include "network/transport_spec.h"
#include "workload/workload_spec.h"

namespace orrery::yaml {

// Vendor figures for dense (not sparse) tensor operations and for device memory.
struct NpuPreset {
  std::string_view name;
  FlopRate peak;  // in 16-bit floating point
  Bandwidth memory_bandwidth;
  Bytes memory;
  FlopRate eight_bit_peak = {};  // in 8-bit floating point; 0 = it has none
};
std::span<const NpuPreset> npu_presets();

// Servers as they are sold. No vendor states latencies: those of a link inside and of the bus are
// the estimates of platforms/dgx-h100-rail.yaml.
struct ServerPreset {
  std::string_view name, npu;  // `npu`: a preset of npu_presets()
  NodeSpec server;
  std::optional<Bandwidth> nic = {};  // of its link into the network; none: no NIC belongs to it
};
std::span<const ServerPreset> server_presets();

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

struct TransportPreset {
  std::string_view name, sentence;
  TransportSpec spec;
};
std::span<const TransportPreset> transport_presets();

struct TransformerPreset {
  std::string_view name;
  TransformerSpec spec;  // without the sizes of elements
};
std::span<const TransformerPreset> transformer_presets();

// The section that the name is a preset of: "workload.transformer". "" if it is none.
std::string_view section_of_preset(std::string_view name);

}  // namespace orrery::yaml
