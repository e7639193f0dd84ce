// Messages from one NPU to another whose packets come in any order and are placed by their offset.
// Both ends are here, with their state; the transport moves packets and time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/base/check.h"
#include "network/packet/flow_paths.h"
#include "network/packet/packet_transport.h"
#include "network/transport/congestion_control.h"
#include "network/transport/packet_ledger.h"
#include "network/transport/reorder_meter.h"

namespace orrery {

struct PlacedMessage {
  MessageSlot slot = 0;
  PacketNumber first = 0, last = 0;
  std::int64_t size = 0;  // bytes
  std::uint8_t label = 0;
  std::uint64_t missing = 0, unacknowledged = 0;  // packets
  bool left = false;
};

class PlacedPair {
 public:
  PlacedPair(NodeId source, NodeId destination, std::uint32_t of_all, std::int64_t payload)
      : from(source), to(destination), index(of_all), payload_(payload) {}

  void add(MessageSlot slot, Bytes size, std::uint8_t label) {
    const auto packets = static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, (size.value + payload_ - 1) / payload_));
    const PacketNumber first = ledger.end();
    messages.push_back({.slot = slot,
                        .first = first,
                        .last = first + packets - 1,
                        .size = size.value,
                        .label = label,
                        .missing = packets,
                        .unacknowledged = packets});
    ledger.add(packets);
  }
  // REQUIRES: it is of a message that is not acknowledged.
  PlacedMessage& message_of(PacketNumber packet) {
    if (packet <= messages.front().last) return messages.front();
    const auto found = std::partition_point(messages.begin(), messages.end(),
                                            [&](const auto& one) { return one.last < packet; });
    DCHECK(found != messages.end() && found->first <= packet, "packet {} of no message", packet);
    return *found;
  }
  std::int64_t payload_of(const PlacedMessage& message, PacketNumber packet) const {
    const auto place = static_cast<std::int64_t>(packet - message.first);
    return std::min(payload_, message.size - place * payload_);
  }

  const NodeId from, to;
  const std::uint32_t index;
  PathChoice forward, backward;
  std::deque<PlacedMessage> messages;  // not acknowledged

  // --- The sender's ---
  PacketLedger ledger;
  std::unique_ptr<CongestionControl> control;  // null: none
  Duration round_trip;                         // idle
  bool is_ready = false;                       // in a list of NicPort, of the link of `path`
  std::uint32_t next_ready = 0;
  PathIndex path = 0;
  struct Sending {
    PacketNumber number;
    Time at;
  };
  std::deque<Sending> sendings;  // the last ones, that may still be found to be lost
  std::uint64_t transmissions = 0;
  // What it may send in all: of its own, as it was asked, and again after a loss that the receiver
  // does not know of.
  std::uint64_t unsolicited = 0, pulled = 0, extra = 0;
  std::uint64_t trims = 0;    // that it knows of
  std::uint64_t coming = 0;   // pulls in all, as the receiver's answers tell
  std::uint64_t initial = 1;  // packets, without being asked
  std::int64_t sent_bytes = 0, acknowledged_bytes = 0;
  std::uint32_t turn = 0;          // of entropy values
  std::deque<std::uint32_t> good;  // entropy values that came back unmarked, the oldest first
  bool timeout_comes = false;
  Time progress_at;
  std::int32_t timeouts = 0;

  // --- The receiver's ---
  Bandwidth asks_at;  // of all ports that its answers leave over; 0: it has no path
  ArrivalMap arrivals;
  ReorderMeter order;
  std::uint64_t trims_seen = 0;
  // Packets that it is asked for in all, ...
  std::uint64_t wanted = 0, promised = 0, pulls_sent = 0;
  std::uint64_t pulls_waiting = 0;  // ... promised and not sent
  std::uint32_t turn_of_pulls = 0;  // of entropy values

 private:
  std::int64_t payload_;
};

}  // namespace orrery
