// A packet of RoCEv2 as bytes on Ethernet, for captures: InfiniBand Architecture 1.2.1, chapter 9
// and annex A17. The preamble, the checksum of Ethernet and the gap are not in it, as in any
// capture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "network/topology/topology.h"

namespace orrery {

enum class RoceOpcode : std::uint8_t {  // of reliable connections
  write_first = 0x06,
  write_middle = 0x07,
  write_last = 0x08,
  write_only = 0x0a,
  acknowledge = 0x11,
  congestion_notification = 0x81,
};

struct RoceFields {
  NodeId from, to;
  std::uint32_t pair = 0;  // the destination's number of the pair; of the 24 bits of a QP
  RoceOpcode opcode = RoceOpcode::write_only;
  std::uint8_t priority = 0;
  bool can_be_marked = false;
  bool asks = false;                               // for an acknowledgement
  std::uint64_t number = 0;                        // PSN, of which 24 bits are sent
  std::optional<std::uint32_t> message_size = {};  // of the first packet of a write: RETH
  std::optional<std::uint8_t> syndrome = {};       // of acknowledgements: AETH
  std::uint32_t data_bytes = 0;                    // left out, as is the ICRC behind it
};

class RoceFrame {
 public:
  static constexpr std::uint8_t acknowledged = 0x1f;    // no credits
  static constexpr std::uint8_t sequence_error = 0x60;  // NAK code 0

  RoceFrame() = default;
  explicit RoceFrame(const RoceFields& fields);

  NodeId from() const { return from_; }
  NodeId to() const { return to_; }
  std::span<const std::uint8_t> kept(bool marked);
  std::uint32_t length() const { return length_; }

 private:
  void put_bth(std::uint8_t* at, const RoceFields& fields);

  NodeId from_, to_;
  std::array<std::uint8_t, 80> bytes_{};
  std::size_t kept_ = 0;
  std::uint32_t length_ = 0;
};

}  // namespace orrery
