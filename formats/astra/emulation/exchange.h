// One phase of one chunk on one NPU: ring, direct exchange, or halving and doubling.
//
// All of them are a row of packets. Packet k is made as the phase begins (the first `lanes` of
// them) or as message k - lanes arrives; it is ready after the endpoint delay, and after the time
// to add that message up, if it is to be added. A ready packet is sent to the peer that it was made
// for, and the NPU listens to the packet's source. When all messages are sent and `lanes` more
// packets are ready, the phase is over.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "formats/astra/emulation.h"

namespace orrery::astra {

// The NPUs of a phase, in their order, and where this one is.
struct Peers {
  std::vector<std::int32_t> npus = {};
  std::int32_t place = 0;
  bool is_group = false;  // a communicator group: its endpoint delay is 10 ns
  std::int32_t at(std::int64_t position) const {
    const auto count = static_cast<std::int64_t>(npus.size());
    return npus[static_cast<std::size_t>((position % count + count) % count)];
  }
  std::int32_t size() const { return static_cast<std::int32_t>(npus.size()); }
};

struct Packet {
  std::int32_t source = 0, target = 0;
  std::int64_t size = 0;
  bool is_first = false;  // of its round: comes from the NPU and is not added
  bool adds = false;
};

class Exchange {
 public:
  // REQUIRES: a ring, direct, or halving and doubling over a power of two.
  // `parts_alone`: as in Rules.
  Exchange(Collective kind, const Algorithm& algorithm, const Peers& line, std::int64_t size,
           bool parts_alone = true);

  std::int64_t final_size() const { return final_size_; }
  std::int32_t lanes() const { return lanes_; }

  Packet make_packet();
  void note_arrival() { ++arrivals_; }
  // A packet is ready: those that go now, in their order.
  std::vector<Packet> ready();
  bool is_over() const { return to_send_ == 0 && free_ == lanes_; }

 private:
  void turn_halving();
  Packet next_peers();
  void take(std::vector<Packet>& sent);

  Collective kind_;
  Algorithm::Kind algorithm_;
  const Peers& line_;
  std::int64_t final_size_ = 0, message_ = 0;
  std::int64_t less_ = 0;  // is the message of the next step, of rings that pass all on
  std::int32_t lanes_ = 1;
  std::int64_t to_send_ = 0;
  std::int32_t first_left_ = 0, others_left_ = 0, others_ = 0;  // of a round of packets
  bool even_round_ = false;
  std::int64_t arrivals_ = 0;
  std::int32_t free_ = 0;             // ready packets that were not sent
  std::deque<Packet> packets_;        // not sent
  std::int32_t turn_ = 1;             // of direct: how far the next peer is
  double distance_ = 1, factor_ = 2;  // of halving and doubling
};

}  // namespace orrery::astra
