#include "report/topology_text.h"

#include <catch2/catch.hpp>

#include "network/topology/builders/tree.h"

namespace orrery {
namespace {

std::string text_of(std::int32_t hosts) {
  const Wire wire{gigabytes_per_second(1), microseconds(1)};
  const TopologySpec spec = build_tree({{}, tiers_by_radix(12, 3, {1, 2}, wire), hosts});
  return topology_text(Topology(spec), inner_links(spec));
}

}  // namespace

// Radix 12: a leaf has 6 hosts and 6 links up, a spine 8 leaves and 4 links up. 48 hosts of a full
// group have 24 links to the cores, 2:1. Of 12 groups half can send twice what the cut carries.
// With 60 hosts the second group has 12, and 24 links: those do not hold up what half can send so
// much.
TEST_CASE("a taper that the halves of a network do not see is shown beside their cut") {
  CHECK_THAT(text_of(0), Catch::Contains("oversubscription  2 (") && !Catch::Contains("taper"));
  CHECK_THAT(text_of(60), !Catch::Contains("oversubscription  2 (") &&
                              Catch::Contains("taper             2:1 at core"));
}

}  // namespace orrery
