// TCP between NPUs: connections made when a pair first needs one, ns-3's stack at their ends, and
// our fabric between them. All ends share one ns-3 node and one TcpL4Protocol, whose packets are
// taken before they would reach IP.
#pragma once

#include <ns3/ipv4-address.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "network/network_spec.h"
#include "network/ns3/process_turn.h"
#include "network/ns3/tcp_captures.h"
#include "network/ns3/tcp_flow.h"
#include "network/packet/acknowledgements.h"
#include "network/packet/flow_paths.h"
#include "network/packet/packet_fabric.h"
#include "network/packet/packet_transport.h"
#include "network/packet/what_waits.h"

namespace ns3 {
class Ipv4Route;
class Node;
class Packet;
class TcpL4Protocol;
}  // namespace ns3

namespace orrery {

class TcpNetwork final : public PacketTransport,
                         private PacketOwner,
                         private FlowListener,
                         private RouteListener {
 public:
  // Waits while another thread's simulation uses ns-3. REQUIRES: this thread has no other one.
  explicit TcpNetwork(const TransportParts& parts);
  ~TcpNetwork() override;

  void send(NodeId from, NodeId to, MessageSlot message, Bytes size, std::uint8_t label,
            TrafficClass traffic_class) override;

  PacketStatistics statistics() const override;
  std::string unfinished() const override { return what_waits(fabric_); }
  void watch_links(ByteBins& bins) override { fabric_.watch_links(bins); }

 private:
  struct Carried {  // by a packet of the fabric
    ns3::Ptr<ns3::Packet> packet;
    EndIndex to = 0;
    std::int64_t stream_end = 0;  // of what leaves the source for the first time; or 0
    bool can_be_marked = false;
  };
  struct Pair {
    std::vector<std::uint32_t> flows;
    std::size_t next = 0;
  };

  // --- PacketOwner ---
  void packet_arrived(PacketIndex packet, bool marked) override;
  void packet_lost(PacketIndex packet) override;
  void packet_left(PacketIndex packet) override;
  void packet_starts(PacketIndex packet, LinkIndex link, bool marked) override;

  // --- FlowListener ---
  void message_left(MessageSlot message) override { listener_.message_left(message); }
  void message_delivered(MessageSlot message) override { listener_.message_delivered(message); }
  void flow_gave_up(TcpFlow& flow, const char* why) override;
  void end_run(TcpFlow& flow);

  // --- RouteListener ---
  void links_changed(std::span<const LinkIndex> links) override;
  void routes_changed() override;

  void require_paths(const TcpFlow& flow);
  void make_stack();
  std::uint32_t flow_for(NodeId from, NodeId to);
  std::uint32_t make_flow(NodeId from, NodeId to, std::uint32_t number);
  void ask_whether_to_stop();
  ns3::Ptr<TcpEnd> make_end();
  void connect(TcpFlow& flow);
  ns3::Time handshake_time(const TcpFlow& flow);
  void take_from_tcp(ns3::Ptr<ns3::Packet> packet, ns3::Ipv4Address from, ns3::Ipv4Address to,
                     std::uint8_t protocol, ns3::Ptr<ns3::Ipv4Route> route);
  static std::uint8_t kind_of(const TcpFlow& flow, EndIndex from, std::int64_t stream_end);
  TcpFlow& flow_of(EndIndex end) { return *flows_[end / 2]; }
  TcpEnd& end(EndIndex end) {
    return end % 2 == 0 ? flow_of(end).sender() : flow_of(end).receiver();
  }

  ProcessTurn turn_;  // first: the last to be destroyed
  EventQueue& queue_;
  TransportSpec spec_;
  Listener& listener_;
  const Topology& topology_;
  PacketFabric fabric_;
  TcpCaptures captures_;
  FlowPaths paths_;
  PacketStatistics counters_;
  ns3::Ptr<ns3::Node> node_;
  ns3::Ptr<ns3::TcpL4Protocol> tcp_;
  std::unique_ptr<TcpFlow::Shared> shared_;
  std::vector<std::unique_ptr<TcpFlow>> flows_;
  std::unordered_map<std::uint64_t, Pair> pairs_;
  std::vector<Carried> carried_;  // by PacketIndex
  bool in_tcp_ = false;           // a packet is with ns-3, from which no exception may come
};

}  // namespace orrery
