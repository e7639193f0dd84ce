#include "frontends/cli/operation_named.h"

#include <catch2/catch.hpp>

using namespace orrery;
using Catch::Contains;

TEST_CASE("a misspelt collective is answered with the nearest", "[coll]") {
  CHECK(operation_named("all_gather") == Collective::all_gather);
  CHECK_THROWS_WITH(operation_named("allreduce"), Contains("--op allreduce: error: ") &&
                                                      Contains("did you mean \"all_reduce\"?"));
}
