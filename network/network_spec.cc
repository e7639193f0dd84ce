#include "network/network_spec.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {

std::vector<std::string> settings_outside(const NetworkSpec& spec,
                                          std::initializer_list<SettingGroup> honoured) {
  std::vector<std::string> paths;
  for (const GivenSetting& setting : spec.given)
    if (std::find(honoured.begin(), honoured.end(), setting.group) == honoured.end())
      paths.push_back(setting.path);
  return paths;
}

void mark_idle_settings(NetworkSpec& spec, const TopologySpec* topology) {
  const auto idle_unless = [&spec](bool works, std::initializer_list<std::string_view> paths,
                                   std::string_view needs) {
    for (GivenSetting& setting : spec.given)
      if (!works && std::find(paths.begin(), paths.end(), setting.path) != paths.end())
        setting.needs = needs;
  };
  const bool has_faults = !spec.routing.faults.empty();
  const bool red = spec.switches.queue == QueueKind::red;
  idle_unless(spec.routing.policy == RoutingPolicy::qp_spread, {"network.routing.paths"},
              "network.routing.policy: qp_spread");
  idle_unless(has_faults, {"network.routing.reroute_delay"}, "network.faults");
  idle_unless(spec.fluid.highest == ClassSharing::weighted, {"network.fluid.highest_weight"},
              "network.fluid.highest: weighted");
  idle_unless(
      red,
      {"network.switch.red_minimum", "network.switch.red_maximum", "network.switch.red_probability",
       "network.switch.red_weight", "network.transport.ecn"},
      "network.switch.queue: red");
  idle_unless(spec.switches.sharing == BufferSharing::shared, {"network.switch.dynamic_threshold"},
              "network.switch.sharing: shared");
  idle_unless(spec.transport.connect != ConnectPolicy::before_use,
              {"network.transport.connect_timeout"}, "network.transport.connect: first_message");
  idle_unless(!spec.transport.sack, {"network.transport.limited_transmit"},
              "network.transport.sack: false");
  idle_unless(!spec.captures.empty(), {"network.transport.capture_limit"},
              "network.transport.capture");
  const std::size_t levels = topology == nullptr ? 0 : topology->levels.size();
  for (std::size_t i = 0; i < levels; ++i)
    idle_unless(topology->levels[i].kind == LevelKind::switched,
                {fmt::format("platform.topology.levels[{}].buffer", i)}, "switches on that level");
}

TransportKind NetworkSpec::transport_of(std::size_t level, Scope scope, TransportKind usual) const {
  if (level < levels.size() && levels[level].transport) return *levels[level].transport;
  return scope == Scope::local ? TransportKind::ideal : transport.kind.value_or(usual);
}

std::vector<std::optional<Bytes>> NetworkSpec::level_buffers() const {
  std::vector<std::optional<Bytes>> buffers;
  for (const LevelNetworkSpec& level : levels) buffers.push_back(level.buffer);
  return buffers;
}

}  // namespace orrery
