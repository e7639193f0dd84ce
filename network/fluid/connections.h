// Whose turn it is where messages follow each other. What one node sends to another on a connection
// goes in order, as on a queue pair or a socket of a library's channel: each message begins when
// the one before it has left. Different connections and classes of traffic share links instead, and
// so do messages without a connection.
//
// A connection is a chain of the flights that have not left. All chains are found by their last
// flight, in a hash table whose links are in the flights too: one on which nothing is under way
// takes no memory. Connections of one source to neighbouring targets are neighbours in the table,
// because those who send to all send to them one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "network/fluid/flight.h"

namespace orrery::fluid {

class Connections {
 public:
  // REQUIRES: `flights`, by slot, outlive this.
  explicit Connections(std::vector<Flight>& flights) : flights_(flights) {}

  // Behind all that has begun, or came earlier, or now with a turn that is not later than its own.
  // REQUIRES: the message has a connection.
  void enter(std::uint32_t slot, Time now);

  bool is_first(std::uint32_t slot) const { return flights_[slot].ahead == no_flight; }

  // The first of its connection has left. Returns who is first now, or no_flight; no_flight too if
  // it had no connection.
  std::uint32_t leave(std::uint32_t slot);

 private:
  static bool goes_before(const Flight& late, const Flight& early);
  static bool same_connection(const Message& a, const Message& b);
  // The link to the last flight of the message's connection, or to no_flight.
  std::uint32_t& link_to_last(const Message& message);
  std::size_t bucket_of(const Message& message) const;
  void grow();

  std::vector<Flight>& flights_;
  std::vector<std::uint32_t> buckets_ = std::vector<std::uint32_t>(64, no_flight);  // 2^k
  std::size_t count_ = 0;  // connections on which something is under way
};

}  // namespace orrery::fluid
