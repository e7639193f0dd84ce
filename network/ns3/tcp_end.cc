#include "network/ns3/tcp_end.h"

#include <fmt/format.h>
#include <ns3/ipv4-header.h>
#include <ns3/ipv4-interface.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/rtt-estimator.h>
#include <ns3/simulator.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/tcp-header.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/tcp-rate-ops.h>
#include <ns3/tcp-tx-buffer.h>

#include <algorithm>
#include <limits>

#include "core/base/check.h"

namespace orrery {
namespace {

constexpr std::uint16_t port = 1;  // of both ends: the addresses tell them apart

ns3::Time to_ns3(Duration duration) { return ns3::TimeStep(duration.value); }

std::uint32_t to_uint32(Bytes size) { return static_cast<std::uint32_t>(size.value); }

}  // namespace

ns3::TypeId TcpEnd::GetTypeId() {
  static const ns3::TypeId type = ns3::TypeId("orrery::TcpEnd").SetParent<ns3::TcpSocketBase>();
  return type;
}

TcpEnd::TcpEnd() = default;

TcpEnd::~TcpEnd() { m_endPoint = nullptr; }

void TcpEnd::set_up(const TransportSpec& spec, EndIndex own, EndIndex peer,
                    TcpEndListener& listener) {
  own_ = own;
  peer_ = peer;
  listener_ = &listener;
  SetSndBufSize(to_uint32(spec.window));
  SetRcvBufSize(to_uint32(spec.receive_window.value_or(spec.window)));
  SetSegSize(to_uint32(maximum_segment(spec)));
  SetInitialCwnd(static_cast<std::uint32_t>(spec.initial_window));
  SetInitialSSThresh(std::numeric_limits<std::uint32_t>::max());
  SetDelAckMaxCount(static_cast<std::uint32_t>(spec.delayed_ack_count));
  SetDelAckTimeout(to_ns3(spec.delayed_ack_timeout));
  SetMinRto(to_ns3(spec.minimum_rto));
  SetClockGranularity(to_ns3(spec.clock_granularity));
  SetConnTimeout(to_ns3(spec.connect_timeout));
  SetPersistTimeout(to_ns3(spec.persist_timeout));
  SetSynRetries(static_cast<std::uint32_t>(spec.retries));
  SetDataRetries(static_cast<std::uint32_t>(spec.retries));
  SetRetxThresh(static_cast<std::uint32_t>(spec.duplicate_acks));
  SetTcpNoDelay(true);
  m_limitedTx = spec.limited_transmit;
  m_sackEnabled = spec.sack;
  m_timestampEnabled = spec.timestamps;
  m_tcb->m_maxPacingRate = ns3::DataRate(std::numeric_limits<std::int64_t>::max());
  if (spec.ecn) SetUseEcn(ns3::TcpSocketState::On);
  make_endpoint();
  SetConnectCallback(ns3::MakeCallback(&TcpEnd::connected, this),
                     ns3::MakeCallback(&TcpEnd::not_connected, this));
  SetCloseCallbacks(ns3::MakeCallback(&TcpEnd::closed, this),
                    ns3::MakeCallback(&TcpEnd::error_closed, this));
  SetRecvCallback(ns3::MakeCallback(&TcpEnd::readable, this));
  SetSendCallback(ns3::MakeCallback(&TcpEnd::writable, this));
}

void TcpEnd::make_endpoint() {
  endpoint_ = std::make_unique<ns3::Ipv4EndPoint>(ns3::Ipv4Address(own_), port);
  endpoint_->SetPeer(ns3::Ipv4Address(peer_), port);
  m_endPoint = endpoint_.get();
}

// A SYN in SYN_SENT is half of a simultaneous open (RFC 9293, 3.5): so the passive end needs
// neither a listening socket nor a copy of one, and the rest of the handshake is the usual one.
void TcpEnd::await_connection() {
  m_synCount = m_synRetries;
  m_dataRetrCount = m_dataRetries;
  m_tcb->m_ecnState = ns3::TcpSocketState::ECN_DISABLED;
  m_state = SYN_SENT;
}

void TcpEnd::connect() {
  await_connection();
  const bool ecn = m_tcb->m_useEcn == ns3::TcpSocketState::On;
  SendEmptyPacket(ecn ? ns3::TcpHeader::SYN | ns3::TcpHeader::ECE | ns3::TcpHeader::CWR
                      : ns3::TcpHeader::SYN);
}

void TcpEnd::finish_handshake(ns3::Time round_trip,
                              const ns3::Ptr<ns3::TcpCongestionOps>& control) {
  CHECK(m_state == ESTABLISHED, "a connection is {} after its handshake", describe());
  m_retxEvent.Cancel();  // of the SYN, which was answered before it was sent
  m_history.clear();
  // The two ends called each other: SendEmptyPacket() ended last and cleared what
  // ProcessSynRcvd() had set.
  m_delAckCount = m_delAckMaxCount;
  // Time stamps count milliseconds, and ns-3 takes a microsecond for a difference of none.
  if (m_timestampEnabled)
    round_trip = std::max(ns3::MilliSeconds(round_trip.GetMilliSeconds()), ns3::MicroSeconds(1));
  m_rtt->Reset();  // with time stamps ns-3 has measured the handshake that took no time
  m_rtt->Measurement(round_trip);
  m_rto = std::max(m_rtt->GetEstimate() + std::max(m_clockGranularity, m_rtt->GetVariation() * 4),
                   m_minRto);
  m_tcb->m_lastRtt = round_trip;
  m_tcb->m_minRtt = round_trip;
  if (!control->HasCongControl()) return;
  SetCongestionControlAlgorithm(control);
  m_congestionControl->CongestionStateSet(m_tcb, ns3::TcpSocketState::CA_OPEN);
}

bool TcpEnd::idle() const { return m_txBuffer->Size() == 0; }

ns3::Time TcpEnd::smoothed_rtt() const { return m_rtt->GetEstimate(); }

bool TcpEnd::marks_are_understood() const {
  return m_tcb->m_ecnState != ns3::TcpSocketState::ECN_DISABLED ||
         m_tcb->m_ecnMode == ns3::TcpSocketState::DctcpEcn;
}

void TcpEnd::receive(const ns3::Ptr<ns3::Packet>& packet, bool can_be_marked, bool marked) {
  ns3::Ipv4Header header;
  header.SetSource(ns3::Ipv4Address(peer_));
  header.SetDestination(ns3::Ipv4Address(own_));
  if (marked)
    header.SetEcn(ns3::Ipv4Header::ECN_CE);
  else if (can_be_marked)
    header.SetEcn(ns3::Ipv4Header::ECN_ECT0);
  ForwardUp(packet, header, port, nullptr);
  send_a_segment_at_least();
}

// Proportional rate reduction may leave a window below a segment when nothing is in flight (DCTCP
// whose every packet was marked). No acknowledgement and no timer would ever come then, and ns-3
// stalls, or never sends the next message. Linux sends one segment (tcp_cwnd_reduction), and so
// does this.
void TcpEnd::send_a_segment_at_least() {
  if (m_state != ESTABLISHED || m_txBuffer->BytesInFlight() > 0) return;
  if (m_tcb->m_cWnd >= m_tcb->m_segmentSize || m_retxEvent.IsRunning()) return;
  m_tcb->m_cWnd = m_tcb->m_segmentSize;
  if (!idle()) SendPendingData(m_connected);
}

// TcpSocketBase::Send() would schedule an event for each piece; after most calls TCP sends anyway.
bool TcpEnd::write(std::int64_t size, bool sends_next) {
  if (size > GetTxAvailable()) return false;
  const auto piece = ns3::Create<ns3::Packet>(static_cast<std::uint32_t>(size));
  if (!sends_next) return Send(piece, 0) >= 0;
  if (!m_txBuffer->Add(piece)) return false;
  m_rateOps->CalculateAppLimited(m_tcb->m_cWnd, m_tcb->m_bytesInFlight, m_tcb->m_segmentSize,
                                 m_txBuffer->TailSequence(), m_tcb->m_nextTxSequence,
                                 m_txBuffer->GetLost(), m_txBuffer->GetRetransmitsCount());
  return true;
}

std::int64_t TcpEnd::unsent() const {
  return m_txBuffer->TailSequence() - m_tcb->m_highTxMark.Get();
}

// A segment is all new or all sent before: after a timeout, which sends everything again, ns-3 cuts
// the segment that reaches beyond what had been sent.
std::uint32_t TcpEnd::SendDataPacket(ns3::SequenceNumber32 sequence, std::uint32_t most,
                                     bool with_ack) {
  if (sequence < m_tcb->m_highTxMark.Get()) {
    listener_->sends_again();
    return TcpSocketBase::SendDataPacket(sequence, most, with_ack);
  }
  const std::uint32_t size = std::min(most, m_txBuffer->SizeFromSequence(sequence));
  new_bytes_end_ = sent_ + size;
  const std::uint32_t sent = TcpSocketBase::SendDataPacket(sequence, most, with_ack);
  new_bytes_end_ = 0;
  CHECK(sent == size, "a segment of {} B instead of {} B", sent, size);
  sent_ += size;
  listener_->can_write(true);
  return sent;
}

void TcpEnd::ReTxTimeout() {
  if (!idle()) listener_->timed_out();
  TcpSocketBase::ReTxTimeout();
  listener_->window_changed();
}

void TcpEnd::connected(ns3::Ptr<ns3::Socket>) { listener_->can_write(false); }

void TcpEnd::not_connected(ns3::Ptr<ns3::Socket>) {
  listener_->gave_up("its handshake was not answered");
}

void TcpEnd::error_closed(ns3::Ptr<ns3::Socket>) {
  listener_->gave_up("its data was not acknowledged");
}

void TcpEnd::readable(ns3::Ptr<ns3::Socket>) {
  std::int64_t size = 0;
  while (const ns3::Ptr<ns3::Packet> data = Recv(std::numeric_limits<std::uint32_t>::max(), 0)) {
    if (data->GetSize() == 0) break;
    size += data->GetSize();
  }
  if (size > 0) listener_->received(size);
}

void TcpEnd::writable(ns3::Ptr<ns3::Socket>, std::uint32_t) {
  listener_->window_changed();
  if (m_state == ESTABLISHED) listener_->can_write(true);
}

std::string TcpEnd::describe() const {
  return fmt::format(
      "{}, {} B in the send buffer, {} B of them in flight, congestion window {} B, peer's window "
      "{} B, round trip {:.1f} us, timeout {:.3f} ms",
      TcpStateName[m_state], m_txBuffer->Size(), m_txBuffer->BytesInFlight(), m_tcb->m_cWnd.Get(),
      m_rWnd.Get(), m_rtt->GetEstimate().GetSeconds() * 1e6, m_rto.Get().GetSeconds() * 1e3);
}

}  // namespace orrery
