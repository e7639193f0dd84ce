// The keys of `platform:`.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/yaml/describe_efficiency.h"
#include "frontends/yaml/describe_network.h"
#include "frontends/yaml/describe_topology.h"
#include "frontends/yaml/describe_variation.h"
#include "frontends/yaml/reader.h"
#include "network/problems.h"
#include "simulation/experiment.h"
#include "simulation/platform_size.h"
#include "system/npu_presets.h"

namespace orrery::yaml {

inline void describe_npu(Keys& keys, NpuSpec& npu) {
  const NpuPreset* preset = nullptr;
  keys.preset(npu_presets(), preset, "a device whose data sheet gives the other values");
  std::optional<FlopRate> peak;
  if (preset != nullptr) {
    npu.preset = preset->name;
    peak = preset->peak;
    npu.memory_bandwidth = preset->memory_bandwidth;
    npu.memory = preset->memory;
  }
  keys.optional("peak", peak,
                "rate of matrix operations in the data type that the model computes in", positive);
  keys.optional("memory_bandwidth", npu.memory_bandwidth, "rate of the device's own memory",
                positive);
  if (peak) npu.peak = *peak;
  keys.optional("memory", npu.memory,
                "memory of the device; a model that needs more still runs, with a notice",
                positive);
  keys.optional("reserve", npu.reserve,
                "part of the memory that the model cannot use: buffers of the communication "
                "library, the context of the device",
                not_negative, "default");
  keys.optional(
      "fragmentation", npu.fragmentation,
      "what an allocator reserves beside what is allocated, as a share of that; changes no "
      "time");
  keys.map_or_none(
      "efficiency",
      "share of peak and memory bandwidth that kernels reach; without it that of the nearest "
      "device that was measured; none: all of both",
      [&](Keys& efficiency) {
        std::string description;
        describe_efficiency(efficiency, npu.efficiency, description);
      });
  describe_variation(keys, npu.variation);
}

inline void describe_level(Keys& keys, LevelSpec& level, bool innermost_of_several,
                           LevelNetworkSpec& own, NetworkSpec& network) {
  keys.optional("name", level.name, "what reports and the workload call the level");
  keys.optional("kind", level.kind, "how the members of a group are joined");
  keys.required("size", level.size, "members of one group", between(2, npus_at_most));
  keys.required("bandwidth", level.bandwidth, "bandwidth of one link, in one direction", positive);
  level.latency = innermost_of_several ? latency_in_server : usual_latency;
  keys.optional("latency", level.latency, "latency of one link; crossing a switch takes two",
                not_negative);
  level.scope = innermost_of_several ? Scope::local : Scope::scale_out;
  keys.optional(
      "scope", level.scope,
      "local (inside a node) or scale_out (between nodes): decides the injection latency");
  keys.optional("in_network_reduction", level.in_network_reduction,
                "true: the switches can add and multicast (NVLS, SHARP), for algorithm in_network");
  keys.check([&](Reader& reader) {
    if (reader.clean()) reader.report(problems_of(level));
  });
  describe_level_network(keys, own, network);
}

// What to write where a device has no server of a known kind, or no device is named.
inline std::string remedy_of_servers(Reader& platform, std::int32_t nodes) {
  if (!platform.given("npu"))
    return "write server: hgx-h100 beside it (orrery list servers); for TPUs, in place of nodes, "
           "torus: 4x4x4; or platform.topology";
  return fmt::format(
      "no server has this device: platform: {{file: trn2, ranks: 64}} (orrery list platforms), "
      "torus: 4x4x4 or, with your values, rail: {{nodes: {}, node: {{npus: 8, bandwidth: 450 GB/s, "
      "nics: 8, bus_bandwidth: 64 GB/s}}, bandwidth: 400 Gb/s}}",
      nodes);
}

// Keys that network_of_servers.h has made a topology of. REQUIRES: before `topology`.
inline void describe_servers(Keys& keys) {
  keys.exactly_one_but(
      {"topology", "nodes", "torus", "fat_tree", "leaf_spine", "rail", "dragonfly", "hyperx",
       "graph", "hpcc"},
      {"nodes", "ranks"},
      keys.given("npu") && keys.given("ranks")
          ? "write platform: {file: trn2, ranks: 64} (orrery list platforms), or torus: 4x4x4"
          : "servers, as in platform: {nodes: 16, server: hgx-h100} or {npu: h100, ranks: 512}; or "
            "NPUs connected as torus: 8x8x8; or platform: dgx-h100 (orrery list platforms)");
  for (const char* key : {"server", "nic"})
    keys.only_with({"nodes", "rail", "leaf_spine", "fat_tree", "dragonfly", "hyperx"}, key);
  keys.only_with({"nodes", "leaf_spine", "fat_tree"}, "oversubscription");
  const auto given = [&](const char* key) { return keys.given(key); };
  if (std::ranges::none_of(std::array{"nodes", "server", "nic", "oversubscription"}, given)) return;
  std::optional<std::int32_t> nodes;
  std::string server;
  std::optional<Bandwidth> nic;
  std::optional<double> oversubscription;
  keys.optional(
      "nodes", nodes,
      "servers (or write `servers`), joined by a non-blocking network by rails; by leaves "
      "and spines with `oversubscription`",
      between(1, 1 << 20));
  keys.optional("server", server,
                "what they are (orrery list servers); without it the one with the device `npu`");
  keys.optional("nic", nic,
                "bandwidth of a NIC, in each direction, or how many a server has and that, such as "
                "2x400 Gb/s; without it the server's",
                positive);
  keys.optional("oversubscription", oversubscription,
                "bandwidth of a leaf towards servers for each towards the spines",
                between(1, 4096));
  keys.check([&](Reader& reader) {
    if (!reader.clean() || !nodes) return;
    if (server.empty())
      reader.report({"nodes", "the server is not known", remedy_of_servers(reader, *nodes)});
  });
}

inline void describe_platform(Keys& keys, Experiment& experiment) {
  keys.named_map("npu", "the compute device",
                 [&](Keys& npu) { describe_npu(npu, experiment.npu); });
  describe_servers(keys);
  keys.optional_map(
      "topology",
      "how the NPUs are connected, such as topology: {leaf_spine: {nodes: 16, node: hgx-h100}}",
      [&](Keys& topology) {
        std::vector<LevelSpec>& levels = experiment.topology.levels;
        topology.exactly_one({"levels", "torus", "fat_tree", "leaf_spine", "rail", "dragonfly",
                              "hyperx", "graph", "hpcc"},
                             "levels, a builder of networks, or the nodes and links themselves");
        describe_built_topology(topology, experiment.topology);
        if (!topology.given("levels")) return;
        topology.items("levels", levels, "the levels of the network, innermost first",
                       [&](Keys& level, LevelSpec& spec, std::size_t index) {
                         const bool innermost_of_several = index == 0 && levels.size() > 1;
                         spec.name = "level " + std::to_string(index);
                         if (index >= experiment.network.levels.size())
                           experiment.network.levels.resize(index + 1);
                         describe_level(level, spec, innermost_of_several,
                                        experiment.network.levels[index], experiment.network);
                       });
        topology.check([&](Reader& reader) {
          if (reader.clean()) reader.report(problems_of(experiment.topology));
        });
      });
  TopologySpec unused;  // of keys that named_sections.h has moved into `topology`
  describe_built_topology(keys, unused);
  std::optional<std::int32_t> ranks;
  keys.optional("ranks", ranks,
                "NPUs of the platform, if not as many as the topology says: fewer are whole inner "
                "groups, more make the outermost level larger",
                between(2, npus_at_most));
  keys.check([&](Reader& reader) {
    if (reader.clean() && ranks) reader.report(resize(experiment.topology, *ranks));
  });
}

}  // namespace orrery::yaml
