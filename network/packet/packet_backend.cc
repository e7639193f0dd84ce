#include "network/packet/packet_backend.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/base/check.h"
#include "network/analytical/analytical_backend.h"
#include "network/backends.h"
#include "network/fluid/fluid_backend.h"
#include "network/ideal_model.h"
#include "network/packet/packet_transport.h"
#include "network/packet/tensor_clock.h"
#include "network/packet/transports.h"
#include "network/routing/router.h"

namespace orrery {
namespace {

std::vector<std::string> unused_settings_of(const NetworkSpec& spec, IdealModel ideal) {
  const std::initializer_list<SettingGroup> own = {
      SettingGroup::transport, SettingGroup::switch_buffer, SettingGroup::routing};
  const std::initializer_list<SettingGroup> with_fluid = {
      SettingGroup::transport, SettingGroup::switch_buffer, SettingGroup::routing,
      SettingGroup::fluid};
  return settings_outside(spec, ideal == IdealModel::fluid ? with_fluid : own);
}

std::unique_ptr<NetworkBackend> make_ideal(EventQueue& queue, const Topology& topology,
                                           const NetworkSpec& spec, IdealModel model) {
  return model == IdealModel::fluid ? make_fluid_backend(queue, topology, spec)
                                    : make_analytical_backend(queue, topology, spec);
}

class PacketBackend final : public NetworkBackend,
                            private MessageListener,
                            private PacketTransport::Listener {
 public:
  PacketBackend(TransportKind usual, EventQueue& queue, const Topology& topology,
                const NetworkSpec& spec)
      : queue_(queue),
        topology_(topology),
        ideal_model_(ideal_model_of(spec, topology, usual)),
        unused_settings_(unused_settings_of(spec, ideal_model_)),
        traffic_(topology.levels().size()),
        late_(topology.levels().size()),
        ideal_(make_ideal(queue, topology, spec, ideal_model_)),
        router_(topology, spec.routing) {
    for (std::size_t level = 0; level < topology.levels().size(); ++level)
      kinds_.push_back(spec.transport_of(level, topology.levels()[level].scope, usual));
    make_transports({queue, topology, spec, *this});
  }

  Time send(const Message& message, MessageListener& listener) override {
    if (free_.empty()) {
      free_.push_back(static_cast<MessageSlot>(journeys_.size()));
      journeys_.emplace_back();
    }
    const MessageSlot slot = free_.back();
    free_.pop_back();
    journeys_[slot] = {message, &listener, message.source, queue_.now()};
    ++messages_;
    return begin_leg(slot);
  }

  NetworkStatistics statistics() const override;
  std::string unfinished() const override {
    std::string text = ideal_->unfinished();
    for (const auto& transport : transports_)
      if (transport != nullptr) text += transport->unfinished();
    return text;
  }
  void watch_links(ByteBins& bins) override {
    ideal_->watch_links(bins);
    for (const auto& transport : transports_)
      if (transport != nullptr) transport->watch_links(bins);
  }
  std::span<const std::string> unused_settings() const override { return unused_settings_; }
  std::vector<std::string> notices() const override { return ideal_->notices(); }

 private:
  // A message goes leg by leg: a leg is as many levels as have the same transport, and ends at an
  // NPU, which has the whole message before it passes it on.
  struct Journey {
    Message message;
    MessageListener* listener = nullptr;
    NodeId here;
    Time sent;
    bool left = false;
    // The delivery, and the acknowledgement of each leg that has one.
    std::int32_t open_ends = 1;
  };
  struct Leg {
    NodeId to;
    TransportKind kind = TransportKind::ideal;
  };

  struct Way {  // as the router has it
    std::vector<std::int32_t> levels;
    Duration latency;
    TransportKind kind = TransportKind::ideal;
  };

  // Those that carry levels, in the order of their list.
  void make_transports(const TransportParts& parts) {
    for (const TransportEntry& entry : packet_transports()) {
      if (std::find(kinds_.begin(), kinds_.end(), entry.kind) == kinds_.end()) continue;
      CHECK(entry.make != nullptr, "this build has no transport ", entry.name);
      transports_[static_cast<std::size_t>(entry.kind)] = entry.make(parts);
    }
  }

  PacketTransport& transport(TransportKind kind) {
    return *transports_[static_cast<std::size_t>(kind)];
  }

  Time begin_leg(MessageSlot slot) {
    Journey& journey = journeys_[slot];
    const NodeId from = journey.here;
    const Leg leg = next_leg(journey);
    journey.here = leg.to;
    const Bytes size = journey.message.size;
    if (leg.kind != TransportKind::ideal) {
      if (transport(leg.kind).acknowledges()) ++journey.open_ends;
      transport(leg.kind).send_part(from, leg.to, slot, size, journey.message.label,
                                    journey.message.traffic_class, journey.message.tensor);
      return Time::never();
    }
    Message part = journey.message;
    part.source = from;
    part.target = leg.to;
    part.token = {.owner = slot};
    const Time left = ideal_->send(part, *this);
    journeys_[slot].left = journeys_[slot].left || left != Time::never();
    return left;
  }

  // Also counts the bytes on the levels of a leg with packets; the ideal model counts its own.
  Leg next_leg(const Journey& journey) {
    const bool between_npus = journey.message.source.value < topology_.npu_count() &&
                              journey.message.target.value < topology_.npu_count();
    return topology_.structural() && between_npus ? leg_on_levels(journey) : leg_on_route(journey);
  }

  Leg leg_on_levels(const Journey& journey) {
    const NodeId target = journey.message.target;
    Leg leg{journey.here};
    bool begun = false;
    for (int l = 0; l < static_cast<int>(kinds_.size()); ++l) {
      const std::int32_t distance =
          topology_.coordinate(target, l) - topology_.coordinate(leg.to, l);
      if (distance == 0) continue;
      if (begun && kinds_[l] != leg.kind) break;
      begun = true;
      leg.kind = kinds_[l];
      leg.to.value += distance * topology_.stride(l);
      if (leg.kind != TransportKind::ideal)
        traffic_[l][journey.message.label] += journey.message.size;
    }
    return leg;
  }

  // On a graph, and to or from a switch: ideal if all links of the way are, else packets all the
  // way.
  Leg leg_on_route(const Journey& journey) {
    const Message& message = journey.message;
    const Way& way = way_between(message.source, message.target);
    for (const std::int32_t level : way.levels)
      if (way.kind != TransportKind::ideal) traffic_[level][message.label] += message.size;
    return {message.target, way.kind};
  }

  const Way& way_between(NodeId from, NodeId to) {
    const std::uint64_t pair =
        static_cast<std::uint64_t>(from.value) << 32 | static_cast<std::uint32_t>(to.value);
    const auto [found, is_new] = ways_.try_emplace(pair);
    if (!is_new) return found->second;
    std::vector<LinkIndex> links;
    router_.path(from, to, 0, links);
    std::set<std::int32_t> levels;
    for (const LinkIndex link : links) levels.insert(topology_.links()[link].level);
    Way& way = found->second;
    way.levels.assign(levels.begin(), levels.end());
    for (const LinkIndex link : links) way.latency += topology_.links()[link].latency;
    way.kind = kind_over(way.levels);
    return way;
  }

  // Levels with packets have one transport where messages cross several of them
  // (network/problems.h). No level: the two are cut off, which a transport tells.
  TransportKind kind_over(const std::vector<std::int32_t>& levels) const {
    const auto with_packets = [](TransportKind kind) { return kind != TransportKind::ideal; };
    if (levels.empty()) {
      const auto any = std::find_if(kinds_.begin(), kinds_.end(), with_packets);
      return any == kinds_.end() ? TransportKind::ideal : *any;
    }
    for (const std::int32_t level : levels)
      if (with_packets(kinds_[level])) return kinds_[level];
    return TransportKind::ideal;
  }

  void message_left(MessageSlot slot) override {
    Journey& journey = journeys_[slot];
    if (journey.left) return;
    journey.left = true;
    journey.listener->injected(journey.message.token, journey.message.source);
  }

  void message_delivered(MessageSlot slot) override {
    if (journeys_[slot].here != journeys_[slot].message.target) {
      begin_leg(slot);
      return;
    }
    const Journey journey = journeys_[slot];
    close_end(slot);
    note_late(journey);
    tensors_.note(journey.message.tensor, queue_.now() - journey.sent);
    journey.listener->delivered(journey.message.token, journey.message.size);
  }

  void note_late(const Journey& journey) {
    const auto [from, to] = std::pair(journey.message.source, journey.message.target);
    if (std::max(from, to).value >= topology_.npu_count()) return;
    int outermost = -1;
    Duration latency;
    for (int l = 0; l < static_cast<int>(kinds_.size()); ++l) {
      const std::int32_t here = topology_.coordinate(from, l), there = topology_.coordinate(to, l);
      if (here == there) continue;
      outermost = l;
      latency += topology_.path_latency(l, here, there);
    }
    if (outermost < 0) return;
    if (!topology_.structural()) latency = way_between(from, to).latency;
    const Bandwidth bandwidth = topology_.levels()[outermost].bandwidth;
    const Duration alone = transfer_time(journey.message.size, bandwidth) + latency;
    const Duration took = queue_.now() - journey.sent;
    if (took > alone) late_[outermost] += took - alone;
  }

  void message_acknowledged(MessageSlot slot) override {
    const Journey journey = journeys_[slot];
    close_end(slot);
    if (journey.open_ends == 1) journey.listener->acknowledged(journey.message.token);
  }

  void close_end(MessageSlot slot) {
    if (--journeys_[slot].open_ends == 0) free_.push_back(slot);
  }

  // --- Of the ideal model ---
  void delivered(const MessageToken& token, Bytes) override { message_delivered(token.owner); }
  void injected(const MessageToken& token, NodeId) override { message_left(token.owner); }

  EventQueue& queue_;
  const Topology& topology_;
  IdealModel ideal_model_;
  std::vector<std::string> unused_settings_;
  std::vector<TransportKind> kinds_;  // of each level
  std::vector<std::array<TotalBytes, 256>>
      traffic_;                  // of each level, by Message::label: in packets
  std::vector<TotalTime> late_;  // PacketStatistics::late
  std::vector<Journey> journeys_;
  std::vector<MessageSlot> free_;
  std::uint64_t messages_ = 0;
  TensorClock tensors_;
  std::unique_ptr<NetworkBackend> ideal_;
  Router router_;  // of graphs, for the levels of a way; faults do not change those
  std::unordered_map<std::uint64_t, Way> ways_;
  std::array<std::unique_ptr<PacketTransport>, transport_kinds.size()> transports_;  // by kind
};

NetworkStatistics PacketBackend::statistics() const {
  NetworkStatistics statistics = ideal_->statistics();
  statistics.messages = messages_;
  statistics.packets.emplace();
  statistics.packets->links.resize(statistics.links.size());
  for (const auto& transport : transports_)
    if (transport != nullptr) add(*statistics.packets, transport->statistics());
  statistics.packets->tensors = tensors_.times();
  statistics.packets->late = late_;
  for (std::size_t level = 0; level < traffic_.size(); ++level) {
    std::vector<TotalBytes>& by_label = statistics.levels[level].bytes_by_label;
    by_label.resize(traffic_[level].size());
    for (std::size_t label = 0; label < by_label.size(); ++label)
      by_label[label] += traffic_[level][label];
  }
  for (std::size_t i = 0; i < statistics.links.size(); ++i)
    statistics.links[i] += statistics.packets->links[i].sent;
  return statistics;
}

}  // namespace

std::unique_ptr<NetworkBackend> make_packet_backend_with(TransportKind usual, EventQueue& queue,
                                                         const Topology& topology,
                                                         const NetworkSpec& spec) {
  return std::make_unique<PacketBackend>(usual, queue, topology, spec);
}

const BackendTraits packet_traits{.shares_links = true,
                                  .has_packets = true,
                                  .transport = TransportKind::roce,
                                  .tolerance = &roce_tolerance};

std::unique_ptr<NetworkBackend> make_packet_backend(EventQueue& queue, const Topology& topology,
                                                    const NetworkSpec& spec) {
  return make_packet_backend_with(packet_traits.transport, queue, topology, spec);
}

}  // namespace orrery
