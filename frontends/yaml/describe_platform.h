// The keys of `platform:` and `network:`. Keys is Reader or SchemaWriter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/experiment.h"
#include "frontends/yaml/describe_fluid.h"
#include "frontends/yaml/describe_topology.h"
#include "frontends/yaml/presets.h"
#include "frontends/yaml/reader.h"

namespace orrery::yaml {

inline constexpr std::int64_t npus_at_most = 1 << 24;

template <class Keys>
void describe_npu(Keys& keys, NpuSpec& npu) {
  const NpuPreset* preset = nullptr;
  keys.preset(npu_presets(), preset, "a device whose data sheet gives the other values");
  std::optional<FlopRate> peak;
  if (preset != nullptr) {
    npu.preset = preset->name;
    peak = preset->peak;
    npu.memory_bandwidth = preset->memory_bandwidth;
  }
  keys.optional("peak", peak,
                "rate of matrix operations in the data type that the model computes in", positive);
  keys.optional("memory_bandwidth", npu.memory_bandwidth, "rate of the device's own memory",
                positive);
  if (peak) npu.peak = *peak;
}

// Only switches can add.
void check_in_network_reduction(Reader& keys, const LevelSpec& level);

template <class Keys>
void describe_level(Keys& keys, LevelSpec& level, bool innermost_of_several, NetworkSpec& network) {
  keys.optional("name", level.name, "what reports and the workload call the level");
  keys.required("kind", level.kind, "how the members of a group are joined");
  keys.required("size", level.size, "members of one group", between(2, npus_at_most));
  keys.required("bandwidth", level.bandwidth, "bandwidth of one link, in one direction", positive);
  keys.required("latency", level.latency, "latency of one link; crossing a switch takes two",
                not_negative);
  level.scope = innermost_of_several ? Scope::local : Scope::scale_out;
  keys.optional(
      "scope", level.scope,
      "local (inside a node) or scale_out (between nodes): decides the injection latency");
  keys.optional("in_network_reduction", level.in_network_reduction,
                "true: the switches can add and multicast (NVLS, SHARP), for algorithm in_network");
  keys.check([&](Reader& reader) { check_in_network_reduction(reader, level); });
  std::optional<Bytes> buffer;
  keys.optional("buffer", buffer, "packet buffer of the level's switches; for packet backends",
                positive);
  keys.note_if_given("buffer", network.given, SettingGroup::switch_buffer);
}

// Of several levels: names that can be told apart, and a platform that fits into memory.
void check_levels(Reader& topology, const std::vector<LevelSpec>& levels);

template <class Keys>
void describe_platform(Keys& keys, Experiment& experiment) {
  keys.map("npu", "the compute device", [&](auto& npu) { describe_npu(npu, experiment.npu); });
  keys.required_map("topology", "how the NPUs are connected", [&](auto& topology) {
    std::vector<LevelSpec>& levels = experiment.topology.levels;
    topology.exactly_one({"levels", "torus", "fat_tree", "leaf_spine", "rail", "dragonfly",
                          "hyperx", "graph", "hpcc"},
                         "levels, a builder of networks, or the nodes and links themselves");
    describe_built_topology(topology, experiment.topology);
    if (!topology.given("levels")) return;
    topology.items("levels", levels, "the levels of the network, innermost first",
                   [&](auto& level, LevelSpec& spec, std::size_t index) {
                     const bool innermost_of_several = index == 0 && levels.size() > 1;
                     spec.name = "level " + std::to_string(index);
                     describe_level(level, spec, innermost_of_several, experiment.network);
                   });
    topology.check([&](Reader& reader) { check_levels(reader, levels); });
  });
}

// A setting that only packet backends use: type and range are checked, the value is not kept.
template <class T, class Keys>
void describe_packet_setting(Keys& keys, std::string_view key, std::string_view help,
                             NetworkSpec& network, SettingGroup group, Limits limits = any_value) {
  std::optional<T> value;
  keys.optional(key, value, help, limits);
  keys.note_if_given(key, network.given, group);
}

template <class Keys>
void describe_network(Keys& keys, NetworkSpec& network, const TopologySpec& topology,
                      bool topology_known) {
  BackendName backend{network.backend};
  keys.optional("backend", backend, "the model of the network; `orrery list` describes them");
  network.backend = backend.name;
  keys.map("transport", "the transport protocol; for packet backends", [&](auto& transport) {
    describe_packet_setting<TransportKind>(transport, "kind", "the protocol", network,
                                           SettingGroup::transport);
    describe_packet_setting<std::string>(transport, "congestion_control",
                                         "its variant, for example newreno", network,
                                         SettingGroup::transport);
    describe_packet_setting<Bytes>(transport, "window", "bytes in flight at most", network,
                                   SettingGroup::transport, positive);
    describe_packet_setting<Bytes>(transport, "mtu", "size of the largest packet", network,
                                   SettingGroup::transport, positive);
    describe_packet_setting<bool>(transport, "ecn", "switches mark packets instead of dropping",
                                  network, SettingGroup::transport);
  });
  keys.map("routing", "which way messages go", [&](auto& routing) {
    describe_routing(routing, network.routing, topology, topology_known);
  });
  keys.note_if_given("routing", network.given, SettingGroup::routing);
  describe_faults(keys, network.routing, topology, topology_known);
  keys.note_if_given("faults", network.given, SettingGroup::routing);
  keys.map("fluid", "the fluid backend", [&](auto& fluid) { describe_fluid(fluid, network); });
  keys.map("queue", "the queue backend", [&](auto& queue) { describe_queue(queue, network); });
  keys.map("switch", "all switches; for packet backends", [&](auto& all_switches) {
    describe_packet_setting<Bytes>(all_switches, "buffer",
                                   "packet buffer of a switch without one of its own", network,
                                   SettingGroup::switch_buffer, positive);
  });
}

}  // namespace orrery::yaml
