#include "network/analytical/routed_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "core/trace/byte_bins.h"
#include "network/analytical/egress_port.h"
#include "network/analytical/ingress_port.h"
#include "network/analytical/listener_numbers.h"
#include "network/link_classes.h"
#include "network/routing/path_comparison.h"
#include "network/routing/router.h"

namespace orrery {
namespace {

class RoutedBackend final : public NetworkBackend, private EventHandler, private RouteListener {
 public:
  RoutedBackend(EventQueue& queue, const Topology& topology, const NetworkSpec& network)
      : queue_(queue),
        topology_(topology),
        unused_settings_(settings_outside(network, {SettingGroup::routing})),
        router_(topology, network.routing.of_flows(topology.structural())),
        comparison_(topology),
        traffic_(topology.levels().size()),
        egress_(topology.links().size()),
        ingress_(topology.links().size()),
        head_ends_(topology.links().size(), Time::never()),
        link_bytes_(topology.links().size()) {
    handler_ = queue.add_handler(*this);
    router_.schedule_changes(queue, *this);
    find_ports();
  }

  Time send(const Message& message, MessageListener& listener) override {
    DCHECK(message.source != message.target && message.size.value >= 0, "{} B from {} to {}",
           message.size.value, message.source.value, message.target.value);
    ++messages_;
    const std::optional<Time> sent = try_send(message, listener);
    if (sent) return *sent;
    held_.push_back({message, &listener});
    return Time::never();
  }

  // All ports are those of one NPU of each class. Nobody else uses them, so that their order is
  // that of the NPU's own doing.
  bool shares_ports() const override { return false; }
  FoldAnswer fold(const Fold& fold, const FoldedTraffic& traffic) override;

  NetworkStatistics statistics() const override;
  void watch_links(ByteBins& bins) override { watched_ = &bins; }
  std::span<const std::string> unused_settings() const override { return unused_settings_; }
  std::vector<std::string> notices() const override {
    if (!router_.relays()) return {};
    return {
        "some NPUs have no path between them: their messages went through another NPU of the "
        "sender's server (PXN). This backend does not count them on that NPU's NIC; "
        "network.backend: fluid does"};
  }

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
    EgressPort& egress = egress_[like(egress_port())];
    const Duration duration = egress.transfer.duration_of(message.size, bottleneck);
    const Time begin = std::max(queue_.now(), egress.free);
    egress.free = begin + duration;

    const LinkIndex into = like(ingress_port());
    if (ingress_[into].announce({.open = begin + latency,
                                 .duration = duration,
                                 .token = message.token,
                                 .size = message.size,
                                 .turn = turn_of(message, distance(message.source, message.target)),
                                 .listener = listeners_.number_of(listener)},
                                queue_.now(), head_ends_[into]))
      queue_.schedule_early_at(head_ends_[into], handler_, into);
    if (watched_ != nullptr) watch(message, begin, egress.free, into);
    return egress.free;
  }

