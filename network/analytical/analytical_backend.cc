#include "network/analytical/analytical_backend.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"
#include "core/trace/byte_bins.h"
#include "network/analytical/egress_port.h"
#include "network/analytical/ingress_port.h"
#include "network/analytical/listener_numbers.h"
#include "network/analytical/routed_backend.h"
#include "network/backends.h"

namespace orrery {
namespace {

// For levels with their arithmetic routes: nothing but additions between a send and its event.
class AnalyticalBackend final : public NetworkBackend, private EventHandler {
 public:
  AnalyticalBackend(EventQueue& queue, const Topology& topology, const NetworkSpec& network)
      : queue_(queue),
        topology_(topology),
        npu_count_(topology.npu_count()),
        unused_settings_(settings_outside(network, {SettingGroup::routing})),
        transit_bytes_(topology.links().size()) {
    for (int level = 0; level < level_count(); ++level) {
      const LevelSpec& spec = topology.levels()[level];
      levels_.push_back({.kind = spec.kind,
                         .size = spec.size,
                         .stride = topology.stride(level),
                         .ports = topology.ports(level),
                         .first_port = ports_per_npu_,
                         .bandwidth = spec.bandwidth,
                         .latency = spec.latency});
      ports_per_npu_ += static_cast<std::uint32_t>(topology.ports(level));
    }
    CHECK(std::uint64_t{ports_per_npu_} * topology.npu_count() < 1ULL << 32, "{} ports on {} NPUs",
          ports_per_npu_, topology.npu_count());
    traffic_.resize(levels_.size());
    coordinates_per_npu_ = levels_.size();
    make_ports(topology.npu_count());
    for (std::int32_t npu = 0; npu < topology.npu_count(); ++npu)
      for (int level = 0; level < level_count(); ++level)
        coordinates_.push_back(topology.coordinate({npu}, level));
    handler_ = queue.add_handler(*this);
  }

  Time send(const Message& message, MessageListener& listener) override {
    DCHECK(message.source != message.target && message.size.value >= 0, "{} B from {} to {}",
           message.size.value, message.source.value, message.target.value);
    const bool between_npus = std::max(message.source, message.target).value < npu_count_;
    const Route route = between_npus ? route_of<true>(message) : route_at_switch(message);
    EgressPort& egress = egress_[route.egress];
    const Duration duration = egress.transfer.duration_of(message.size, route.bottleneck);
    const Time begin = std::max(queue_.now(), egress.free);
    egress.free = begin + duration;
    announce(message, route, begin, duration, listener);
    return egress.free;
  }

  // The egress ports are reserved at once; the messages are made one after the other as they begin
  // to leave, port by port, so that the receiving ports hold only what is on the way.
  std::optional<Time> send_series(const MessageSeries& messages, const MessageToken& series,
                                  std::int32_t count, MessageListener& listener) override {
    std::array<PortShare, kSeriesPorts> shares{};
    std::size_t ports = 0;
    for (std::int32_t n = 0; n < count; ++n) {
      const Message message = messages.message(series, n);
      if (std::max(message.source, message.target).value >= npu_count_) return std::nullopt;
      const Route route = route_of<false>(message);
      std::size_t p = 0;
      while (p < ports && shares[p].port != route.egress) ++p;
      if (p == kSeriesPorts) return std::nullopt;
      if (p == ports) shares[ports++] = {.port = route.egress, .first = n, .total = {}};
      const Duration duration =
          egress_[route.egress].transfer.duration_of(message.size, route.bottleneck);
      if (duration == Duration{}) return std::nullopt;  // would leave when the series has left
      shares[p].total += duration;
    }
    Time last;
    for (std::size_t p = 0; p < ports; ++p) {
      EgressPort& egress = egress_[shares[p].port];
      const Time begin = std::max(queue_.now(), egress.free);
      egress.free = begin + shares[p].total;
      last = std::max(last, egress.free);
      leave_from(
          hold({&messages, &listener, series, shares[p].first, count, shares[p].port, begin}));
    }
    return last;
  }

