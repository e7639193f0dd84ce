// Keys of problems, and the two rules that all rooms share.
#include "core/base/spec_problem.h"

#include <catch2/catch.hpp>

using namespace orrery;

TEST_CASE("problems of a part get the part's name before their key") {
  SpecProblems problems;
  add_below(problems, "experts", {{"top_k", "a", "b"}, {"", "c", "d"}, {"[2].use", "e", "f"}});
  REQUIRE(problems.size() == 3);
  CHECK(problems[0].key == "experts.top_k");
  CHECK(problems[1].key == "experts");
  CHECK(problems[2].key == "experts[2].use");
  CHECK(item_key("levels", 3) == "levels[3]");
}

TEST_CASE("numbers that are too small, and divisors that do not divide") {
  SpecProblems problems;
  check_at_least(problems, "tensor", 1, 1);
  check_divides(problems, "tensor", 4, 12, "heads");
  check_divides(problems, "tensor", 0, 12, "heads");
  CHECK(problems.empty());
  check_at_least(problems, "tensor", 0, 1);
  check_divides(problems, "tensor", 5, 12, "heads");
  REQUIRE(problems.size() == 2);
  CHECK(problems[0].what == "0 is out of range");
  CHECK(problems[0].remedy == "it must be at least 1");
  CHECK(problems[1].what == "5 does not divide the 12 heads");
}
