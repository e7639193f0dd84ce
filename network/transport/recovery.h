// What a queue pair does about lost packets, at both of its ends: state machines without clock,
// queue or packets. Packets of a pair are numbered from 0, in 64 bits. A new one is a file and a
// line of network/roce_recoveries.def. docs/models/roce.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/units/units.h"
#include "network/roce_spec.h"

namespace orrery {

using PacketNumber = std::uint64_t;

// What the receiver does about a packet.
enum class Verdict : std::uint8_t {
  in_order,   // expected() has moved
  duplicate,  // acknowledged again
  gap,        // told with a negative acknowledgement (NACK)
  kept,       // out of order, as may be; acknowledged by its number
  ignored,
};

class Recovery {
 public:
  virtual ~Recovery() = default;

  // --- The receiver ---
  virtual Verdict received(Time now, PacketNumber number) = 0;
  PacketNumber expected() const { return expected_; }  // all before it are there
  // Packets that came, and wait for those before them.
  virtual std::uint64_t held() const { return 0; }

  // --- The sender ---
  // All before `expected` are there.
  virtual void acknowledged(PacketNumber expected) = 0;
  // A NACK, or what answers a packet that was kept: all before `expected` are there, that one is
  // not, and `seen` came.
  virtual void refused(PacketNumber expected, PacketNumber seen) = 0;
  virtual void timed_out() = 0;
  // What to send next: at most the first that was never sent.
  virtual PacketNumber next() = 0;
  virtual void sent(PacketNumber number) = 0;
  // next() was lost and is still counted as on its way, so a full window has room for it.
  virtual bool replaces_a_lost_one() { return false; }
  // Packets that may be on the way.
  virtual std::uint64_t in_flight() const = 0;
  PacketNumber unacknowledged() const { return unacknowledged_; }  // the first one
  PacketNumber never_sent() const { return never_sent_; }          // the first one

 protected:
  PacketNumber expected_ = 0, unacknowledged_ = 0, never_sent_ = 0;
};

struct RecoveryEntry {
  RecoveryKind kind;
  std::string_view name;
  std::unique_ptr<Recovery> (*make)(const RoceSpec& spec);
};
std::span<const RecoveryEntry> roce_recoveries();
std::unique_ptr<Recovery> make_recovery(const RoceSpec& spec);

}  // namespace orrery
