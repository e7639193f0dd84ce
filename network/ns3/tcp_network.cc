#include "network/ns3/tcp_network.h"

#include <fmt/format.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/ipv4-route.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/rtt-estimator.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/tcp-prr-recovery.h>

#include <utility>

#include "core/base/check.h"
#include "core/units/unit_text.h"
#include "network/network_error.h"
#include "network/ns3/congestion_control.h"
#include "network/ns3/guest_simulator.h"
#include "network/ns3/tcp_stack.h"

namespace orrery {
namespace {

constexpr std::uint32_t ip_header = 20;

std::uint64_t pair_of(NodeId from, NodeId to) {
  return static_cast<std::uint64_t>(from.value) << 32 | static_cast<std::uint32_t>(to.value);
}

}  // namespace

TcpNetwork::TcpNetwork(const TransportParts& parts)
    : queue_(parts.queue),
      spec_(parts.spec.transport),
      listener_(parts.listener),
      topology_(parts.topology),
      fabric_(parts.queue, parts.topology, parts.spec.switches, parts.spec.level_buffers(),
              parts.spec.seed, *this),
      captures_(parts.spec, fabric_),
      paths_(parts.queue, parts.topology, parts.spec.routing, fabric_, *this) {
  make_stack();
}

TcpNetwork::~TcpNetwork() = default;

void TcpNetwork::make_stack() {
  GuestSimulator::install(queue_);
  node_ = ns3::CreateObject<ns3::Node>();
  node_->AggregateObject(ns3::CreateObject<ns3::Ipv4L3Protocol>());
  tcp_ = ns3::CreateObject<ns3::TcpL4Protocol>();
  node_->AggregateObject(tcp_);
  tcp_->SetDownTarget(ns3::MakeCallback(&TcpNetwork::take_from_tcp, this));
  shared_ = std::make_unique<TcpFlow::Shared>(
      TcpFlow::Shared{queue_, *this, maximum_segment(spec_).value, counters_});
}

// --- Messages and connections ---

void TcpNetwork::send(NodeId from, NodeId to, MessageSlot message, Bytes size, std::uint8_t label,
                      TrafficClass) {
  TcpFlow& flow = *flows_[flow_for(from, to)];
  flow.send(message, size, label);
  require_paths(flow);
  if (flow.given_up != nullptr) end_run(flow);
}

std::uint32_t TcpNetwork::flow_for(NodeId from, NodeId to) {
  Pair& pair = pairs_[pair_of(from, to)];
  if (spec_.connect == ConnectPolicy::per_message) {
    std::erase_if(pair.flows, [&](std::uint32_t flow) {
      if (!flows_[flow]->idle() || flows_[flow]->last_change() == queue_.now()) return false;
      flows_[flow] = nullptr;
      return true;
    });
    pair.flows.push_back(make_flow(from, to, static_cast<std::uint32_t>(pair.next++)));
    return pair.flows.back();
  }
  const auto most = static_cast<std::size_t>(paths_.connections(spec_.connections_per_pair));
  const std::size_t turn = pair.next++ % most;
  if (turn == pair.flows.size())
    pair.flows.push_back(make_flow(from, to, static_cast<std::uint32_t>(turn)));
  return pair.flows[turn];
}

std::uint32_t TcpNetwork::make_flow(NodeId from, NodeId to, std::uint32_t number) {
  const auto index = static_cast<std::uint32_t>(flows_.size());
  ask_whether_to_stop();
  flows_.push_back(std::make_unique<TcpFlow>(*shared_, from, to));
  TcpFlow& flow = *flows_.back();
  flow.number = number;
  flow.forward = paths_.choose(from, to, number);
  flow.backward = paths_.choose(to, from, number);
  flow.make_ends(make_end(), make_end(), 2 * index, spec_);
  for (const WatchedPair& pair : spec_.watched)
    if (pair.from == from.value && pair.to == to.value) flow.watch();
  ++counters_.connections;
  connect(flow);
  return index;
}

// One event may open many connections: those of an all-to-all of 40,000 NPUs take ten seconds.
void TcpNetwork::ask_whether_to_stop() {
  constexpr std::uint64_t connections_between_questions = 256;
  if (counters_.connections % connections_between_questions != 0) return;
  if (in_tcp_)
    queue_.ask_now();
  else
    queue_.ask_within_event();
}

ns3::Ptr<TcpEnd> TcpNetwork::make_end() {
  auto end = ns3::CreateObject<TcpEnd>();
  end->SetNode(node_);
  end->SetTcp(tcp_);
  end->SetRtt(ns3::CreateObject<ns3::RttMeanDeviation>());
  end->SetCongestionControlAlgorithm(make_congestion_control(tcp_control_of(spec_)));
  end->SetRecoveryAlgorithm(ns3::CreateObject<ns3::TcpPrrRecovery>());
  return end;
}

void TcpNetwork::connect(TcpFlow& flow) {
  flow.shortcut = spec_.connect == ConnectPolicy::before_use;
  flow.receiver().await_connection();
  flow.sender().connect();
  if (!flow.shortcut) return;
  flow.shortcut = false;
  const ns3::Time round_trip = handshake_time(flow);
  for (TcpEnd* end : {&flow.sender(), &flow.receiver()})
    end->finish_handshake(round_trip, make_congestion_control(tcp_control_of(spec_)));
}

// What a SYN and its answer take on an idle network.
ns3::Time TcpNetwork::handshake_time(const TcpFlow& flow) {
  const Bytes size = bytes(ip_header + 20) + spec_.link_overhead;
  Duration time;
  for (const auto& [from, to] :
       {std::pair(flow.source, flow.target), std::pair(flow.target, flow.source)})
    for (const LinkIndex link : paths_.links(from, to, flow.number))
      time +=
          topology_.links()[link].latency + transfer_time(size, topology_.links()[link].bandwidth);
  return ns3::TimeStep(time.value);
}

// A connection that has delivered everything does not need the last acknowledgement until it has
// something else to send.
void TcpNetwork::flow_gave_up(TcpFlow& flow, const char* why) {
  flow.given_up = why;
  if (flow.undelivered_messages() > 0) end_run(flow);
}

void TcpNetwork::end_run(TcpFlow& flow) {
  const std::int64_t waiting = flow.undelivered_messages();
  std::string text = fmt::format(
      "TCP gave up the connection {} -> {} at {}: {} in {} attempts; {} message{}.\n"
      "  sender: {}\n  receiver: {}\n",
      flow.source.value, flow.target.value, to_text(queue_.now().since_start), flow.given_up,
      spec_.retries + 1, waiting, waiting == 1 ? " waits" : "s wait", flow.sender().describe(),
      flow.receiver().describe());
  for (const LinkIndex link : paths_.links(flow.source, flow.target, flow.number))
    text += fmt::format("  {}: {} packets lost, bandwidth {}\n", topology_.link_name(link),
                        fabric_.lost_on(link), to_text(paths_.bandwidth(link)));
  text +=
      "  a link that is down or a buffer that is always full? see network.faults, "
      "network.switch.buffer; or let TCP try longer: network.transport.retries, minimum_rto";
  // Not from inside ns-3, which is not made for exceptions.
  queue_.schedule(Duration{}, [text] { throw NetworkError(text); });
}

// --- Links that fail ---

void TcpNetwork::links_changed(std::span<const LinkIndex> links) {
  for (const LinkIndex link : links) fabric_.set_bandwidth(link, paths_.bandwidth(link));
}

void TcpNetwork::routes_changed() {
  for (const auto& flow : flows_) {
    if (flow == nullptr) continue;
    flow->forward = paths_.choose(flow->source, flow->target, flow->number);
    flow->backward = paths_.choose(flow->target, flow->source, flow->number);
    if (flow->undelivered_messages() > 0) require_paths(*flow);
  }
}

void TcpNetwork::require_paths(const TcpFlow& flow) {
  paths_.require_paths(flow.source, flow.target, flow.forward, flow.backward);
}

// --- Packets ---

void TcpNetwork::take_from_tcp(ns3::Ptr<ns3::Packet> packet, ns3::Ipv4Address from,
                               ns3::Ipv4Address to, std::uint8_t, ns3::Ptr<ns3::Ipv4Route>) {
  const EndIndex source = from.Get(), target = to.Get();
  TcpFlow& flow = flow_of(source);
  TcpEnd& sender = end(source);
  if (flow.shortcut) return end(target).receive(packet, false, false);
  PathChoice& choice = source % 2 == 0 ? flow.forward : flow.backward;
  if (choice.paths.empty()) return;  // cut off for now: TCP will try again
  const PacketIndex index = fabric_.allocate();
  if (index >= carried_.size()) carried_.resize(index + 1);
  const bool can_be_marked = sender.marks_are_understood();
  const auto size = static_cast<std::uint32_t>(
      packet->GetSize() + ip_header + static_cast<std::uint64_t>(spec_.link_overhead.value));
  const std::int64_t stream_end = sender.new_bytes_end();
  const bool tell = stream_end > 0 && flow.ends_message(stream_end);
  carried_[index] = {std::move(packet), target, tell ? stream_end : 0, can_be_marked};
  if (captures_.any())
    captures_.note_ends(index,
                        captured_ends(flow.source, flow.target, flow.number, source % 2 == 0));
  fabric_.send(index, {.path = choice.take(),
                       .wire_bytes = size,
                       .can_be_marked = can_be_marked,
                       .tell_when_left = tell,
                       .kind = kind_of(flow, source, stream_end),
                       .flow = source});
}

// What only acknowledges comes from the receivers; and from senders in a handshake, when there may
// be no message yet.
std::uint8_t TcpNetwork::kind_of(const TcpFlow& flow, EndIndex from, std::int64_t stream_end) {
  const bool is_data = from % 2 == 0 && flow.undelivered_messages() > 0;
  return is_data ? flow.label_at(stream_end) : acknowledgement_kind;
}

void TcpNetwork::packet_arrived(PacketIndex index, bool marked) {
  const Carried carried = std::move(carried_[index]);
  if (flows_[carried.to / 2] == nullptr) return;  // late, for a connection that is closed
  in_tcp_ = true;
  end(carried.to).receive(carried.packet, carried.can_be_marked, marked);
  in_tcp_ = false;
}

void TcpNetwork::packet_left(PacketIndex index) {
  flow_of(carried_[index].to).left_source(carried_[index].stream_end);
}

void TcpNetwork::packet_starts(PacketIndex index, LinkIndex link, bool marked) {
  const Carried& carried = carried_[index];
  captures_.packet_starts(queue_.now(), index, link, carried.packet, carried.can_be_marked, marked);
}

// A packet that is lost has left, too: it will be sent again from the send buffer.
void TcpNetwork::packet_lost(PacketIndex index) {
  const Carried carried = std::move(carried_[index]);
  if (carried.stream_end > 0 && flows_[carried.to / 2] != nullptr)
    flow_of(carried.to).left_source(carried.stream_end);
}

PacketStatistics TcpNetwork::statistics() const {
  PacketStatistics statistics = fabric_.statistics();
  set_waits(statistics, fabric_.waits());
  statistics.connections = counters_.connections;
  statistics.retransmissions = counters_.retransmissions;
  statistics.timeouts = counters_.timeouts;
  for (const auto& flow : flows_)
    if (flow != nullptr && flow->watched()) statistics.flows.push_back(flow->statistics());
  statistics.captures = captures_.statistics();
  return statistics;
}

}  // namespace orrery

orrery::PacketTransport* orrery_make_tcp(const orrery::TransportParts& parts) {
  return std::make_unique<orrery::TcpNetwork>(parts).release();
}
