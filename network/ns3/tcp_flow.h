// Messages from one NPU to another over one TCP connection, in order. A stream has no frames: both
// ends know how many bytes each message has (a receiver knows what it waits for), so a message is
// there when the last of its bytes is read.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "network/ns3/tcp_end.h"
#include "network/packet/flow_paths.h"
#include "network/packet/packet_transport.h"
#include "network/packet_statistics.h"

namespace orrery {

class TcpFlow;

class FlowListener {
 public:
  virtual void message_left(MessageSlot message) = 0;  // its last byte has left the source
  virtual void message_delivered(MessageSlot message) = 0;
  virtual void flow_gave_up(TcpFlow& flow, const char* why) = 0;

 protected:
  ~FlowListener() = default;
};

class TcpFlow final : private TcpEndListener {
 public:
  // What flows have in common.
  struct Shared {
    EventQueue& queue;
    FlowListener& listener;
    std::int64_t segment;  // bytes of a full one
    PacketStatistics& counters;
  };

  TcpFlow(Shared& shared, NodeId from, NodeId to) : source(from), target(to), shared_(shared) {}

  // Makes both ends, not yet connected. REQUIRES: called once.
  void make_ends(ns3::Ptr<TcpEnd> sender, ns3::Ptr<TcpEnd> receiver, EndIndex first,
                 const TransportSpec& spec);
  TcpEnd& sender() { return *sender_; }
  TcpEnd& receiver() { return *receiver_; }

  void send(MessageSlot message, Bytes size, std::uint8_t label);
  // Of the message that the byte before `stream_end` belongs to; of the oldest one, for 0 (what is
  // sent again). REQUIRES: a message is not delivered.
  std::uint8_t label_at(std::int64_t stream_end) const;
  void left_source(std::int64_t stream_end);         // the bytes before it have left the first node
  bool ends_message(std::int64_t stream_end) const;  // does one that has not left end there?
  bool idle() const;  // nothing to deliver, nothing to be acknowledged
  Time last_change() const { return last_change_; }  // of what is delivered

  // From here on changes of the window are kept: FlowStatistics.
  void watch() { watched_ = true; }
  bool watched() const { return watched_; }
  FlowStatistics statistics() const { return {source, target, samples_}; }
  std::int64_t undelivered_messages() const { return static_cast<std::int64_t>(messages_.size()); }

  const NodeId source, target;
  std::uint32_t number = 0;  // of the connections between the two
  PathChoice forward, backward;
  const char* given_up = nullptr;  // why: TCP sends nothing more on it
  bool shortcut = false;  // packets take no path and no time: a handshake before the job starts

 private:
  struct Sent {
    std::int64_t end;  // in the stream
    MessageSlot message;
    std::uint8_t label;
  };
  class Reader final : public TcpEndListener {
   public:
    explicit Reader(TcpFlow& flow) : flow_(flow) {}
    void received(std::int64_t size) override { flow_.deliver(size); }
    void gave_up(const char* why) override { flow_.gave_up(why); }

   private:
    TcpFlow& flow_;
  };

  void can_write(bool sends_next) override;
  void received(std::int64_t) override {}
  void gave_up(const char* why) override { shared_.listener.flow_gave_up(*this, why); }
  void timed_out() override { ++shared_.counters.timeouts; }
  void sends_again() override { ++shared_.counters.retransmissions; }
  void window_changed() override;
  void deliver(std::int64_t size);

  Shared& shared_;
  Reader reader_{*this};
  ns3::Ptr<TcpEnd> sender_, receiver_;
  std::deque<Sent> messages_;  // not yet delivered
  std::size_t left_ = 0;       // of these, that have left
  std::int64_t stream_end_ = 0, written_ = 0, read_ = 0;
  Time last_change_;
  bool watched_ = false;
  std::vector<FlowSample> samples_;
  std::uint64_t changes_ = 0, keep_every_ = 1;
};

}  // namespace orrery
