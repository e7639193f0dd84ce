// The seam between "who must send what" (system/) and "how long that takes" (one backend).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/event/event_queue.h"
#include "core/units/total.h"
#include "core/units/units.h"
#include "network/fold.h"
#include "network/folded_traffic.h"
#include "network/packet_statistics.h"
#include "network/tensor_part.h"
#include "network/topology/topology.h"

namespace orrery {

class ByteBins;  // core/trace/byte_bins.h

// Who a message belongs to, opaque to the backend and handed back unchanged. Sixteen bytes instead
// of a callback each: a 1,024-rank ring all-reduce in 64 chunks sends 134 million messages.
struct MessageToken {
  std::uint32_t owner = 0, position = 0, lane = 0, stage = 0;
};

enum class TrafficClass : std::uint8_t { normal, highest };

struct Message {
  NodeId source, target;
  Bytes size;
  MessageToken token;
  TrafficClass traffic_class = TrafficClass::normal;
  std::uint8_t label = 0;   // row of the per-level byte statistics: the kind of collective
  std::int16_t group = -1;  // the job's communicator, for traces; -1 = point to point
  // How far the target is from the source, as the sender counts: what a backend orders messages by
  // that reach a port at the same time. -1: as the topology counts, coordinate by coordinate.
  std::int32_t distance = -1;
  // Messages with the same ends and the same number here share a connection; -1: with none. A
  // backend that has connections sends what is on one in turn.
  std::int32_t connection = -1;
  // Of what a node hands over to a connection at one time: the least goes first.
  std::uint32_t order = 0;
  TensorPart tensor = {};
};

// Messages that one NPU sends at the same time, each made when it leaves: an all-to-all of n ranks
// posts n^2 of them at once, and only n are on the way.
class MessageSeries {
 public:
  // The n-th message of a series. `series` is the sender's name for it. Always the same answer,
  // until the last message has left.
  virtual Message message(const MessageToken& series, std::int32_t n) const = 0;

 protected:
  ~MessageSeries() = default;
};

class MessageListener {
 public:
  // The last byte of the message is at its target.
  virtual void delivered(const MessageToken& token, Bytes size) = 0;
  // The last byte has left `source`. Only for messages whose send() did not know the time.
  virtual void injected(const MessageToken& token, NodeId source) = 0;
  // The source knows that the message is at its target: the last acknowledgement is there. Once,
  // after delivered(), and only where a transport that acknowledges messages (RoCE) delivers them.
  virtual void acknowledged(const MessageToken& /*token*/) {}

 protected:
  ~MessageListener() = default;
};

// Bytes that crossed a level, by label. Every byte of a message counts once on each level crossed.
struct LevelTraffic {
  std::vector<TotalBytes> bytes_by_label;  // index: Message::label
};

struct NetworkStatistics {
  std::vector<LevelTraffic> levels = {};  // as Topology::levels()
  std::vector<TotalBytes> links = {};     // as Topology::links()
  // By label, by link: of the messages that the link was the bottleneck of when they ended. Empty
  // if there are none of a label, or if the backend cannot tell.
  std::vector<std::vector<TotalBytes>> limited = {};
  std::vector<Duration> busy = {};  // by link: time spent sending. Empty if the backend cannot tell
  std::uint64_t messages = 0;
  std::optional<PacketStatistics> packets = {};  // of backends that have packets
};

class NetworkBackend {
 public:
  virtual ~NetworkBackend() = default;

  // Carries `message` and calls listener.delivered() exactly once, from the event queue, at the
  // time its last byte is at the target; never from inside send(). No order is promised between
  // messages, not even of one pair: a short one may overtake a long one. Matching sends with
  // receives is not the backend's business.
  //
  // Returns the time at which the last byte will have left the source, if that is known already (a
  // native backend with a first-come-first-served port knows); otherwise Time::never(), and
  // listener.injected() is called at that time, exactly once. (An optional would come back through
  // memory, behind all that send() has stored.)
  //
  // An end may be a switch of a switch level that the other end is attached to: the message then
  // takes that one link, and the port of the switch there.
  //
  // REQUIRES: both nodes exist and differ; size >= 0 (a message of 0 bytes costs latency only).
  virtual Time send(const Message& message, MessageListener& listener) = 0;

  // As send() of each of the `count` messages of a series, one after the other, if the backend can
  // keep a series; else it does nothing. Returns the time at which the last of them will have left.
  // REQUIRES: `messages` outlives that time.
  virtual std::optional<Time> send_series(const MessageSeries& /*messages*/,
                                          const MessageToken& /*series*/, std::int32_t /*count*/,
                                          MessageListener& /*listener*/) {
    return std::nullopt;
  }

  // Whether messages that meet at a port share it. Not if it carries them one after the other,
  // first come, first served.
  virtual bool shares_ports() const { return true; }

  // From now on only representatives send. A message of a representative stands for one message of
  // each NPU of its class, sent at the same time. Each NPU of the target's class receives one of
  // them, from the same distance and through the port of the same number. They are all delivered at
  // the time at which the target's representative receives its own. Statistics are those of all
  // NPUs. Nothing is sent but what `traffic` says.
  // Folds if the answer is that this is exact, and may be asked again if not. REQUIRES: nothing was
  // sent yet; the traffic is only needed during the call.
  virtual FoldAnswer fold(const Fold&, const FoldedTraffic&) {
    return {"the network backend simulates every rank", {}};
  }

  virtual NetworkStatistics statistics() const = 0;

  // What the network still holds and will not let go, as lines, when nothing is left to happen; "":
  // nothing. A cycle of links that wait for each other is named, if there is one.
  virtual std::string unfinished() const { return {}; }

  // From now on the bytes of every link (a row each, as Topology::links()) are also added to
  // `bins`, over the time in which the backend has them enter the link; when all messages are
  // delivered the sum of a row is what statistics() says of the link. REQUIRES: nothing was sent
  // yet, nothing is folded; bins outlive the backend.
  virtual void watch_links(ByteBins& bins) = 0;

  // Settings of the user's file that this backend cannot honour, by name: the "notices".
  virtual std::span<const std::string> unused_settings() const { return {}; }

  // What else the user should know about how these times came about, as sentences.
  virtual std::vector<std::string> notices() const { return {}; }
};

}  // namespace orrery
