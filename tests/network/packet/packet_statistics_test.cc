// Counts of two transports on different links, added by hand.
#include "network/packet_statistics.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

PacketStatistics on_link(std::size_t link, std::uint64_t packets) {
  PacketStatistics statistics;
  statistics.packets = packets;
  statistics.packet_hops = 2 * packets;
  statistics.drops = 1;
  statistics.links.resize(2);
  statistics.links[link] = {bytes(100), packets, 1, 0, bytes(7)};
  statistics.depths = {{0, nanoseconds(1), {0, 0}}, {1, nanoseconds(1), {0, 0}}};
  statistics.depths[link].peaks = {5};
  statistics.captures = {{"a", 0, 0, "empty"}, {"b", 0, 0, "empty"}};
  statistics.captures[link] = {"c", packets, 0, "full"};
  statistics.waits.resize(link + 1);
  statistics.waits[link] = {packets, nanoseconds(10), nanoseconds(1),
                            nanoseconds(static_cast<std::int64_t>(packets))};
  statistics.acknowledgement_waits.packets = packets;
  return statistics;
}

TEST_CASE("counts of transports add up, and each keeps the rows of its links") {
  PacketStatistics sum;
  add(sum, on_link(0, 3));
  add(sum, on_link(1, 4));
  CHECK(sum.packets == 7);
  CHECK(sum.packet_hops == 14);
  CHECK(sum.drops == 2);
  REQUIRE(sum.links.size() == 2);
  CHECK(sum.links[0].packets == 3);
  CHECK(sum.links[1].packets == 4);
  CHECK(sum.links[1].most_waiting == bytes(7));
  REQUIRE(sum.depths.size() == 2);
  CHECK(sum.depths[0].peaks == std::vector<std::int64_t>{5});
  CHECK(sum.depths[1].peaks == std::vector<std::int64_t>{5});
  REQUIRE(sum.captures.size() == 2);
  CHECK(sum.captures[0].pcap == "full");
  CHECK(sum.captures[1].pcap == "full");
  REQUIRE(sum.waits.size() == 2);
  CHECK(sum.waits[0].longest == nanoseconds(3));
  CHECK(sum.waits[1].packets == 4);
  CHECK(sum.acknowledgement_waits.packets == 7);
  add(sum, on_link(1, 2));  // the same link again: sums, and the largest
  CHECK(sum.links[1].packets == 6);
  CHECK(sum.links[1].sent == bytes(200));
  CHECK(sum.waits[1].longest == nanoseconds(4));
}

}  // namespace
}  // namespace orrery
