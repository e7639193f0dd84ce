#include "core/base/edit_distance.h"

#include <catch2/catch.hpp>

using orrery::edit_distance;

TEST_CASE("edit distance counts inserts, deletes, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "ring") == 4);
  CHECK(edit_distance("ring", "ring") == 0);
  CHECK(edit_distance("rng", "ring") == 1);
  CHECK(edit_distance("rings", "ring") == 1);
  CHECK(edit_distance("rung", "ring") == 1);
  CHECK(edit_distance("rnig", "ring") == 1);  // neighbours swapped
  CHECK(edit_distance("direct", "ring") == edit_distance("ring", "direct"));
}
