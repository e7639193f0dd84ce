#include "network/analytical/analytical_backend.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"
#include "network/analytical/egress_port.h"
#include "network/analytical/ingress_port.h"
#include "network/analytical/routed_backend.h"

namespace orrery {
namespace {

// For levels with their arithmetic routes: nothing but additions between a send and its event.
class AnalyticalBackend final : public NetworkBackend, private EventHandler {
 public:
  AnalyticalBackend(EventQueue& queue, const Topology& topology, const NetworkSpec& network)
      : queue_(queue),
        topology_(topology),
        unused_settings_(settings_outside(network, {SettingGroup::routing})),
        transit_bytes_(topology.links().size()) {
    std::size_t ports = 0;
    for (int level = 0; level < level_count(); ++level) {
      const LevelSpec& spec = topology.levels()[level];
      levels_.push_back({.kind = spec.kind,
                         .size = spec.size,
                         .stride = topology.stride(level),
                         .ports = topology.ports(level),
                         .first_port = ports,
                         .bandwidth = spec.bandwidth,
                         .latency = spec.latency});
      ports += static_cast<std::size_t>(topology.npu_count()) * topology.ports(level);
    }
    traffic_.resize(levels_.size());
    egress_.resize(ports);
    ingress_.resize(ports);
    for (std::int32_t npu = 0; npu < topology.npu_count(); ++npu)
      for (int level = 0; level < level_count(); ++level)
        coordinates_.push_back(topology.coordinate({npu}, level));
    handler_ = queue.add_handler(*this);
  }

  std::optional<Time> send(const Message& message, MessageListener& listener) override {
    DCHECK(message.source != message.target && message.size.value >= 0, "{} B from {} to {}",
           message.size.value, message.source.value, message.target.value);
    const Route route = route_of(message);
    ++messages_;

    EgressPort& egress = egress_[route.egress];
    const Duration duration = egress.duration_of(message.size, route.bottleneck);
    const Time begin = std::max(queue_.now(), egress.free);
    egress.free = begin + duration;

    IngressPort& ingress = ingress_[route.ingress];
    if (ingress.announce({.open = begin + route.latency,
                          .duration = duration,
                          .token = message.token,
                          .size = message.size,
                          .listener = &listener},
                         queue_.now()))
      queue_.schedule_at(ingress.head_end(), handler_, route.ingress);
    return egress.free;
  }

  NetworkStatistics statistics() const override;
  std::span<const std::string> unused_settings() const override { return unused_settings_; }

 private:
  struct Level {  // what a route needs of a LevelSpec, close together
    LevelKind kind;
    std::int32_t size, stride, ports;
    std::size_t first_port;  // in egress_ and ingress_: npu by npu, port by port
    Bandwidth bandwidth;
    Duration latency;  // of a link
  };
  struct Step {  // the part of a route within one level
    std::int32_t port, hops;
  };
  struct Route {
    std::size_t egress, ingress;  // indices of the ports
    Duration latency;
    Bandwidth bottleneck;
  };

  int level_count() const { return static_cast<int>(topology_.levels().size()); }
  std::size_t port_index(int level, NodeId npu, std::int32_t port) const {
    return levels_[level].first_port + static_cast<std::size_t>(npu.value) * levels_[level].ports +
           port;
  }

  // The head of a port has ended; or it was displaced and something else happens to end later.
  void on_event(std::uint64_t port) override {
    IngressPort& ingress = ingress_[port];
    if (ingress.head_end() != queue_.now()) return;
    const Arrival arrival = ingress.take_head(queue_.now());
    if (!ingress.empty()) queue_.schedule_at(ingress.head_end(), handler_, port);
    arrival.listener->delivered(arrival.token, arrival.size);
  }

