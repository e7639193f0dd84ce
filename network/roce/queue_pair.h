// A queue pair: messages from one NPU to another, in order, over one connection that lasts as long
// as the run. Both ends are here, with their state of control and recovery; the transport moves
// packets and time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "core/base/check.h"
#include "network/packet/flow_paths.h"
#include "network/packet/packet_transport.h"
#include "network/packet_statistics.h"
#include "network/transport/congestion_control.h"
#include "network/transport/recovery.h"
#include "network/transport/reorder_meter.h"

namespace orrery {

// One message on a pair: packets first to last, and where it is in the stream of its bytes.
struct PairMessage {
  MessageSlot slot = 0;
  PacketNumber first = 0, last = 0;
  std::int64_t start = 0, size = 0;  // bytes
  std::uint8_t label = 0;
  bool left = false;
};

// What keeps a pair from sending its next packet.
enum class WaitsFor : std::uint8_t { data, line, rate, window };

class QueuePair {
 public:
  QueuePair(NodeId source, NodeId destination, std::uint32_t of_all, std::uint32_t of_the_two,
            std::int64_t payload)
      : from(source), to(destination), index(of_all), number(of_the_two), payload_(payload) {}

  void add(MessageSlot slot, Bytes size, std::uint8_t label);

  // REQUIRES: it is of a message that is not acknowledged.
  PairMessage& message_of(PacketNumber packet);
  std::int64_t payload_of(const PairMessage& message, PacketNumber packet) const;
  // Bytes of the stream before this packet.
  Bytes stream_before(PacketNumber packet);

  PacketNumber end() const { return end_; }  // of what there is to send
  bool has_packet() { return recovery->next() < end_; }
  bool outstanding() const { return recovery->unacknowledged() < end_; }
  // The timeout counts: packets are on their way, or a gap was refused, which is no progress.
  bool waits_for_answers() const {
    return recovery->in_flight() > 0 ||
           (is_refused && recovery->unacknowledged() < recovery->never_sent());
  }
  // Bytes of payload that may be on the way, counted from the first that is not acknowledged.
  std::int64_t in_flight();
  // Bytes of its messages that are not acknowledged; 0 of the highest class.
  std::uint64_t left_to_send();
  // Takes the oldest message that is acknowledged and was not asked for.
  std::optional<MessageSlot> next_acknowledged();

  // The message whose last byte is there, the oldest that was not asked for; nullptr: none.
  const PairMessage* next_delivered();
  std::size_t undelivered() const { return messages_.size() - delivered_; }

  const NodeId from, to;
  const std::uint32_t index;
  const std::uint32_t number;  // of the pairs between the two
  std::uint8_t priority = 0;
  bool is_highest = false;        // TrafficClass::highest
  PacketNumber counted_from = 0;  // PIAS: what is sent counts from here
  LinkIndex link = 0;             // that it sends over
  double line = 0;                // its bandwidth, bytes per second
  std::int32_t hops = 0;
  PathChoice forward, backward;
  std::unique_ptr<CongestionControl> control;
  std::unique_ptr<Recovery> recovery;
  double window = CongestionControl::no_window;  // besides the control's

  // --- The NIC's ---
  bool is_ready = false;  // in a list of NicPort
  WaitsFor waits_for = WaitsFor::data;
  Time waits_since;
  std::uint32_t next_ready = 0;
  bool pace_comes = false, timer_comes = false, timeout_comes = false;
  Time pace_at, timer_at, sent_at;
  std::int64_t sent_bytes = 0;  // on the wire, of the last packet
  Duration round_trip;          // the last one
  Time progress_at;             // the timeout counts from here
  std::int32_t timeouts = 0;    // since then
  bool is_refused = false;      // a gap was, since there was progress or a timeout
  PacketNumber loss_heard = 0;  // the control knows of losses before this one

  // --- The receiver's ---
  std::int32_t unanswered = 0;  // packets, since the last acknowledgement
  bool last_marked = false, notified = false;
  Time notified_at;  // the last CNP
  ReorderMeter order;

  // --- Reports ---
  bool watched = false;
  std::vector<FlowSample> samples;
  std::uint64_t changes = 0, keep_every = 1;

 private:
  std::int64_t payload_;
  std::deque<PairMessage> messages_;  // not acknowledged
  std::size_t delivered_ = 0;         // of these
  PacketNumber end_ = 0;
  std::int64_t stream_ = 0;
};

}  // namespace orrery
