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

  Fraction loss = 0;  // probability that a link loses a packet, for experiments with bad links
};

}  // namespace orrery
