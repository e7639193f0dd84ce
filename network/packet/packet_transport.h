// The seam between the packet backend (packet_backend.h: legs over levels, ideal levels, bytes of
// levels) and what carries a message as packets: a transport, on a PacketFabric of its own.
// network/transports.def lists them; docs/decisions/0014-transports-are-guests.md says why.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/event/event_queue.h"
#include "network/network_backend.h"
#include "network/network_spec.h"
#include "network/packet_statistics.h"
#include "network/tensor_part.h"
#include "network/topology/topology.h"

namespace orrery {

class ByteBins;  // core/trace/byte_bins.h

using MessageSlot = std::uint32_t;  // the number under which a backend knows a message

class PacketTransport {
 public:
  // From the event queue, never from inside send(); the first two exactly once a message, and in
  // this order unless a part of it may be missing.
  class Listener {
   public:
    virtual void message_left(MessageSlot message) = 0;  // its last byte has left the source
    // Its last byte is at the target. Unless the transport acknowledges, the slot may be another
    // message's when this returns.
    virtual void message_delivered(MessageSlot message) = 0;
    // The source knows; once, after the other two, of a transport that acknowledges.
    virtual void message_acknowledged(MessageSlot message) = 0;

   protected:
    ~Listener() = default;
  };

  virtual ~PacketTransport() = default;

  virtual bool acknowledges() const { return false; }

  // A pair that can send no more ends the run: it throws a NetworkError from the event queue.
  // REQUIRES: from != to; size >= 0 (what a message of 0 bytes costs on the wire is the
  // transport's business).
  virtual void send(NodeId from, NodeId to, MessageSlot message, Bytes size, std::uint8_t label,
                    TrafficClass traffic_class) = 0;
  // As send(), of a part of a tensor.
  virtual void send_part(NodeId from, NodeId to, MessageSlot message, Bytes size,
                         std::uint8_t label, TrafficClass traffic_class, const TensorPart&) {
    send(from, to, message, size, label, traffic_class);
  }

  // Of its fabric, and its own: all links and no packets, if nothing was sent.
  virtual PacketStatistics statistics() const = 0;

  // As NetworkBackend::unfinished().
  virtual std::string unfinished() const = 0;

  // As NetworkBackend::watch_links().
  virtual void watch_links(ByteBins& bins) = 0;
};

// What a transport is made from. Links that fail are its own business: flow_paths.h listens.
// REQUIRES: all but `spec` outlive the transport, which keeps what it needs of it;
// problems_of(spec) finds none (network/problems.h).
struct TransportParts {
  EventQueue& queue;
  const Topology& topology;
  const NetworkSpec& spec;
  PacketTransport::Listener& listener;
};

}  // namespace orrery