  // All ports are those of representatives. A route begins at the representative that sends, and
  // ends at the target's representative, at the port with the number that the target's port has.
  bool shares_ports() const override { return false; }
  FoldAnswer fold(const Fold& fold, const FoldedTraffic&) override {
    CHECK(messages_ == 0, "{} messages were sent before folding", messages_);
    multiplicity_ = fold.multiplicity();
    for (std::int32_t npu = 0; npu < npu_count_; ++npu)
      places_.push_back(fold.index_of(fold.representative(npu)));
    for (std::int32_t index = 0; index < npu_count_ / multiplicity_; ++index)
      representatives_.push_back(fold.representative_at(index));
    make_ports(npu_count_ / multiplicity_);
    return {};
  }

  NetworkStatistics statistics() const override;
  void watch_links(ByteBins& bins) override { watched_ = &bins; }
  std::span<const std::string> unused_settings() const override { return unused_settings_; }

 private:
  struct Level {  // what a route needs of a LevelSpec, close together
    LevelKind kind;
    std::int32_t size, stride, ports;
    std::uint32_t first_port;  // among the ports of an NPU
    Bandwidth bandwidth;
    Duration latency;  // of a link
    // The first port of its switches, NPU by NPU; made when the first message ends or begins there.
    std::size_t first_switch_port = 0;
  };
  struct PortShare {  // the messages of a series that leave through one port
    std::size_t port;
    std::int32_t first;  // of these messages
    Duration total;
  };
  // What of a series has yet to leave through one port.
  struct Held {
    const MessageSeries* messages;
    MessageListener* listener;
    MessageToken series;
    std::int32_t next, count;  // the next message that leaves through the port
    std::size_t port;
    Time begin;  // of that message
  };
  static constexpr std::size_t kSeriesPorts = 8;
  static constexpr std::uint64_t kHeldBit = std::uint64_t{1} << 40;  // of an event's argument
  struct Step {  // the part of a route within one level
    std::int32_t port, hops;
  };
  struct Route {
    std::size_t egress, ingress;  // indices of the ports
    Duration latency;
    Bandwidth bottleneck;
    std::int32_t distance;  // upwards from the source to the target, on each level
  };

  void make_ports(std::int32_t npus) {
    const std::size_t ports = npu_ports_ = std::size_t{ports_per_npu_} * npus;
    egress_ = std::vector<EgressPort>(ports);
    ingress_ = std::vector<IngressPort>(ports);
    head_ends_.assign(ports, Time::never());
  }

  [[gnu::always_inline]] inline void announce(const Message& message, const Route& route,
                                              Time begin, Duration duration,
                                              MessageListener& listener) {
    ++messages_;
    Time& head_end = head_ends_[route.ingress];
    if (ingress_[route.ingress].announce({.open = begin + route.latency,
                                          .duration = duration,
                                          .token = message.token,
                                          .size = message.size,
                                          .turn = turn_of(message, route.distance),
                                          .listener = listeners_.number_of(listener)},
                                         queue_.now(), head_end))
      queue_.schedule_early_at(head_end, handler_, route.ingress);
    if (watched_ != nullptr) [[unlikely]]
      watch(message, begin, begin + duration);
  }

  std::uint32_t hold(const Held& what) {
    if (free_held_.empty()) {
      held_.push_back(what);
      return static_cast<std::uint32_t>(held_.size() - 1);
    }
    const std::uint32_t id = free_held_.back();
    free_held_.pop_back();
    held_[id] = what;
    return id;
  }

