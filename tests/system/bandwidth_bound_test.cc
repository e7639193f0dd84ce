// The bound of a collective on levels whose ranks have several ports.
#include "system/collective/bandwidth_bound.h"

#include <catch2/catch.hpp>

#include "tests/system/harness.h"

namespace orrery {
namespace {

// Eight ranks with a link of 1 GB/s from each to each, `members` of them, and 8 kB.
Duration bound_of(Collective kind, const std::string& algorithm, std::int32_t members) {
  const Topology topology({{{"", LevelKind::fully_connected, 8, gigabytes_per_second(1),
                             nanoseconds(1), Scope::local}}});
  RankLists groups(1);
  for (Rank rank = 0; rank < members; ++rank) groups[0].push_back(rank);
  const GroupFamily family(topology, {"group", groups});
  CollectiveCall call{};
  call.kind = kind;
  call.size = bytes(8'000);
  const SystemSpec spec = test::plain_system(algorithm);
  return bandwidth_bound(call, spec.collectives[static_cast<std::size_t>(kind)], bytes(1), family,
                         topology);
}

// A rank of a ring sends 2 (n-1)/n of 8 kB over its one link of them: 8, 12 and 14 us. Eight ranks
// use 56 links together, which are nobody's.
TEST_CASE("the bound of a ring on a full mesh is that of one link of each rank") {
  CHECK(bound_of(Collective::all_reduce, "ring", 2) == microseconds(8));
  CHECK(bound_of(Collective::all_reduce, "ring", 4) == microseconds(12));
  CHECK(bound_of(Collective::all_reduce, "ring", 8) == microseconds(14));
}

// Each link carries the n-th part that its two ranks exchange, twice for a sum: 8, 4 and 2 us; once
// in an all-to-all. The root of a gather gets a part over each of its links, at the same time.
TEST_CASE("the bound of direct exchanges on a full mesh is that of one part on each link") {
  CHECK(bound_of(Collective::all_reduce, "direct", 2) == microseconds(8));
  CHECK(bound_of(Collective::all_reduce, "direct", 4) == microseconds(4));
  CHECK(bound_of(Collective::all_reduce, "direct", 8) == microseconds(2));
  CHECK(bound_of(Collective::all_to_all, "direct", 8) == microseconds(1));
  CHECK(bound_of(Collective::gather, "direct", 8) == microseconds(1));
}

// A rank passes all of the buffer on once: 8 us, whatever the number of ranks.
TEST_CASE("the bound of a chain on a full mesh is that of the whole buffer on one link") {
  CHECK(bound_of(Collective::broadcast, "chain", 4) == microseconds(8));
  CHECK(bound_of(Collective::reduce, "chain", 8) == microseconds(8));
}

}  // namespace
}  // namespace orrery
