// Memory and queues of switches, for packet networks, as plain data. docs/models/packet-fabric.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/units/share.h"
#include "core/units/units.h"
#include "network/topology/topology.h"

namespace orrery {

enum class BufferSharing : std::uint8_t { shared, per_port };
std::string_view name_of(BufferSharing sharing);  // "shared", "per_port"

enum class QueueKind : std::uint8_t { drop_tail, red };
std::string_view name_of(QueueKind kind);  // "drop_tail", "red"

// Which class of packets a port sends first.
enum class PortScheduler : std::uint8_t { strict, dwrr };
std::string_view name_of(PortScheduler scheduler);  // "strict", "dwrr"

// When a packet of a class is marked: with a probability that rises from 0 at `minimum` waiting
// bytes to `probability` at `maximum`; above, always.
struct EcnRamp {
  Bytes minimum, maximum;
  bool per_gigabit = false;  // both for each Gb/s of the link
  Fraction probability = 1;
  Fraction weight = 1;     // of the newest length in the average; 1: no averaging
  bool on_leaving = true;  // by what waits when the packet leaves the queue; else when it comes
  bool of_port = false;    // by what waits of all classes
};

// What the packets of a class are.
enum class ClassContent : std::uint8_t { data, control };
std::string_view name_of(ClassContent content);  // "data", "control"

// What becomes of a packet for which there is no room: lost, or cut to its header, which goes on in
// the class that carries control.
enum class ClassOverflow : std::uint8_t { drop, trim };
std::string_view name_of(ClassOverflow overflow);  // "drop", "trim"

// Packets of one priority; a port has a queue for each class. docs/models/packet-fabric.md.
struct PacketClass {
  static constexpr std::int32_t count = 8;  // priorities 0 to 7 (IEEE 802.1Q)

  std::int32_t priority = 0;
  bool lossless = false;  // senders are paused before packets find no room (PFC)
  // Lossless: the packets from one link may hold so many times the free shared memory before that
  // link is paused (Choudhury and Hahne).
  double alpha = 0.125;
  std::optional<Bytes> headroom = {};  // for each link; without it by headroom_of()
  std::optional<EcnRamp> ecn = {};
  std::int32_t weight = 1;  // under dwrr
  ClassContent carries = ClassContent::data;
  ClassOverflow overflow = ClassOverflow::drop;
  // Lossy: its own memory at each port, for each Gb/s of the link if so; else that of the switch.
  std::optional<Bytes> buffer = {};
  bool buffer_per_gigabit = false;
  // Of the packet with the least rank, the flow is sent first, its earliest packet; the one with
  // the most is lost first. Else in the order in which they come.
  bool least_first = false;
};

enum class WatchdogAction : std::uint8_t { stop, drop };
std::string_view name_of(WatchdogAction action);  // "stop", "drop"

// Priority flow control: IEEE 802.1Qbb.
struct PfcSpec {
  bool enabled = true;                    // else lossless classes are lossy
  std::optional<Duration> response = {};  // until a frame acts; without it by response_of()
  Bytes resume_offset = bytes(3'000);     // below the threshold
  Duration watchdog = milliseconds(10);   // a class that is paused for longer is examined
  WatchdogAction on_watchdog = WatchdogAction::stop;
};

// An NPU that takes what comes to it more slowly than its links bring it: a busy host, memory,
// PCIe.
struct SlowReceiver {
  std::int32_t npu = 0;
  Bandwidth rate = {};
  // Of its NIC, for what waits; headroom of lossless classes is beside it. mlx5 has 262,016 B for a
  // port ("HowTo tune receive buffers on Mellanox adapter cards").
  Bytes buffer = bytes(262'016);
};

// Loses packets besides what it loses as every other link does (SwitchSpec::loss).
struct LossyLink {
  LinkIndex link = 0;
  Fraction loss;
};

struct SwitchSpec {
  // Packets that wait in a switch; the one being sent does not count. HPCC (SIGCOMM 2019) simulates
  // switches of 32 MB; the HOTI'20 study 64 MB and 1 GB.
  Bytes buffer = bytes(32'000'000);
  BufferSharing sharing = BufferSharing::shared;  // one pool for all ports, or so much for each
  // A port may hold at most this times the free part of a shared pool (Choudhury and
  // Hahne, "Dynamic queue length thresholds for shared-memory packet switches", IEEE/ACM ToN 6(2),
  // 1998). Without it, a port may hold all.
  std::optional<double> dynamic_threshold;

  QueueKind queue = QueueKind::drop_tail;
  // RED (Floyd and Jacobson, "Random early detection gateways for congestion avoidance", IEEE/ACM
  // ToN 1(4), 1993): between minimum and maximum of the average queue a packet is marked, or
  // dropped if its flow cannot be marked, with a probability that rises to red_probability; above
  // the maximum, always. Equal minimum and maximum and a weight of 1 are the step of DCTCP.
  Bytes red_minimum = bytes(150'000);
  Bytes red_maximum = bytes(150'000);
  Fraction red_probability = 1;
  Fraction red_weight = 1;  // of the newest length in the average

  std::vector<LinkIndex> watched = {};  // the queues before these report their depth over time
  std::int64_t pause_log = 0;  // pauses and their ends that are kept one by one, the first ones

  Fraction loss = 0;  // probability that a link loses a packet, for experiments with bad links
  std::vector<LossyLink> lossy_links = {};  // each at most once
  std::vector<SlowReceiver> slow = {};      // each NPU at most once

  // Ascending priorities. Packets of a priority that is not here are of the class 0, which is lossy
  // and has the queue above, unless it is here.
  std::vector<PacketClass> classes = {};
  PortScheduler scheduler = PortScheduler::strict;  // strict: the highest priority first
  // Where packets are trimmed, under strict: so many packets of the class that carries control go
  // before one of another class that waits (NDP, 3.2).
  std::int32_t headers_in_turn = 10;
  PfcSpec pfc = {};
  Bytes port_reserve = bytes(4'000);  // memory of each lossless class of each link
  // Reserve and headroom of lossless classes are not in `buffer`, which nobody gave.
  bool headroom_beside_buffer = false;
  Bytes largest_packet = bytes(9'038);  // on the wire: what headroom is for
};

}  // namespace orrery