  // Lets the messages leave whose time has come, and waits for that of the next.
  void leave_from(std::uint32_t id) {
    Held& held = held_[id];
    while (held.begin == queue_.now()) {
      const Message message = held.messages->message(held.series, held.next);
      const Route route = route_of<true>(message);
      const Duration duration =
          egress_[route.egress].transfer.duration_of(message.size, route.bottleneck);
      announce(message, route, held.begin, duration, *held.listener);
      held.begin += duration;
      do {
        if (++held.next == held.count) return free_held_.push_back(id);
      } while (ports_per_npu_ > 1 &&
               route_of<false>(held.messages->message(held.series, held.next)).egress != held.port);
    }
    queue_.schedule_early_at(held.begin, handler_, kHeldBit | id);
  }

  bool folded() const { return !places_.empty(); }
  // The place of the NPU's ports among those of all NPUs.
  std::int32_t place_of(std::int32_t npu) const { return folded() ? places_[npu] : npu; }
  // The representative of an NPU.
  NodeId like(std::int32_t npu) const { return {folded() ? representatives_[places_[npu]] : npu}; }
  int level_count() const { return static_cast<int>(topology_.levels().size()); }
  std::size_t port_index(std::int32_t npu, std::uint32_t number) const {
    return static_cast<std::size_t>(place_of(npu)) * ports_per_npu_ + number;
  }

  // The head of a port has ended; or it was displaced and something else happens to end later, or
  // another port of the NPU has dealt with it: what ends at one time at an NPU is delivered in the
  // order of its ports, which does not depend on who sent first.
  void on_event(std::uint64_t port) override {
    if ((port & kHeldBit) != 0) return leave_from(static_cast<std::uint32_t>(port & ~kHeldBit));
    if (head_ends_[port] != queue_.now()) return;
    const bool at_switch = port >= npu_ports_;
    if (ports_per_npu_ == 1 || at_switch) return deliver_head(port);
    const std::size_t first = port - static_cast<std::uint32_t>(port) % ports_per_npu_;
    for (std::size_t one = first; one < first + ports_per_npu_; ++one)
      while (head_ends_[one] == queue_.now()) deliver_head(one);
  }

  void deliver_head(std::size_t port) {
    const Arrival& head = ingress_[port].head();
    const MessageToken token = head.token;
    const Bytes size = head.size;
    MessageListener& listener = listeners_[head.listener];
    if (watched_ != nullptr) [[unlikely]]
      watch_arrival(port, head);
    ingress_[port].drop_head(queue_.now(), head_ends_[port]);
    if (head_ends_[port] != Time::never())
      queue_.schedule_early_at(head_ends_[port], handler_, port);
    listener.delivered(token, size);
  }

  // As Topology::egress_port() and hops(), in one go. `up` is the distance from one to the other.
  static Step step_of(const Level& level, std::int32_t from, std::int32_t to, std::int32_t up) {
    if (level.kind == LevelKind::switched) return {0, 2};
    if (level.kind == LevelKind::fully_connected) return {up - 1, 1};
    if (level.kind == LevelKind::mesh)
      return to > from ? Step{0, to - from} : Step{level.size == 2 ? 0 : 1, from - to};
    return 2 * up <= level.size ? Step{0, up} : Step{1, level.size - up};
  }

  // Level by level, innermost first: `here` moves towards the target one coordinate at a time.
  // Its bytes are counted if they are to be.
  template <bool counted>
  [[gnu::always_inline]] inline Route route_of(const Message& message) {
    const std::int32_t* from = &coordinates_[message.source.value * coordinates_per_npu_];
    const std::int32_t* to = &coordinates_[message.target.value * coordinates_per_npu_];
    Route route{};
    NodeId here = message.source;
    for (int l = 0; here != message.target; ++l) {
      if (from[l] == to[l]) continue;
      const Level& level = levels_[l];
      const std::int32_t up = to[l] > from[l] ? to[l] - from[l] : to[l] - from[l] + level.size;
      const Step step = step_of(level, from[l], to[l], up);
      route.distance += up * level.stride;
      const NodeId there{here.value + (to[l] - from[l]) * level.stride};
      const std::uint32_t number = level.first_port + static_cast<std::uint32_t>(step.port);
      const std::size_t egress = port_index(here.value, number);
      const std::size_t ingress = port_index(there.value, number);
      if (here == message.source) {
        route.egress = egress;
        route.bottleneck = level.bandwidth;
      }
      route.ingress = ingress;
      route.latency += level.latency * step.hops;
      route.bottleneck = std::min(route.bottleneck, level.bandwidth);

      if constexpr (counted) {
        traffic_[l][message.label] += message.size;
        egress_[egress].link_bytes += message.size;
        ingress_[ingress].link_bytes += message.size;
        if (step.hops > 1 && level.kind != LevelKind::switched)
          count_transit(l, here, there, step.port, message.size);
      }
      here = there;
    }
    return route;
  }

