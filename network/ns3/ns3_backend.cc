#include "network/ns3/ns3_backend.h"

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
#include "network/ns3/tcp_network.h"
#include "network/routing/router.h"

namespace orrery {
namespace {

bool has_fluid(const NetworkSpec& spec) { return spec.transport.ideal == IdealModel::fluid; }

std::vector<std::string> unused_settings_of(const NetworkSpec& spec) {
  const std::initializer_list<SettingGroup> own = {
      SettingGroup::transport, SettingGroup::switch_buffer, SettingGroup::routing};
  const std::initializer_list<SettingGroup> with_fluid = {
      SettingGroup::transport, SettingGroup::switch_buffer, SettingGroup::routing,
      SettingGroup::fluid};
  return settings_outside(spec, has_fluid(spec) ? with_fluid : own);
}

std::unique_ptr<NetworkBackend> make_ideal(EventQueue& queue, const Topology& topology,
                                           const NetworkSpec& spec) {
  return has_fluid(spec) ? make_fluid_backend(queue, topology, spec)
                         : make_analytical_backend(queue, topology, spec);
}

class Ns3Backend final : public NetworkBackend,
                         private MessageListener,
                         private TcpNetwork::Listener {
 public:
  Ns3Backend(EventQueue& queue, const Topology& topology, const NetworkSpec& spec)
      : topology_(topology),
        unused_settings_(unused_settings_of(spec)),
        traffic_(topology.levels().size()),
        ideal_(make_ideal(queue, topology, spec)),
        router_(topology, spec.routing),
        tcp_(queue, topology, spec, *this) {
    for (std::size_t level = 0; level < topology.levels().size(); ++level)
      is_ideal_.push_back(spec.transport_of(level, topology.levels()[level].scope) ==
                          TransportKind::ideal);
  }

  Time send(const Message& message, MessageListener& listener) override {
    if (free_.empty()) {
      free_.push_back(static_cast<MessageSlot>(journeys_.size()));
      journeys_.emplace_back();
    }
    const MessageSlot slot = free_.back();
    free_.pop_back();
    journeys_[slot] = {message, &listener, message.source, false};
    ++messages_;
    return begin_leg(slot);
  }

  NetworkStatistics statistics() const override;
  void watch_links(ByteBins& bins) override {
    ideal_->watch_links(bins);
    tcp_.watch_links(bins);
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
    bool left = false;
  };
  struct Leg {
    NodeId to;
    bool ideal = false;
  };

  struct Way {  // as the router has it
    std::vector<std::int32_t> levels;
    bool ideal = false;
  };

  Time begin_leg(MessageSlot slot) {
    Journey& journey = journeys_[slot];
    const NodeId from = journey.here;
    const Leg leg = next_leg(journey);
    journey.here = leg.to;
    const Bytes size = journey.message.size;
    if (!leg.ideal) {
      tcp_.send(from, leg.to, slot, size, journey.message.label);
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

  // Also counts the bytes on the levels of a TCP leg; the ideal model counts its own.
  Leg next_leg(const Journey& journey) {
    const bool between_npus = journey.message.source.value < topology_.npu_count() &&
                              journey.message.target.value < topology_.npu_count();
    return topology_.structural() && between_npus ? leg_on_levels(journey) : leg_on_route(journey);
  }

  Leg leg_on_levels(const Journey& journey) {
    const NodeId target = journey.message.target;
    Leg leg{journey.here, false};
    bool begun = false;
    for (int l = 0; l < static_cast<int>(is_ideal_.size()); ++l) {
      const std::int32_t distance =
          topology_.coordinate(target, l) - topology_.coordinate(leg.to, l);
      if (distance == 0) continue;
      if (begun && is_ideal_[l] != leg.ideal) break;
      begun = true;
      leg.ideal = is_ideal_[l];
      leg.to.value += distance * topology_.stride(l);
      if (!leg.ideal) traffic_[l][journey.message.label] += journey.message.size;
    }
    return leg;
  }

  // On a graph, and to or from a switch: ideal if all links of the way are, else TCP all the way.
  Leg leg_on_route(const Journey& journey) {
    const Message& message = journey.message;
    const Way& way = way_between(message.source, message.target);
    for (const std::int32_t level : way.levels)
      if (!way.ideal) traffic_[level][message.label] += message.size;
    return {message.target, way.ideal};
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
    way.ideal = !levels.empty() && std::all_of(levels.begin(), levels.end(),
                                               [&](auto level) { return is_ideal_[level]; });
    return way;
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
    free_.push_back(slot);
    journey.listener->delivered(journey.message.token, journey.message.size);
  }

  // --- Of the ideal model ---
  void delivered(const MessageToken& token, Bytes) override { message_delivered(token.owner); }
  void injected(const MessageToken& token, NodeId) override { message_left(token.owner); }

  const Topology& topology_;
  std::vector<std::string> unused_settings_;
  std::vector<bool> is_ideal_;                        // of each level
  std::vector<std::array<TotalBytes, 256>> traffic_;  // of each level, by Message::label: over TCP
  std::vector<Journey> journeys_;
  std::vector<MessageSlot> free_;
  std::uint64_t messages_ = 0;
  std::unique_ptr<NetworkBackend> ideal_;
  Router router_;  // of graphs, for the levels of a way; faults do not change those
  std::unordered_map<std::uint64_t, Way> ways_;
  TcpNetwork tcp_;
};

NetworkStatistics Ns3Backend::statistics() const {
  NetworkStatistics statistics = ideal_->statistics();
  statistics.messages = messages_;
  statistics.packets = tcp_.statistics();
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

namespace {

// docs/models/ns3.md, "One message alone": 78 B more on the wire for each segment of 8,960 B; a
// packet's time for each further link, of at most 8; two round trips in which a window of 10
// segments, then 20, lets the line stand idle; and all of it once more, where an ideal level is
// left for one with TCP and the NPU between the two passes it on.
Duration tcp_tolerance(Bytes size, Bandwidth link, Duration round_trip) {
  const std::int64_t headers = 78 * (size.value / 8'960 + 1) + 1;
  return transfer_time(size + bytes(headers + 8 * 9'038), link) + round_trip * 2;
}

}  // namespace

const BackendTraits ns3_traits{
    .shares_links = true, .has_packets = true, .tolerance = &tcp_tolerance};

std::unique_ptr<NetworkBackend> make_ns3_backend(EventQueue& queue, const Topology& topology,
                                                 const NetworkSpec& spec) {
  return std::make_unique<Ns3Backend>(queue, topology, spec);
}

}  // namespace orrery