  bool folded() const { return !classes_.like.empty(); }
  LinkIndex like(LinkIndex link) const { return folded() ? classes_.like[link] : link; }
  // Of the message with path_.
  LinkIndex egress_port() const {
    return port(path_.front(), path_.size() > 1 ? path_[1] : path_.front());
  }
  LinkIndex ingress_port() const {
    return port(path_.back(), path_.size() > 1 ? path_.end()[-2] : path_.back());
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

  static Bytes part_of(Bytes size, double fraction) {
    if (fraction == 1.0) return size;
    return {std::llround(static_cast<double>(size.value) * fraction)};
  }

  // Fills shares_ with the links that carry the message: those of path_, or all that the policy
  // wants, if they make no difference to its time. Then true.
  bool find_shares(NodeId from, NodeId to) {
    shares_.clear();
    if (takes_all_paths(router_.policy())) {
      router_.shares(from, to, shares_);
      const auto takes_all = [this](LinkIndex link) {
        return std::ranges::any_of(
            shares_, [=](const LinkShare& one) { return one.link == link && one.fraction == 1.0; });
      };
      if (comparison_.alike(from, shares_) && takes_all(egress_port()) && takes_all(ingress_port()))
        return true;
      shares_.clear();
    }
    for (const LinkIndex link : path_) shares_.push_back({link, 1.0});
    return !takes_all_paths(router_.policy());
  }

  void count(const Message& message) {
    std::uint64_t levels = 0;
    find_shares(message.source, message.target);
    for (const auto& [link, fraction] : shares_) {
      link_bytes_[like(link)] += part_of(message.size, fraction);
      levels |= std::uint64_t{1} << topology_.links()[link].level;
    }
    for (std::size_t level = 0; level < traffic_.size(); ++level)
      if (levels >> level & 1) traffic_[level][message.label] += message.size;
  }

  // Link after link, as the head of the message comes there; but at the port `into` when that takes
  // the message in.
  void watch(const Message& message, Time begin, Time end, LinkIndex into) {
    comparison_.alike(message.source, shares_);
    for (const auto& [link, fraction] : shares_) {
      if (link == into) continue;
      const Duration latency = comparison_.latency_to(topology_.links()[link].from);
      watched_->add(link, begin + latency, end + latency, part_of(message.size, fraction));
    }
  }

  // The head of a port has ended; or it was displaced and something else happens to end later, or
  // another port of the NPU has dealt with it: what ends at one time at an NPU is delivered in the
  // order of its ports, which does not depend on who sent first.
  void on_event(std::uint64_t first) override {
    if (head_ends_[first] != queue_.now()) return;
    const NodeId owner = port_owners_[first];
    if (owner == nobody) return deliver_head(static_cast<LinkIndex>(first));
    for (const LinkIndex port : ports_[owner.value])
      while (head_ends_[port] == queue_.now()) deliver_head(port);
  }

  void deliver_head(LinkIndex port) {
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

  void find_ports();
  void fold_ports(const Fold& fold);
  std::string crossings(NodeId from, NodeId to, std::vector<LinkCrossing>& crossings);
  bool ports_correspond(const Fold& fold) const;

  static constexpr NodeId nobody{-1};

  EventQueue& queue_;
  const Topology& topology_;
  std::vector<std::string> unused_settings_;
  Router router_;
  PathComparison comparison_;
  EventQueue::HandlerId handler_;
  std::vector<std::array<TotalBytes, 256>> traffic_;  // of each level, by Message::label
  std::vector<EgressPort> egress_;                    // of each link
  std::vector<IngressPort> ingress_;
  std::vector<Time> head_ends_;  // of the ingress ports; Time::never() if nothing comes
  ListenerNumbers listeners_;
  std::vector<TotalBytes> link_bytes_;
  std::vector<Held> held_;
  std::vector<LinkIndex> path_;    // of the message that is being sent
  std::vector<LinkShare> shares_;  // as find_shares() says
  // Of each node: of an NPU itself, of a NIC the only NPU that it serves; else nobody.
  std::vector<NodeId> owners_;
  // Of each NPU, those of its own that lead to it, and of each of these whose it is. If folded: the
  // ports that stand for those of a representative, which may be links of others it stands for.
  std::vector<std::vector<LinkIndex>> ports_;
  std::vector<NodeId> port_owners_;
  LinkClasses classes_;            // if folded
  std::int32_t multiplicity_ = 1;  // of representatives
  std::uint64_t messages_ = 0;
  ByteBins* watched_ = nullptr;  // watch_links()
};

void RoutedBackend::find_ports() {
  owners_.assign(static_cast<std::size_t>(topology_.node_count()), nobody);
  std::vector<bool> shared(owners_.size());
  for (std::int32_t npu = 0; npu < topology_.npu_count(); ++npu) owners_[npu] = {npu};
  for (const Link& link : topology_.links()) {
    if (topology_.node_kind(link.to) != NodeKind::nic || link.from.value >= topology_.npu_count())
      continue;
    NodeId& npu = owners_[link.to.value];
    if (npu != nobody && npu != link.from) shared[link.to.value] = true;
    npu = link.from;
  }
  for (std::size_t node = 0; node < owners_.size(); ++node)
    if (shared[node]) owners_[node] = nobody;
  ports_.resize(static_cast<std::size_t>(topology_.npu_count()));
  for (const Link& link : topology_.links()) port_owners_.push_back(owners_[link.to.value]);
  for (LinkIndex index = 0; index < port_owners_.size(); ++index)
    if (const NodeId owner = port_owners_[index]; owner != nobody)
      ports_[owner.value].push_back(index);
  // Links from neighbours come first, by distance, which is the same order at each NPU of a class.
  // Others keep the order of their numbers.
  for (std::int32_t npu = 0; npu < topology_.npu_count(); ++npu)
    std::ranges::stable_sort(ports_[npu], {}, [&](LinkIndex port) {
      const NodeId from = topology_.links()[port].from;
      return from.value < topology_.npu_count() ? distance(from, {npu})
                                                : std::numeric_limits<std::int32_t>::max();
    });
}

// A way is the share of the bytes, and which port it is.
std::string RoutedBackend::crossings(NodeId from, NodeId to, std::vector<LinkCrossing>& crossings) {
  path_.clear();
  if (!router_.path(from, to, 0, path_))
    return fmt::format("from {} to {} there is no path", topology_.node_name(from),
                       topology_.node_name(to));
  if (!find_shares(from, to))
    return fmt::format("the paths from {} to {} differ in latency, bandwidth or their ends",
                       topology_.node_name(from), topology_.node_name(to));
  const LinkIndex out = egress_port(), in = ingress_port();
  const auto owns = [this](NodeId npu, LinkIndex port) {
    const Link& link = topology_.links()[port];
    return owners_[link.from.value] == npu || owners_[link.to.value] == npu;
  };
  if (!owns(from, out) || !owns(to, in))
    return fmt::format("{} or {} shares its NIC", topology_.node_name(from),
                       topology_.node_name(to));
  Duration latency;
  for (const auto& [link, fraction] : shares_) {
    latency += topology_.links()[link].latency;
    const auto role = static_cast<std::uint64_t>((link == out ? 1 : 0) + (link == in ? 2 : 0));
    crossings.push_back({link, std::bit_cast<std::uint64_t>(fraction) ^ role});
  }
  if (latency == Duration{})
    return fmt::format("from {} to {} there is no latency", topology_.node_name(from),
                       topology_.node_name(to));
  return "";
}

FoldAnswer RoutedBackend::fold(const Fold& fold, const FoldedTraffic& traffic) {
  if (router_.changes_to_come()) return {"links fail or slow down during the run", {}};
  if (topology_.structural()) return {"routes are searched for, on levels", {}};
  if (const RoutingPolicy policy = router_.policy();
      policy == RoutingPolicy::qp_spread || policy == RoutingPolicy::valiant)
    return {fmt::format("network.routing.policy {} draws the way of each message", name_of(policy)),
            {}};
  const auto crossings_of = [&](NodeId from, NodeId to, FlowCrossings& found) {
    return crossings(from, to, found.own);
  };
  FoldAnswer answer = find_link_classes(topology_, fold, traffic, crossings_of, classes_);
  if (answer.folds() && !ports_correspond(fold)) answer = {"ports come in another order", {}};
  if (answer.folds())
    fold_ports(fold);
  else
    classes_ = {};
  return answer;
}

// What ends at one time is delivered port by port: in the same order at each NPU of a class.
bool RoutedBackend::ports_correspond(const Fold& fold) const {
  for (std::int32_t npu = 0; npu < topology_.npu_count(); ++npu) {
    const auto& here = ports_[npu];
    const auto& there = ports_[fold.representative(npu)];
    if (!std::ranges::equal(
            here, there, {}, [this](LinkIndex link) { return like(link); },
            [this](LinkIndex link) { return like(link); }))
      return false;
  }
  return true;
}

void RoutedBackend::fold_ports(const Fold& fold) {
  multiplicity_ = fold.multiplicity();
  for (std::int32_t index = 0; index < topology_.npu_count() / multiplicity_; ++index) {
    const NodeId npu{fold.representative_at(index)};
    for (LinkIndex& port : ports_[npu.value]) {
      port = like(port);
      port_owners_[port] = npu;
    }
  }
}

// Bytes were counted at one link of each class, those of its multiplicity_ messages.
NetworkStatistics RoutedBackend::statistics() const {
  NetworkStatistics statistics{.levels = {},
                               .links = link_bytes_,
                               .messages = messages_ * static_cast<std::uint64_t>(multiplicity_)};
  for (const auto& by_label : traffic_) {
    LevelTraffic& level = statistics.levels.emplace_back();
    for (const TotalBytes bytes : by_label) level.bytes_by_label.push_back(bytes * multiplicity_);
  }
  if (!folded()) return statistics;
  for (std::size_t link = 0; link < link_bytes_.size(); ++link) {
    const LinkIndex first = classes_.like[link];
    statistics.links[link] = (link_bytes_[first] * multiplicity_).mean(classes_.size[first]);
  }
  return statistics;
}

}  // namespace

std::unique_ptr<NetworkBackend> make_routed_analytical_backend(EventQueue& queue,
                                                               const Topology& topology,
                                                               const NetworkSpec& spec) {
  return std::make_unique<RoutedBackend>(queue, topology, spec);
}

}  // namespace orrery