  // One link, from or to a switch.
  Route route_at_switch(const Message& message) {
    const bool up = message.source.value < npu_count_;
    const NodeId npu = up ? message.source : message.target;
    const NodeId other = up ? message.target : message.source;
    int l = 0;
    while (l < level_count() &&
           (levels_[l].kind != LevelKind::switched || topology_.switch_of(l, npu) != other))
      ++l;
    CHECK(l < level_count(), "npu {} is not attached to node {}", npu.value, other.value);
    Level& level = levels_[l];
    if (level.first_switch_port == 0) {
      level.first_switch_port = egress_.size();
      egress_.resize(egress_.size() + npu_count_);
      ingress_.resize(egress_.size());
      head_ends_.resize(egress_.size(), Time::never());
    }
    const std::size_t here = port_index(npu.value, level.first_port);
    const std::size_t there = level.first_switch_port + static_cast<std::size_t>(npu.value);
    traffic_[l][message.label] += message.size;
    (up ? egress_[here].link_bytes : ingress_[here].link_bytes) += message.size;
    return {.egress = up ? here : there,
            .ingress = up ? there : here,
            .latency = level.latency,
            .bottleneck = level.bandwidth,
            .distance = 0};
  }

  // The links of a ring or mesh after the first one. Folded: each is a representative's, of the
  // like of the message.
  void count_transit(int level, NodeId here, NodeId there, std::int32_t port, Bytes size) {
    const auto next = [&](NodeId npu) {
      return topology_.links()[topology_.egress_link(level, npu, port)].to;
    };
    for (NodeId npu = next(here); npu != there; npu = next(npu))
      transit_bytes_[topology_.egress_link(level, like(npu.value), port)] += size;
  }

  // Link after link, as the head of the message comes there; but the link from the last switch to
  // the target, if there is one, when its port takes the message in.
  void watch(const Message& message, Time begin, Time end) {
    const auto add = [&](std::size_t link) {
      watched_->add(link, begin, end, message.size);
      begin += topology_.links()[link].latency;
      end += topology_.links()[link].latency;
    };
    if (message.source.value >= npu_count_) return;
    if (message.target.value >= npu_count_) return add(link_to_switch(message));
    NodeId here = message.source;
    for (int l = 0; here != message.target; ++l) {
      const std::int32_t from = topology_.coordinate(here, l);
      const std::int32_t to = topology_.coordinate(message.target, l);
      if (from == to) continue;
      const NodeId there{here.value + (to - from) * topology_.stride(l)};
      const std::int32_t port = topology_.egress_port(l, from, to);
      if (levels_[l].kind == LevelKind::switched) {
        add(topology_.egress_link(l, here, port));
        if (there != message.target) add(topology_.switch_to_npu_link(l, there));
        here = there;
      }
      for (; here != there; here = topology_.links()[topology_.egress_link(l, here, port)].to)
        add(topology_.egress_link(l, here, port));
    }
  }

  std::size_t link_to_switch(const Message& message) const {
    int l = 0;
    while (levels_[l].kind != LevelKind::switched ||
           topology_.switch_of(l, message.source) != message.target)
      ++l;
    return topology_.egress_link(l, message.source, 0);
  }

