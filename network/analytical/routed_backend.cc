#include "network/analytical/routed_backend.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/check.h"
#include "core/trace/byte_bins.h"
#include "network/analytical/egress_port.h"
#include "network/analytical/ingress_port.h"
#include "network/analytical/listener_numbers.h"
#include "network/routing/router.h"

namespace orrery {
namespace {

class RoutedBackend final : public NetworkBackend, private EventHandler, private RouteListener {
 public:
  RoutedBackend(EventQueue& queue, const Topology& topology, const NetworkSpec& network)
      : queue_(queue),
        topology_(topology),
        unused_settings_(settings_outside(network, {SettingGroup::routing})),
        router_(topology, network.routing),
        traffic_(topology.levels().size()),
        egress_(topology.links().size()),
        ingress_(topology.links().size()),
        head_ends_(topology.links().size(), Time::never()),
        link_bytes_(topology.links().size()) {
    handler_ = queue.add_handler(*this);
    router_.schedule_changes(queue, *this);
  }

  std::optional<Time> send(const Message& message, MessageListener& listener) override {
    DCHECK(message.source != message.target && message.size.value >= 0, "{} B from {} to {}",
           message.size.value, message.source.value, message.target.value);
    ++messages_;
    const std::optional<Time> sent = try_send(message, listener);
    if (!sent) held_.push_back({message, &listener});
    return sent;
  }

  NetworkStatistics statistics() const override {
    NetworkStatistics statistics{.levels = {}, .links = link_bytes_, .messages = messages_};
    for (const auto& by_label : traffic_)
      statistics.levels.push_back({{by_label.begin(), by_label.end()}});
    return statistics;
  }
  void watch_links(ByteBins& bins) override { watched_ = &bins; }
  std::span<const std::string> unused_settings() const override { return unused_settings_; }

 private:
  struct Held {  // waits for routes to change
    Message message;
    MessageListener* listener;
  };

  // Nothing if there is no way now, but may be one later.
  std::optional<Time> try_send(const Message& message, MessageListener& listener) {
    path_.clear();
    const bool found =
        router_.path(message.source, message.target, router_.next_flow(message.source), path_);
    if (!found || !router_.carries(path_)) {
      if (!router_.changes_to_come()) router_.give_up(message.source, message.target, queue_);
      return std::nullopt;
    }
    count(message);
    Duration latency;
    Bandwidth bottleneck = router_.bandwidth(path_.front());
    for (const LinkIndex link : path_) {
      latency += topology_.links()[link].latency;
      bottleneck = std::min(bottleneck, router_.bandwidth(link));
    }
    EgressPort& egress = egress_[port(path_.front(), path_.size() > 1 ? path_[1] : path_.front())];
    const Duration duration = egress.transfer.duration_of(message.size, bottleneck);
    const Time begin = std::max(queue_.now(), egress.free);
    egress.free = begin + duration;

    const LinkIndex into = port(path_.back(), path_.size() > 1 ? path_.end()[-2] : path_.back());
    if (ingress_[into].announce({.open = begin + latency,
                                 .duration = duration,
                                 .token = message.token,
                                 .size = message.size,
                                 .turn = turn_of(message, distance(message.source, message.target)),
                                 .listener = listeners_.number_of(listener)},
                                queue_.now(), head_ends_[into]))
      queue_.schedule_early_at(head_ends_[into], handler_, into);
    if (watched_ != nullptr) watch(begin, egress.free, into, message.size);
    return egress.free;
  }

  // The link whose queue a message joins at one of its ends: the outermost one, `end`; but if a NIC
  // lies behind it, the NIC's link `inner` to the network, which the NPUs of that NIC share, unless
  // that is the faster one.
  LinkIndex port(LinkIndex end, LinkIndex inner) const {
    const Link& link = topology_.links()[end];
    const bool nic = topology_.node_kind(link.to) == NodeKind::nic ||
                     topology_.node_kind(link.from) == NodeKind::nic;
    return nic && topology_.links()[inner].bandwidth <= link.bandwidth ? inner : end;
  }

  // Upwards from the source, coordinate by coordinate, as where routes are arithmetic.
  std::int32_t distance(NodeId source, NodeId target) const {
    if (std::max(source, target).value >= topology_.npu_count())
      return (target.value - source.value + topology_.node_count()) % topology_.node_count();
    std::int32_t distance = 0;
    for (int level = 0; level < static_cast<int>(topology_.levels().size()); ++level) {
      const std::int32_t size = topology_.levels()[level].size;
      const std::int32_t up =
          topology_.coordinate(target, level) - topology_.coordinate(source, level);
      distance += (up < 0 ? up + size : up) * topology_.stride(level);
    }
    return distance;
  }

  void count(const Message& message) {
    std::uint64_t levels = 0;
    for (const LinkIndex link : path_) {
      link_bytes_[link] += message.size;
      levels |= std::uint64_t{1} << topology_.links()[link].level;
    }
    for (std::size_t level = 0; level < traffic_.size(); ++level)
      if (levels >> level & 1) traffic_[level][message.label] += message.size;
  }

  // Link after link, as the head of the message comes there; but at the port `into` when that takes
  // the message in.
  void watch(Time begin, Time end, LinkIndex into, Bytes size) {
    for (const LinkIndex link : path_) {
      if (link != into) watched_->add(link, begin, end, size);
      begin += topology_.links()[link].latency;
      end += topology_.links()[link].latency;
    }
  }

  // The head of a port has ended; or it was displaced and something else happens to end later.
  void on_event(std::uint64_t port) override {
    if (head_ends_[port] != queue_.now()) return;
    const Arrival arrival = ingress_[port].head();
    ingress_[port].drop_head(queue_.now(), head_ends_[port]);
    if (head_ends_[port] != Time::never())
      queue_.schedule_early_at(head_ends_[port], handler_, port);
    if (watched_ != nullptr) {
      const Time end = queue_.now() - topology_.links()[port].latency;
      watched_->add(port, end - arrival.duration, end, arrival.size);
    }
    listeners_[arrival.listener].delivered(arrival.token, arrival.size);
  }

  void links_changed(std::span<const LinkIndex>) override {}

  void routes_changed() override {
    std::vector<Held> waiting;
    waiting.swap(held_);
    for (const Held& held : waiting) {
      const std::optional<Time> sent = try_send(held.message, *held.listener);
      if (!sent) {
        held_.push_back(held);
        continue;
      }
      queue_.schedule(*sent - queue_.now(),
                      [listener = held.listener, token = held.message.token,
                       source = held.message.source] { listener->injected(token, source); });
    }
  }

  EventQueue& queue_;
  const Topology& topology_;
  std::vector<std::string> unused_settings_;
  Router router_;
  EventQueue::HandlerId handler_;
  std::vector<std::array<TotalBytes, 256>> traffic_;  // of each level, by Message::label
  std::vector<EgressPort> egress_;                    // of each link
  std::vector<IngressPort> ingress_;
  std::vector<Time> head_ends_;  // of the ingress ports; Time::never() if nothing comes
  ListenerNumbers listeners_;
  std::vector<TotalBytes> link_bytes_;
  std::vector<Held> held_;
  std::vector<LinkIndex> path_;  // of the message that is being sent
  std::uint64_t messages_ = 0;
  ByteBins* watched_ = nullptr;  // watch_links()
};

}  // namespace

std::unique_ptr<NetworkBackend> make_routed_analytical_backend(EventQueue& queue,
                                                               const Topology& topology,
                                                               const NetworkSpec& spec) {
  return std::make_unique<RoutedBackend>(queue, topology, spec);
}

}  // namespace orrery
