// Catch2 has a CHECK of its own; here the name means ours.
#include <catch2/catch.hpp>
#undef CHECK
#include "core/base/check.h"

namespace orrery {
namespace {

std::string message_of(int a, int b) {
  try {
    CHECK(a == b, "a is {}, b is {}", a, b);
  } catch (const CheckFailure& failure) {
    return failure.what();
  }
  return "";
}

TEST_CASE("a check that holds does nothing") { REQUIRE(message_of(1, 1) == ""); }

TEST_CASE("a check that fails says where, what and with which values") {
  REQUIRE_THAT(message_of(1, 2), Catch::Contains("core/base/check_test.cc:"));
  REQUIRE_THAT(message_of(1, 2), Catch::EndsWith(": CHECK(a == b) failed: a is 1, b is 2"));
}

TEST_CASE("DCHECK costs nothing in release builds") {
  int evaluated = 0;
  const auto condition = [&] { return ++evaluated > 0; };
  DCHECK(condition(), "evaluated {} times", evaluated);
#ifdef NDEBUG
  static_cast<void>(condition);
  REQUIRE(evaluated == 0);
#else
  REQUIRE(evaluated == 1);
#endif
}

}  // namespace
}  // namespace orrery
