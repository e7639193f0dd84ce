#include "network/packet/flowlet_table.h"

#include <catch2/catch.hpp>

using namespace orrery;

// 40 switches x 50 flows is more than the table begins with: it grows seven times. What is written
// in an entry stays that entry's, and nobody else's.
TEST_CASE("a flowlet is found again when the table has grown", "[packet][routing]") {
  FlowletTable table;
  for (std::uint32_t node = 0; node < 40; ++node)
    for (std::uint32_t flow = 0; flow < 50; ++flow) {
      Flowlet& flowlet = table.of(node, flow * 0x0101'0101);
      CHECK(flowlet.is_new());
      flowlet.last = Time{} + picoseconds(1 + node);
      flowlet.link = node * 50 + flow;
    }
  for (std::uint32_t node = 0; node < 40; ++node)
    for (std::uint32_t flow = 0; flow < 50; ++flow) {
      const Flowlet& flowlet = table.of(node, flow * 0x0101'0101);
      CHECK(flowlet.last == Time{} + picoseconds(1 + node));
      CHECK(flowlet.link == node * 50 + flow);
    }
}
