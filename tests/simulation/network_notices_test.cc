#include "simulation/result/network_notices.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

TEST_CASE("pFabric over a class without its order is told") {
  NetworkSpec spec;
  spec.transport.kind = TransportKind::pfabric;
  CHECK(setting_notices(spec, {}).empty());  // classes of its own
  PacketClass data;
  data.priority = spec.transport.roce.priority;
  spec.switches.classes = {data};
  REQUIRE(setting_notices(spec, {}).size() == 1);
  CHECK_THAT(setting_notices(spec, {})[0], Catch::Contains("least_first: true"));
  spec.switches.classes[0].least_first = true;
  CHECK(setting_notices(spec, {}).empty());
}

}  // namespace
}  // namespace orrery
