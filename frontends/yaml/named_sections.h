// Sections that a name may stand for: `npu: h100` means `npu: {preset: h100}`, `platform:
// dgx-h100` means `platform: {file: dgx-h100}`, `network: fluid` means `network: {backend: fluid}`;
// a path may stand in the place of any section that may be a file. `platform: {leaf_spine: ...}`
// means `platform: {topology: {leaf_spine: ...}}`. `system: {all_reduce: ring}` means `{all_reduce:
// {algorithms: ring}}`, and `oversubscription: 3:1` means 3.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "formats/yaml/yaml_node.h"

namespace orrery::yaml {

// Keys of platform.topology that may stand in `platform` itself.
inline constexpr std::array<std::string_view, 9> network_builders{
    "torus", "fat_tree", "leaf_spine", "rail", "dragonfly", "hyperx", "graph", "hpcc", "levels"};

// Keys of a section of `workload` that may stand in `workload` itself: `{model: llama3-70b, tensor:
// 8}` means `{transformer: {preset: llama3-70b}, training: {tensor: 8}}`, `{model: resnet50, batch:
// 64}` `{layers: {preset: resnet50}, data_parallel: {batch: 64}}`.
struct ShortKey {
  std::string_view key, section;
  std::string_view model = "transformer";  // the section of the models that have it
};
inline constexpr auto keys_of_workload =
    std::to_array<ShortKey>({{"sequence", "transformer"},
                             {"tensor", "training"},
                             {"pipeline", "training"},
                             {"data", "training"},
                             {"context", "training"},
                             {"expert", "training"},
                             {"sharding", "training"},
                             {"global_batch", "training"},
                             {"micro_batch", "training"},
                             {"recompute", "training"},
                             {"schedule", "training"},
                             {"sequence_parallel", "training"},
                             {"batch", "data_parallel", "layers"}});

// Sections in which `servers` is another name of `nodes`.
inline constexpr std::array<std::string_view, 4> sections_with_nodes{
    "platform", "platform.topology.leaf_spine", "platform.topology.fat_tree",
    "platform.topology.rail"};

// The key that a name in the place of this section is the value of: "file", "preset", "backend",
// "kind". "" if the section has to be a map. `path` is that of the section, with [] for each
// element of a list: "workload.jobs[].transformer".
std::string_view key_of_name(std::string_view path, std::string_view name);

// Makes maps of the names in the place of sections, at and below `node`, which stands at `path`.
void expand_names(YamlNode& node, const std::string& path);

// Where the key of an option stands after that: platform.torus.sizes is
// platform.topology.torus.sizes where the platform has such a topology, platform.servers is
// platform.nodes, and workload.tensor is workload.training.tensor of a transformer.
std::vector<std::string> expanded_steps(const YamlNode& root, std::vector<std::string> steps);

// The device of the server that a network names, where the file names no device: beside `node:
// hgx-h100`, `npu: {preset: h100}`. `root` is an experiment or a platform file.
void add_npu_of_server(YamlNode& root);

// The links of a torus, where the file names a device that is joined so, and no bandwidth: beside
// `npu: tpu-v5p`, `bandwidth: 100 GB/s`.
void add_link_of_npu(YamlNode& root);

}  // namespace orrery::yaml
