#include "network/network_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "network/backends.h"

namespace orrery {

std::vector<std::string> settings_outside(const NetworkSpec& spec,
                                          std::initializer_list<SettingGroup> honoured) {
  std::vector<std::string> paths;
  for (const GivenSetting& setting : spec.given)
    if (std::find(honoured.begin(), honoured.end(), setting.group) == honoured.end())
      paths.push_back(setting.path);
  return paths;
}

namespace {

bool is_parameter_of(const CongestionControlEntry& control, const GivenSetting& setting) {
  return setting.path.starts_with(fmt::format("network.transport.{}.", control.name));
}

// The parameters of the controls of RoCE that are not chosen.
void mark_idle_controls(NetworkSpec& spec) {
  const std::string chosen = roce_of(spec.transport).congestion_control;
  for (GivenSetting& setting : spec.given)
    for (const CongestionControlEntry& control : roce_control_sentences())
      if (control.name != chosen && is_parameter_of(control, setting))
        setting.needs = fmt::format("network.transport.congestion_control: {}", control.name);
}

constexpr std::string_view keys_of_tcp[] = {"network.transport.mtu",
                                            "network.transport.link_overhead",
                                            "network.transport.receive_window",
                                            "network.transport.initial_window",
                                            "network.transport.delayed_ack_count",
                                            "network.transport.delayed_ack_timeout",
                                            "network.transport.minimum_rto",
                                            "network.transport.clock_granularity",
                                            "network.transport.connect_timeout",
                                            "network.transport.persist_timeout",
                                            "network.transport.duplicate_acks",
                                            "network.transport.limited_transmit",
                                            "network.transport.sack",
                                            "network.transport.timestamps",
                                            "network.transport.ecn",
                                            "network.transport.connect",
                                            "network.transport.connections_per_pair",
                                            "network.switch.queue",
                                            "network.switch.red_minimum",
                                            "network.switch.red_maximum",
                                            "network.switch.red_probability",
                                            "network.switch.red_weight"};
constexpr std::string_view keys_of_roce[] = {"network.transport.payload",
                                             "network.transport.recovery",
                                             "network.transport.qps_per_pair",
                                             "network.transport.ack_every",
                                             "network.transport.rto",
                                             "network.transport.nack_interval",
                                             "network.transport.priority",
                                             "network.switch.classes",
                                             "network.switch.scheduler",
                                             "network.switch.port_reserve",
                                             "network.transport.reorder_tolerance"};

bool is_of_roce(const GivenSetting& setting) {
  return std::ranges::find(keys_of_roce, setting.path) != std::end(keys_of_roce) ||
         setting.path.starts_with("network.switch.pfc.") ||
         std::ranges::any_of(roce_control_sentences(), [&](const CongestionControlEntry& control) {
           return is_parameter_of(control, setting);
         });
}

bool is_of_mlt(const GivenSetting& setting) {
  constexpr std::string_view keys_of_mlt[] = {
      "network.transport.loss_bound", "network.transport.probe_after", "network.transport.classes",
      "network.transport.droppable",  "network.transport.rate",        "network.transport.rounds"};
  return std::ranges::any_of(keys_of_mlt, [&](std::string_view key) {
    return setting.path == key || setting.path.starts_with(fmt::format("{}.", key));
  });
}

// Of NDP, UET, PIAS or MLT; "": of none of them.
std::string_view placed_kind_of(const GivenSetting& setting) {
  constexpr std::string_view keys_of_uet[] = {"network.transport.control",
                                              "network.transport.entropy_values",
                                              "network.transport.trimming"};
  if (setting.path.starts_with("network.transport.ndp.")) return "ndp";
  if (setting.path == "network.transport.thresholds") return "pias";
  if (is_of_mlt(setting)) return "mlt";
  if (setting.path.starts_with("network.transport.nscc.") ||
      std::ranges::find(keys_of_uet, setting.path) != std::end(keys_of_uet))
    return "uet";
  return "";
}

// Keys of RoCE that NDP, UET, PIAS, pFabric and MLT have, too.
constexpr std::string_view keys_of_placed[] = {
    "network.transport.payload", "network.transport.rto",    "network.transport.priority",
    "network.switch.classes",    "network.switch.scheduler",
};
constexpr std::string_view keys_of_controls[] = {"network.transport.congestion_control",
                                                 "network.transport.window"};

// What is for the one transport where there is only the other.
void mark_idle_transports(NetworkSpec& spec) {
  const BackendEntry* backend = find_backend(spec.backend);
  if (backend == nullptr || !backend->traits->has_packets) return;
  const TransportKind usual = backend->traits->transport;
  const bool roce = spec.uses(TransportKind::roce, usual);
  const bool tcp = spec.uses(TransportKind::tcp, usual);
  const bool ndp = spec.uses(TransportKind::ndp, usual);
  const bool uet = spec.uses(TransportKind::uet, usual);
  const bool pias = spec.uses(TransportKind::pias, usual);
  const bool mlt = spec.uses(TransportKind::mlt, usual);
  const bool others = ndp || uet || pias || spec.uses(TransportKind::pfabric, usual);
  for (GivenSetting& setting : spec.given) {
    if (ndp && setting.path == "network.transport.initial_window") continue;
    const std::string_view placed = placed_kind_of(setting);
    if ((placed == "ndp" && !ndp) || (placed == "uet" && !uet) || (placed == "pias" && !pias) ||
        (placed == "mlt" && !mlt))
      setting.needs = fmt::format("network.transport.kind: {}", placed);
    const bool shared = std::ranges::find(keys_of_placed, setting.path) != std::end(keys_of_placed);
    if (shared && others) continue;
    if (shared && mlt && setting.path != "network.transport.priority") continue;
    if (pias && setting.path.starts_with("network.transport.dctcp.")) {
      setting.needs.clear();
      continue;
    }
    if (!roce && !tcp &&
        std::ranges::find(keys_of_controls, setting.path) != std::end(keys_of_controls))
      setting.needs = "network.transport.kind: roce";
    if (!roce && is_of_roce(setting))
      setting.needs = shared ? "network.transport.kind: roce, ndp, uet, pfabric, pias or mlt"
                             : "network.transport.kind: roce";
    if ((roce || others || mlt) && !tcp &&
        std::ranges::find(keys_of_tcp, setting.path) != std::end(keys_of_tcp))
      setting.needs = "network.transport.kind: tcp";
  }
}

}  // namespace

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
  idle_unless(spec.routing.policy == RoutingPolicy::spray, {"network.routing.spray"},
              "network.routing.policy: spray");
  const bool flowlets =
      spec.routing.policy == RoutingPolicy::letflow || spec.routing.policy == RoutingPolicy::conga;
  idle_unless(flowlets, {"network.routing.flowlet_gap"}, "network.routing.policy: letflow");
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
  const bool selective = roce_of(spec.transport).recovery == RecoveryKind::selective_repeat;
  idle_unless(!selective, {"network.transport.nack_interval"},
              "network.transport.recovery: go_back_n");
  idle_unless(selective, {"network.transport.reorder_tolerance"},
              "network.transport.recovery: selective_repeat");
  const std::vector<PacketClass>& classes = spec.switches.classes;
  const std::initializer_list<std::string_view> of_pauses = {
      "network.switch.port_reserve", "network.switch.pfc.response",
      "network.switch.pfc.resume_offset", "network.switch.pfc.watchdog",
      "network.switch.pfc.on_watchdog"};
  idle_unless(classes.empty() || std::ranges::any_of(classes, &PacketClass::lossless), of_pauses,
              "a class with lossless: true");
  idle_unless(spec.switches.pfc.enabled, of_pauses, "network.switch.pfc.enabled: true");
  mark_idle_controls(spec);
  mark_idle_transports(spec);
  const std::size_t levels = topology == nullptr ? 0 : topology->levels.size();
  for (std::size_t i = 0; i < levels; ++i)
    idle_unless(topology->levels[i].kind == LevelKind::switched,
                {fmt::format("platform.topology.levels[{}].buffer", i)}, "switches on that level");
}

TransportKind NetworkSpec::transport_of(std::size_t level, Scope scope, TransportKind usual) const {
  if (level < levels.size() && levels[level].transport) return *levels[level].transport;
  return scope == Scope::local ? TransportKind::ideal : transport.kind.value_or(usual);
}

bool NetworkSpec::uses(TransportKind kind, TransportKind usual) const {
  return transport.kind.value_or(usual) == kind ||
         std::any_of(levels.begin(), levels.end(),
                     [&](const LevelNetworkSpec& level) { return level.transport == kind; });
}

std::vector<std::optional<Bytes>> NetworkSpec::level_buffers() const {
  std::vector<std::optional<Bytes>> buffers;
  for (const LevelNetworkSpec& level : levels) buffers.push_back(level.buffer);
  return buffers;
}

}  // namespace orrery
