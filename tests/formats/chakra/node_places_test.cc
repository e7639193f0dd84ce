// Where nodes are by their ids, and rows of ids: in the few forms in which they are kept.
#include "formats/chakra/node_places.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "formats/chakra/dependencies.h"

namespace orrery::chakra {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST_CASE("places are found by id, whether ids are dense, near each other or far apart") {
  const std::vector<std::vector<std::uint64_t>> files = {
      {0, 1, 2, 3},                 // one after the other
      {1'000'000, 1'000'001},       // as converters number the second rank
      {7},                          //
      {5, 3, 4, 9},                 // near
      {0, most, 17, 1'000'000'000}  // far
  };
  for (const std::vector<std::uint64_t>& ids : files) {
    NodePlaces places;
    for (const std::uint64_t id : ids) CHECK(places.add(id));
    CHECK_FALSE(places.close());
    REQUIRE(places.size() == ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      CHECK(places.find(ids[i]) == static_cast<std::int32_t>(i));
      CHECK(places.id_at(static_cast<std::int32_t>(i)) == ids[i]);
    }
    for (const std::uint64_t other : {std::uint64_t{6}, std::uint64_t{999'999}, most - 1})
      CHECK(places.find(other) == std::nullopt);
  }
}

TEST_CASE("two nodes with one id are found, at once or in the end") {
  NodePlaces dense;
  CHECK(dense.add(4));
  CHECK(dense.add(5));
  CHECK_FALSE(dense.add(4));
  for (const std::uint64_t between : {std::uint64_t{9}, std::uint64_t{1} << 40}) {
    NodePlaces apart;  // near, and far
    for (const std::uint64_t id : {std::uint64_t{7}, between, std::uint64_t{8}, between + 1})
      CHECK(apart.add(id));
    apart.add(8);
    CHECK(apart.close() == 4);
  }
}

TEST_CASE("rows of ids keep them, near each other or not") {
  const std::vector<std::vector<std::uint64_t>> rows = {{}, {10, 11}, {9}, {}, {most, 0}, {12}};
  IdRows ids;
  for (const auto& row : rows) ids.add_row(row);
  REQUIRE(ids.rows() == 6);
  REQUIRE(ids.size() == 6);
  const std::vector<std::uint64_t> all = {10, 11, 9, most, 0, 12};
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(ids.id_at(i) == all[i]);
  // Those of 9 and 0 are left out; the others get their last digit.
  const Graph::Predecessors taken = ids.taken([](std::int32_t, std::uint64_t id) {
    return id == 9 || id == 0 ? -1 : static_cast<std::int32_t>(id % 10);
  });
  CHECK(taken.first == std::vector<std::uint32_t>{0, 0, 2, 2, 2, 3, 4});
  CHECK(taken.before == std::vector<std::int32_t>{0, 1, 5, 2});
}

}  // namespace
}  // namespace orrery::chakra
