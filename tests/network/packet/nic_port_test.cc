#include "network/packet/nic_port.h"

#include <array>
#include <catch2/catch.hpp>

namespace orrery {
namespace {

TEST_CASE("a NIC sends the highest priority that is not paused, its pairs in turn") {
  std::array<std::uint32_t, 4> links{};
  const auto next = [&](std::uint32_t pair) -> std::uint32_t& { return links[pair]; };
  const auto nothing = [](std::uint8_t) { return false; };
  NicPort port;
  port.push(0, 1, next);
  port.push(1, 3, next);
  port.push(2, 3, next);
  const auto three = [](std::uint8_t priority) { return priority == 3; };
  CHECK(port.pop(next, three) == 0);
  CHECK(port.pop(next, three) == NicPort::none);
  CHECK(port.pop(next, nothing) == 1);
  port.push(1, 3, next);
  CHECK(port.pop(next, nothing) == 2);
  CHECK(port.pop(next, nothing) == 1);
  CHECK(port.pop(next, nothing) == NicPort::none);
}

}  // namespace
}  // namespace orrery
