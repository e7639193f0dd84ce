#include "network/fluid/connections.h"

#include <tuple>
#include <utility>

#include "core/base/check.h"

namespace orrery::fluid {

// Odd multipliers (2^64 over the golden ratio, and of SplitMix64) spread sources and connections.
std::size_t Connections::bucket_of(const Message& message) const {
  const auto connection =
      static_cast<std::uint64_t>(message.connection) << 1 |
      static_cast<std::uint64_t>(message.traffic_class == TrafficClass::highest);
  const std::uint64_t x = static_cast<std::uint64_t>(message.source.value) * 0x9e3779b97f4a7c15ULL +
                          connection * 0xbf58476d1ce4e5b9ULL;
  return ((x >> 32) + static_cast<std::uint64_t>(message.target.value)) & (buckets_.size() - 1);
}

bool Connections::same_connection(const Message& a, const Message& b) {
  return a.target == b.target && a.source == b.source && a.connection == b.connection &&
         a.traffic_class == b.traffic_class;
}

// Never by what ranks that are alike do not share: their numbers, or the order in which they call.
bool Connections::goes_before(const Flight& late, const Flight& early) {
  const auto turn = [](const Message& message) {
    return std::tuple(message.order, message.token.stage, message.token.lane);
  };
  return early.came == late.came && early.state == Flight::State::in_turn &&
         turn(late.message) < turn(early.message);
}

std::uint32_t& Connections::link_to_last(const Message& message) {
  std::uint32_t* link = &buckets_[bucket_of(message)];
  while (*link != no_flight && !same_connection(flights_[*link].message, message))
    link = &flights_[*link].next_connection;
  return *link;
}

void Connections::enter(std::uint32_t slot, Time now) {
  Flight& flight = flights_[slot];
  flight.came = now;
  std::uint32_t& last = link_to_last(flight.message);
  flight.ahead = last;
  flight.behind = no_flight;
  while (flight.ahead != no_flight && goes_before(flight, flights_[flight.ahead]))
    flight.behind = std::exchange(flight.ahead, flights_[flight.ahead].ahead);

  if (flight.ahead != no_flight) flights_[flight.ahead].behind = slot;
  if (flight.behind != no_flight) {
    flights_[flight.behind].ahead = slot;
    return;
  }
  const bool is_new = last == no_flight;
  flight.next_connection = is_new ? no_flight : flights_[last].next_connection;
  last = slot;
  if (is_new && ++count_ > buckets_.size()) grow();
}

std::uint32_t Connections::leave(std::uint32_t slot) {
  const Flight& flight = flights_[slot];
  if (flight.message.connection < 0) return no_flight;
  DCHECK(flight.ahead == no_flight, "flight {} leaves before its turn", slot);
  if (flight.behind != no_flight) {
    flights_[flight.behind].ahead = no_flight;
    return flight.behind;
  }
  link_to_last(flight.message) = flight.next_connection;
  --count_;
  return no_flight;
}

void Connections::grow() {
  const std::vector<std::uint32_t> before =
      std::exchange(buckets_, std::vector<std::uint32_t>(4 * buckets_.size(), no_flight));
  for (const std::uint32_t first : before)
    for (std::uint32_t slot = first; slot != no_flight;) {
      std::uint32_t& bucket = buckets_[bucket_of(flights_[slot].message)];
      const std::uint32_t next = std::exchange(flights_[slot].next_connection, bucket);
      bucket = std::exchange(slot, next);
    }
}

}  // namespace orrery::fluid
