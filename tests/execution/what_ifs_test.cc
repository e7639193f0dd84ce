#include "execution/what_ifs.h"

#include <catch2/catch.hpp>

using namespace orrery;

// 14 changes of 10 s are 140 s; of 0.5 s 7 s, which is no long run.
TEST_CASE("how long the changes of --what-if take is said before them", "[execution]") {
  CHECK(what_if_text(14, 10) ==
        "--what-if simulates 14 changes now, each about as long as the run: some 2 CPU minutes");
  CHECK(what_if_text(14, 0.5).empty());
}