  // As Topology::egress_port() and hops(), in one go. REQUIRES: from != to.
  static Step step_of(const Level& level, std::int32_t from, std::int32_t to) {
    if (level.kind == LevelKind::switched) return {0, 2};
    const std::int32_t up = to > from ? to - from : to - from + level.size;
    if (level.kind == LevelKind::fully_connected) return {up - 1, 1};
    if (level.kind == LevelKind::mesh)
      return to > from ? Step{0, to - from} : Step{level.size == 2 ? 0 : 1, from - to};
    return 2 * up <= level.size ? Step{0, up} : Step{1, level.size - up};
  }

  // Level by level, innermost first: `here` moves towards the target one coordinate at a time.
  Route route_of(const Message& message) {
    const std::int32_t* from = &coordinates_[message.source.value * levels_.size()];
    const std::int32_t* to = &coordinates_[message.target.value * levels_.size()];
    Route route{.egress = 0, .ingress = 0, .latency = {}, .bottleneck = {}};
    NodeId here = message.source;
    for (int l = 0; here != message.target; ++l) {
      if (from[l] == to[l]) continue;
      const Level& level = levels_[l];
      const Step step = step_of(level, from[l], to[l]);
      const NodeId there{here.value + (to[l] - from[l]) * level.stride};
      const std::size_t egress = port_index(l, here, step.port);
      const std::size_t ingress = port_index(l, there, step.port);
      if (here == message.source) {
        route.egress = egress;
        route.bottleneck = level.bandwidth;
      }
      route.ingress = ingress;
      route.latency += level.latency * step.hops;
      route.bottleneck = std::min(route.bottleneck, level.bandwidth);

      traffic_[l][message.label] += message.size;
      egress_[egress].link_bytes += message.size;
      ingress_[ingress].link_bytes += message.size;
      if (step.hops > 1 && level.kind != LevelKind::switched)
        count_transit(l, here, there, step.port, message.size);
      here = there;
    }
    return route;
  }

  // The links of a ring or mesh after the first one.
  void count_transit(int level, NodeId here, NodeId there, std::int32_t port, Bytes size) {
    const auto next = [&](NodeId npu) {
      return topology_.links()[topology_.egress_link(level, npu, port)].to;
    };
    for (NodeId npu = next(here); npu != there; npu = next(npu))
      transit_bytes_[topology_.egress_link(level, npu, port)] += size;
  }

  EventQueue& queue_;
  const Topology& topology_;
  std::vector<std::string> unused_settings_;
  EventQueue::HandlerId handler_;
  std::vector<Level> levels_;
  std::vector<std::array<Bytes, 256>> traffic_;  // of each level, by Message::label
  std::vector<std::int32_t> coordinates_;        // of each NPU, level by level: saves divisions
  std::vector<EgressPort> egress_;
  std::vector<IngressPort> ingress_;
  std::vector<Bytes> transit_bytes_;  // of each link, as Topology::links()
  std::uint64_t messages_ = 0;
};

NetworkStatistics AnalyticalBackend::statistics() const {
  NetworkStatistics statistics{.levels = {}, .links = transit_bytes_, .messages = messages_};
  for (int level = 0; level < level_count(); ++level) {
    const auto& by_label = traffic_[level];
    statistics.levels.push_back({{by_label.begin(), by_label.end()}});
    for (std::int32_t npu = 0; npu < topology_.npu_count(); ++npu) {
      for (std::int32_t port = 0; port < levels_[level].ports; ++port) {
        if (!topology_.has_link(level, {npu}, port)) continue;
        statistics.links[topology_.egress_link(level, {npu}, port)] +=
            egress_[port_index(level, {npu}, port)].link_bytes;
      }
      if (topology_.levels()[level].kind == LevelKind::switched)
        statistics.links[topology_.switch_to_npu_link(level, {npu})] +=
            ingress_[port_index(level, {npu}, 0)].link_bytes;
    }
  }
  return statistics;
}

}  // namespace

std::unique_ptr<NetworkBackend> make_analytical_backend(EventQueue& queue, const Topology& topology,
                                                        const NetworkSpec& spec) {
  if (spec.routing.searches(topology.structural()))
    return make_routed_analytical_backend(queue, topology, spec);
  return std::make_unique<AnalyticalBackend>(queue, topology, spec);
}

}  // namespace orrery
