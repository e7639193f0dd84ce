// One end of a TCP connection: ns-3's socket, without the IP layer below it. The addresses that
// ns-3 sees are the numbers of the ends, so that a packet finds its socket by an index and no list
// is searched (Ipv4EndPointDemux searches one, and takes 60 % of the time with 127 connections).
#pragma once

#include <ns3/ipv4-end-point.h>
#include <ns3/tcp-socket-base.h>

#include <cstdint>
#include <memory>
#include <string>

#include "network/transport_spec.h"

namespace orrery {

using EndIndex = std::uint32_t;

// What an end tells the flow that it belongs to.
class TcpEndListener {
 public:
  virtual void can_write(bool) {}                // true: TCP sends anyway when this has returned
  virtual void received(std::int64_t size) = 0;  // bytes, in order
  virtual void gave_up(const char* why) = 0;
  virtual void timed_out() {}
  virtual void sends_again() {}
  virtual void window_changed() {}

 protected:
  ~TcpEndListener() = default;
};

class TcpEnd final : public ns3::TcpSocketBase {
 public:
  static ns3::TypeId GetTypeId();
  TcpEnd();
  ~TcpEnd() override;

  // Before anything else. REQUIRES: own and peer differ; the listener outlives the end.
  void set_up(const TransportSpec& spec, EndIndex own, EndIndex peer, TcpEndListener& listener);

  // The passive end first, then the active one, which sends the SYN.
  void await_connection();
  void connect();

  // After a handshake that took no time: leaves what one over the network leaves. Like there, the
  // sender knows the window of the SYN only (64 KiB less a byte: a SYN's window is not scaled)
  // until the first acknowledgement of data, and the receiver acknowledges the first segment at
  // once. `control`: not in use yet, for one that keeps a round trip of its own since the handshake
  // (BBR).
  void finish_handshake(ns3::Time round_trip, const ns3::Ptr<ns3::TcpCongestionOps>& control);

  void receive(const ns3::Ptr<ns3::Packet>& packet, bool can_be_marked, bool marked);

  // Adds bytes to what is to be sent; false if the send buffer has no room for them.
  bool write(std::int64_t size, bool sends_next);
  std::int64_t unsent() const;  // of what was written, bytes that were never sent

  // Where in the stream the segment ends that is being sent; 0 if it holds nothing new.
  std::int64_t new_bytes_end() const { return new_bytes_end_; }
  bool marks_are_understood() const;

  bool idle() const;  // all that was written is acknowledged
  std::uint32_t congestion_window() const { return m_tcb->m_cWnd; }
  ns3::Time smoothed_rtt() const;
  std::string describe() const;  // state and windows, for error messages

 private:
  std::uint32_t SendDataPacket(ns3::SequenceNumber32 sequence, std::uint32_t most,
                               bool with_ack) override;
  void ReTxTimeout() override;
  void send_a_segment_at_least();
  void make_endpoint();
  void connected(ns3::Ptr<ns3::Socket>);
  void not_connected(ns3::Ptr<ns3::Socket>);
  void error_closed(ns3::Ptr<ns3::Socket>);
  void closed(ns3::Ptr<ns3::Socket>) {}
  void readable(ns3::Ptr<ns3::Socket>);
  void writable(ns3::Ptr<ns3::Socket>, std::uint32_t);

  EndIndex own_ = 0, peer_ = 0;
  TcpEndListener* listener_ = nullptr;
  std::unique_ptr<ns3::Ipv4EndPoint> endpoint_;  // ns-3 would delete it through the list
  std::int64_t sent_ = 0;                        // bytes of the stream, each counted once
  std::int64_t new_bytes_end_ = 0;
};

}  // namespace orrery
