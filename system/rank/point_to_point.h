// Matches sends with receives: by (source, target, tag), in the order of the calls; those that
// carry a number are channels of one message each. A send is complete when it has left its source,
// a receive when it was called and its message has arrived. Each message pays the endpoint delay at
// both ends, like those of a collective.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/event/event_queue.h"
#include "network/network_backend.h"
#include "network/topology/topology.h"
#include "system/operation_source.h"
#include "system/system_spec.h"

namespace orrery {

class PointToPointListener {
 public:
  // The send was called at `sent`. Called from the event queue, never inside send() or receive().
  virtual void transfer_finished(Rank rank, OperationId operation, Time sent) = 0;

 protected:
  ~PointToPointListener() = default;
};

// Row of the network's byte statistics for these messages; collectives use their kind.
inline constexpr std::uint8_t kPointToPointLabel = collective_count;

class PointToPoint final : private MessageListener {
 public:
  // REQUIRES: all references outlive this object.
  PointToPoint(EventQueue& queue, NetworkBackend& network, const Topology& topology,
               const SystemSpec& spec, PointToPointListener& listener);

  void send(Rank rank, OperationId operation, const SendCall& call);
  // Throws JobError (from here or from the queue) if the matching send has another size.
  void receive(Rank rank, OperationId operation, const ReceiveCall& call);

  // Messages that arrived and were not received: "1 message from rank 0 to rank 1 with tag 7".
  std::vector<std::string> unreceived() const;
  bool all_received() const;  // of those sent, also of those that are on their way

  // For the report of a job that got stuck.
  std::string describe_receive(Rank rank, const ReceiveCall& call) const;

 private:
  struct Channel {
    struct Pending {
      OperationId operation;
      Bytes size;
    };
    struct Arrived {
      Bytes size;
      Time sent;
    };
    Rank source = 0, target = 0;
    std::int32_t tag = 0, number = -1;
    std::int64_t sent = 0;                    // sends called so far
    std::int64_t matched = 0;                 // messages received so far
    std::map<std::int64_t, Arrived> arrived;  // messages without a receive, by number of the send
    std::deque<Pending> receives;             // receives without a message
  };
  struct Flight {
    std::uint32_t channel;
    OperationId send;
    std::int64_t number;  // of the sends of its channel
    Time sent;
    int open_ends = 2;  // not yet delivered, not yet injected
  };

  std::uint32_t channel_of(Rank source, Rank target, std::int32_t tag, std::int32_t number);
  Duration endpoint_delay(Rank a, Rank b) const;
  void post(std::uint32_t flight, Bytes size, const TensorPart& tensor);
  void match(std::uint32_t channel);
  void close_end(std::uint32_t flight);
  void delivered(const MessageToken& token, Bytes size) override;
  void injected(const MessageToken& token, NodeId source) override;

  EventQueue& queue_;
  NetworkBackend& network_;
  const Topology& topology_;
  const SystemSpec& spec_;
  PointToPointListener& listener_;
  std::map<std::tuple<Rank, Rank, std::int32_t, std::int32_t>, std::uint32_t> channel_ids_;
  std::vector<Channel> channels_;
  std::vector<Flight> flights_;
  std::vector<std::uint32_t> free_flights_;
};

}  // namespace orrery
