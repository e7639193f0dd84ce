// RoCEv2 between NPUs: queue pairs, NICs that pull packets from them, acknowledgements,
// notifications (CNPs) and timeouts, on a fabric with priorities and pauses. docs/models/roce.md.
//
// Events: those of the fabric; one for each packet of a pair that is paced below line rate; and
// while a pair has something outstanding, one for its control's timer and one for its timeout.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "network/network_spec.h"
#include "network/packet/acknowledgements.h"
#include "network/packet/flow_paths.h"
#include "network/packet/nic_port.h"
#include "network/packet/packet_fabric.h"
#include "network/packet/packet_transport.h"
#include "network/roce/pair_settings.h"
#include "network/roce/queue_pair.h"
#include "network/roce/roce_captures.h"

namespace orrery {

class RoceTransport final : public PacketTransport,
                            private PacketOwner,
                            private RouteListener,
                            private EventHandler {
 public:
  RoceTransport(const TransportParts& parts, PairSettings settings);

  void send(NodeId from, NodeId to, MessageSlot message, Bytes size, std::uint8_t label,
            TrafficClass traffic_class) override;
  bool acknowledges() const override { return true; }
  PacketStatistics statistics() const override;
  std::string unfinished() const override;
  void watch_links(ByteBins& bins) override { fabric_.watch_links(bins); }

 private:
  enum class PacketKind : std::uint8_t { data, acknowledgement, refusal, notification };
  enum class Happens : std::uint64_t { pace, timer, timeout };

  struct Carried {  // by a packet of the fabric
    std::uint32_t pair = 0;
    PacketKind kind = PacketKind::data;
    bool marked = false;      // echoed
    bool tells_left = false;  // the last packet of a message, for the first time
    bool ends_message = false;
    bool again = false;      // data that was sent before
    bool selective = false;  // an acknowledgement of a packet out of order, `seen`
    MessageSlot message = 0;
    PacketNumber number = 0;  // of data; else what is expected
    PacketNumber seen = 0;    // of a refusal, or a selective acknowledgement
    Time sent_at{};           // of data, and echoed
  };
  struct Connections {  // of two NPUs and a priority
    std::vector<std::uint32_t> pairs;
    std::size_t next = 0;
  };

  // --- Pairs ---
  static std::uint64_t key_of(NodeId from, NodeId to, std::uint8_t priority) {
    return static_cast<std::uint64_t>(from.value) << 34 |
           static_cast<std::uint64_t>(to.value) << 3 | priority;
  }
  QueuePair& pair_for(NodeId from, NodeId to, std::uint8_t priority);
  QueuePair& flow_between(NodeId from, NodeId to, std::uint8_t priority);
  std::uint32_t make_pair(NodeId from, NodeId to, std::uint8_t priority, std::uint32_t number);
  void choose_paths(QueuePair& pair);
  PathFacts facts_of(const QueuePair& pair);
  double window_of(const PathFacts& facts) const;
  RoceSpec with_tolerance(const PathFacts& facts) const;

  // --- The sender ---
  void update(std::uint32_t index);
  void note_wait(QueuePair& pair, WaitsFor what);
  void set_priority(QueuePair& pair) const;
  std::uint32_t next_on(LinkIndex link);
  bool may_send(QueuePair& pair) const;
  Time next_send(const QueuePair& pair) const;
  void transmit(std::uint32_t index, PacketNumber number);
  void take_acknowledgement(PacketIndex packet, const Carried& carried);
  template <class Takes>
  void note_progress(QueuePair& pair, const Carried& carried, const Takes& takes);
  void note_loss(QueuePair& pair, const Carried& carried);
  void take_refusal(const Carried& carried);
  void tell_acknowledged(QueuePair& pair);
  void run_timers(QueuePair& pair);
  void arm_timer(std::uint32_t index);
  void arm_timeout(std::uint32_t index);
  void time_out(std::uint32_t index);
  [[noreturn]] void end_run(QueuePair& pair);
  void note_sample(QueuePair& pair);
  void capture_data(PacketIndex packet, const QueuePair& pair, const PairMessage& message,
                    PacketNumber number);
  void capture_answer(PacketIndex packet, const Carried& what, std::int64_t size);

  // --- The receiver ---
  void take_data(PacketIndex packet, const Carried& carried, bool marked);
  void answer(PacketIndex packet, const Carried& carried, Verdict verdict, bool marked);
  void notify_congestion(const Carried& carried);
  void send_back(const Carried& what, std::int64_t size, PacketIndex telemetry_of);
  void deliver(std::uint32_t index);

  // --- PacketOwner ---
  void packet_arrived(PacketIndex packet, bool marked) override;
  void packet_lost(PacketIndex packet) override;
  void packet_left(PacketIndex packet) override;
  void packet_starts(PacketIndex packet, LinkIndex link, bool marked) override {
    captures_.packet_starts(queue_.now(), packet, link, marked);
  }
  bool pull(LinkIndex link) override;
  void pause_lasts(const LastingPause& pause) override;

  // --- RouteListener ---
  void links_changed(std::span<const LinkIndex> links) override;
  void routes_changed() override;

  void on_event(std::uint64_t argument) override;
  void schedule(Time when, Happens what, std::uint32_t pair);

  EventQueue& queue_;
  const Topology& topology_;
  PacketTransport::Listener& listener_;
  PairSettings settings_;
  const RoceSpec& spec_;  // of these
  const ControlEntry* control_;
  std::vector<WatchedPair> watched_;
  bool ignores_pauses_;  // on_watchdog: drop
  EventQueue::HandlerId handler_;
  PacketFabric fabric_;
  RoceCaptures captures_;
  FlowPaths paths_;
  std::vector<std::unique_ptr<QueuePair>> pairs_;
  std::unordered_map<std::uint64_t, Connections> connections_;
  std::vector<std::unique_ptr<NicPort>> ports_;    // by link; null: no pair sends over it
  std::vector<Carried> carried_;                   // by PacketIndex
  std::vector<std::vector<HopTelemetry>> echoed_;  // by PacketIndex of acknowledgements
  PacketStatistics counters_;
};

}  // namespace orrery
