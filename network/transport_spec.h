// What goes on at the ends of packet networks, as plain data. docs/models/ns3.md says what each
// setting does; the defaults are those of a data centre, not of ns-3 or the internet.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/units.h"
#include "network/mlt_spec.h"
#include "network/placed_spec.h"
#include "network/roce_spec.h"
#include "network/scheduled_spec.h"

namespace orrery {

// The packet transports (network/packet/transports.h says which of them this build has), and none.
#define TRANSPORT(name, sentence) name,
#define TRANSPORT_OF_NS3 TRANSPORT
enum class TransportKind : std::uint8_t {
#include "network/transports.def"
  ideal  // no packets: the model that TransportSpec::ideal names
};
#undef TRANSPORT
std::string_view name_of(TransportKind kind);  // "tcp", "ideal"
#define TRANSPORT(name, sentence) TransportKind::name,
inline constexpr std::array transport_kinds = {
#include "network/transports.def"
    TransportKind::ideal};
#undef TRANSPORT_OF_NS3
#undef TRANSPORT

// What carries messages over levels of transport ideal, on the same clock.
enum class IdealModel : std::uint8_t { analytical, fluid };
std::string_view name_of(IdealModel model);  // that of the backend

// When a connection's handshake is paid.
enum class ConnectPolicy : std::uint8_t {
  before_use,     // never: connections exist before the job starts
  first_message,  // by the first message of a connection
  per_message,    // by every message, which gets a connection of its own
};
std::string_view name_of(ConnectPolicy policy);

// A pair of NPUs whose connections report their window and round trip.
struct WatchedPair {
  std::int32_t from = 0, to = 0;
};

struct TransportSpec {
  std::optional<TransportKind> kind;  // else that of the backend: BackendTraits::transport
  std::optional<IdealModel> ideal;    // else ideal_model_of()
  // A name of congestion_controls() for TCP, else cubic; of roce_controls() for RoCE, else that of
  // `roce`. A name that only one of the two knows is for that one.
  std::optional<std::string> congestion_control;
  Bytes mtu = bytes(9'000);  // IP packet: headers of IP and TCP, and data
  // On the wire, for each packet: preamble 8, Ethernet header 14, checksum 4, gap 12.
  Bytes link_overhead = bytes(38);

  Bytes window = bytes(1'000'000);                  // send and receive buffer of a connection
  std::optional<Bytes> receive_window;              // receive buffer, if it is not the same
  std::int32_t initial_window = 10;                 // segments, RFC 6928
  std::int32_t delayed_ack_count = 2;               // an acknowledgement for so many segments ...
  Duration delayed_ack_timeout = microseconds(10);  // ... or after so long
  Duration minimum_rto = milliseconds(1);           // retransmission timeout, at least
  Duration clock_granularity = microseconds(10);    // of that timeout, RFC 6298
  Duration connect_timeout = milliseconds(10);      // of a handshake
  Duration persist_timeout = milliseconds(10);      // until a closed window is probed
  std::int32_t retries = 10;  // timeouts without an answer until a connection (RoCE: pair) gives up
  std::int32_t duplicate_acks = 3;
  bool limited_transmit = true;  // RFC 3042
  bool sack = true;
  bool timestamps = false;  // 12 bytes in each packet; ns-3's tick is a millisecond
  bool ecn = false;         // dctcp always

  RoceSpec roce;  // payload, rto and priority also of the others but TCP
  NdpSpec ndp;
  UetSpec uet;
  PiasSpec pias;
  MltSpec mlt;

  ConnectPolicy connect = ConnectPolicy::before_use;
  std::int32_t connections_per_pair = 1;  // between two NPUs, used in turn
  std::vector<WatchedPair> watched = {};
};

// Data of a full segment: the MTU without the headers of IP and TCP.
Bytes maximum_segment(const TransportSpec& spec);

struct CongestionControlEntry {
  std::string_view name, sentence;
};
std::span<const CongestionControlEntry> congestion_controls();  // ns-3's, in any build

// Of RoCE: controls, and what it does about losses.
std::span<const CongestionControlEntry> roce_control_sentences();
std::span<const CongestionControlEntry> roce_recovery_sentences();

// The timeout of all kinds but TCP: the one that is stated, or the default of the kind.
Duration rto_of(const TransportSpec& spec);

// The control that the transport has.
std::string tcp_control_of(const TransportSpec& spec);
RoceSpec roce_of(const TransportSpec& spec);

// The ns-3 settings of the HOTI'20 study, as far as they are known: docs/models/ns3.md.
TransportSpec hoti20_transport();

}  // namespace orrery
