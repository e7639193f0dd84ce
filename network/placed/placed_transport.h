// Messages whose packets come in any order and are placed by offset: each packet is acknowledged by
// its number, one that was cut to its header is sent again, and receivers may ask for packets at
// the rate of their links. NDP and UET are settings of it. docs/models/unordered.md.
//
// Events: those of the fabric; one for each pull; one for the timeout of a pair that has something
// outstanding.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/base/random.h"
#include "network/packet/acknowledgements.h"
#include "network/packet/flow_paths.h"
#include "network/packet/nic_port.h"
#include "network/packet/packet_fabric.h"
#include "network/packet/packet_transport.h"
#include "network/placed/placed_pair.h"
#include "network/placed/placed_settings.h"

namespace orrery {

class PlacedTransport final : public PacketTransport,
                              private PacketOwner,
                              private RouteListener,
                              private EventHandler {
 public:
  PlacedTransport(const TransportParts& parts, PlacedSettings settings);

  void send(NodeId from, NodeId to, MessageSlot message, Bytes size, std::uint8_t label,
            TrafficClass traffic_class) override;
  bool acknowledges() const override { return true; }
  PacketStatistics statistics() const override;
  std::string unfinished() const override;
  void watch_links(ByteBins& bins) override { fabric_.watch_links(bins); }

 private:
  enum class PacketKind : std::uint8_t { data, acknowledgement, refusal, pull, returned };
  enum class Happens : std::uint64_t { timeout, pull };

  struct Carried {  // by a packet of the fabric
    std::uint32_t pair = 0;
    PacketKind kind = PacketKind::data;
    bool marked : 1 = false;  // echoed
    bool tells_left : 1 = false;
    bool again : 1 = false;
    std::uint8_t penalty = 0;   // of an acknowledgement: Acknowledgement::penalty
    std::uint32_t entropy = 0;  // of data, and echoed
    MessageSlot message = 0;
    PacketNumber number = 0;  // of data, and echoed
    // Pulls in all: of data, that its sender wants; of an answer, that will come; of a pull, so
    // far.
    std::uint64_t count = 0;
    std::uint64_t trims = 0;    // of data: those that its sender knows of
    std::uint64_t sending = 0;  // of data, and echoed: counts what its pair sent
    Time sent_at{};             // of data, and echoed
  };
  struct Puller {  // of a receiving NPU: pairs that wait for their turn
    std::deque<std::uint32_t> pairs;
    bool comes = false;
    Time at;
  };

  // --- Pairs ---
  PlacedPair& pair_between(NodeId from, NodeId to);
  void choose_paths(PlacedPair& pair);
  Bandwidth line_of(const PathChoice& choice) const;
  PathFacts facts_of(const PlacedPair& pair);

  // --- The sender ---
  static void begin_window(PlacedPair& pair);
  void update(std::uint32_t index);
  bool may_send(PlacedPair& pair);
  bool is_allowed(PlacedPair& pair);
  std::uint64_t demand_of(const PlacedPair& pair) const;
  void transmit(std::uint32_t index);
  std::uint32_t next_entropy(PlacedPair& pair);
  void take_acknowledgement(const Carried& carried);
  void find_lost(PlacedPair& pair, std::uint64_t seen);
  void take_refusal(const Carried& carried);
  void take_pull(const Carried& carried);
  void note_progress(PlacedPair& pair);
  void lose_oldest(PlacedPair& pair);
  void lose_all(PlacedPair& pair);
  Duration timeout_of(const PlacedPair& pair, std::int32_t in_a_row) const;
  Time waits_since(PlacedPair& pair) const;
  void arm_timeout(std::uint32_t index);
  void time_out(std::uint32_t index);
  [[noreturn]] void end_run(PlacedPair& pair);

  // --- The receiver ---
  void take_data(PacketIndex packet, const Carried& carried, bool marked);
  std::uint8_t penalty_of(NodeId receiver) const;
  void send_back(const Carried& what);
  void promise_pulls(PlacedPair& pair, const Carried& data);
  void pull_next(std::int32_t npu);
  void return_header(PacketIndex packet);

  // --- PacketOwner ---
  void packet_arrived(PacketIndex packet, bool marked) override;
  void packet_lost(PacketIndex packet) override;
  void packet_left(PacketIndex packet) override;
  bool pull(LinkIndex link) override;

  // --- RouteListener ---
  void links_changed(std::span<const LinkIndex> links) override;
  void routes_changed() override;

  void on_event(std::uint64_t argument) override;
  void schedule(Time when, Happens what, std::uint32_t which);
  void keep(PacketIndex packet, const Carried& what);

  EventQueue& queue_;
  const Topology& topology_;
  PacketTransport::Listener& listener_;
  PlacedSettings settings_;
  std::uint8_t data_priority_, answer_priority_;
  bool has_slow_receivers_;
  EventQueue::HandlerId handler_;
  PacketFabric fabric_;
  FlowPaths paths_;
  std::vector<std::unique_ptr<PlacedPair>> pairs_;
  std::unordered_map<std::uint64_t, std::uint32_t> pair_of_;
  std::vector<std::unique_ptr<NicPort>> ports_;              // by link; null: no pair sends over it
  std::vector<Puller> pullers_;                              // by NPU
  std::unordered_map<std::uint64_t, PathChoice> ways_back_;  // of headers, by node and sender
  std::vector<Carried> carried_;                             // by PacketIndex
  PacketStatistics counters_;
};

}  // namespace orrery