  // The head of a port of an NPU ends now.
  void watch_arrival(std::size_t port, const Arrival& head) {
    if (port >= npu_ports_) return;
    const auto number = static_cast<std::uint32_t>(port % ports_per_npu_);
    int l = 0;
    while (levels_[l].first_port + static_cast<std::uint32_t>(levels_[l].ports) <= number) ++l;
    if (levels_[l].kind != LevelKind::switched) return;
    const NodeId npu{static_cast<std::int32_t>(port / ports_per_npu_)};
    const Time end = queue_.now() - levels_[l].latency;
    watched_->add(topology_.switch_to_npu_link(l, npu), end - head.duration, end, head.size);
  }

  EventQueue& queue_;
  const Topology& topology_;
  std::int32_t npu_count_;
  std::vector<std::string> unused_settings_;
  EventQueue::HandlerId handler_;
  std::vector<Level> levels_;
  std::vector<std::array<TotalBytes, 256>> traffic_;  // of each level, by Message::label
  std::size_t coordinates_per_npu_ = 0;               // as many as there are levels
  std::vector<std::int32_t> coordinates_;  // of each NPU, level by level: saves divisions
  std::uint32_t ports_per_npu_ = 0;
  std::size_t npu_ports_ = 0;  // of all NPUs; those of switches follow
  // If folded: of each NPU the index of its representative, and these.
  std::vector<std::int32_t> places_, representatives_;
  std::int32_t multiplicity_ = 1;   // of representatives
  std::vector<EgressPort> egress_;  // NPU by NPU
  std::vector<IngressPort> ingress_;
  std::vector<Time> head_ends_;  // of the ingress ports; Time::never() if nothing comes
  ListenerNumbers listeners_;
  std::vector<Held> held_;
  std::vector<std::uint32_t> free_held_;
  std::vector<TotalBytes> transit_bytes_;  // of each link, as Topology::links()
  std::uint64_t messages_ = 0;
  ByteBins* watched_ = nullptr;  // watch_links()
};

NetworkStatistics AnalyticalBackend::statistics() const {
  NetworkStatistics statistics{.levels = {},
                               .links = std::vector<TotalBytes>(transit_bytes_.size()),
                               .messages = messages_ * static_cast<std::uint64_t>(multiplicity_)};
  for (int level = 0; level < level_count(); ++level) {
    LevelTraffic traffic;
    for (const TotalBytes bytes : traffic_[level])
      traffic.bytes_by_label.push_back(bytes * multiplicity_);
    statistics.levels.push_back(std::move(traffic));
    const Level& ports = levels_[level];
    const bool switched = ports.kind == LevelKind::switched;
    for (std::int32_t npu = 0; npu < topology_.npu_count(); ++npu) {
      for (std::int32_t port = 0; port < ports.ports; ++port) {
        if (!topology_.has_link(level, {npu}, port)) continue;
        const std::size_t here = topology_.egress_link(level, {npu}, port);
        const std::size_t same = topology_.egress_link(level, like(npu), port);
        const auto number = ports.first_port + static_cast<std::uint32_t>(port);
        statistics.links[here] = transit_bytes_[same] + egress_[port_index(npu, number)].link_bytes;
      }
      if (switched)
        statistics.links[topology_.switch_to_npu_link(level, {npu})] =
            ingress_[port_index(npu, ports.first_port)].link_bytes;
    }
  }
  return statistics;
}

}  // namespace

const BackendTraits analytical_traits{
    .folds = true, .has_flows = true, .seconds_per_message = 0.45e-6};

std::unique_ptr<NetworkBackend> make_analytical_backend(EventQueue& queue, const Topology& topology,
                                                        const NetworkSpec& spec) {
  if (spec.routing.searches(topology.structural()))
    return make_routed_analytical_backend(queue, topology, spec);
  return std::make_unique<AnalyticalBackend>(queue, topology, spec);
}

}  // namespace orrery
