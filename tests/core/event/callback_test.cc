#include "core/event/callback.h"

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <type_traits>

namespace orrery {
namespace {

static_assert(!std::is_copy_constructible_v<Callback>);
static_assert(std::is_nothrow_move_constructible_v<Callback>);
static_assert(std::is_nothrow_move_assignable_v<Callback>);

TEST_CASE("an empty callback says so") {
  CHECK_FALSE(Callback());
  CHECK_FALSE(Callback(nullptr));
  CHECK(Callback([] {}));
}

TEST_CASE("a callback runs what it holds, as often as asked") {
  int count = 0;
  Callback callback = [&count] { ++count; };
  callback();
  callback();
  CHECK(count == 2);
}

TEST_CASE("48 bytes fit and survive moving") {
  std::array<std::int64_t, 5> values{1, 2, 3, 4, 5};
  std::int64_t sum = 0;
  auto callable = [values, &sum] {
    for (std::int64_t value : values) sum += value;
  };
  static_assert(sizeof(callable) == Callback::capacity);
  Callback first = callable;
  Callback second = std::move(first);
  CHECK_FALSE(first);
  Callback third;
  third = std::move(second);
  third();
  CHECK(sum == 15);  // 1 + 2 + 3 + 4 + 5
}

TEST_CASE("callables that only move are welcome") {
  int seen = 0;
  Callback callback = [value = std::make_unique<int>(7), &seen] { seen = *value; };
  Callback moved = std::move(callback);
  moved();
  CHECK(seen == 7);
}

TEST_CASE("every callable is destroyed exactly once") {
  auto owned = std::make_shared<int>(0);
  {
    Callback first = [owned] {};
    CHECK(owned.use_count() == 2);
    Callback second = std::move(first);
    CHECK(owned.use_count() == 2);
    second = Callback([owned] {});  // the old one goes, the new one comes
    CHECK(owned.use_count() == 2);
    Callback& same = second;
    second = std::move(same);
    CHECK(second);
    CHECK(owned.use_count() == 2);
  }
  CHECK(owned.use_count() == 1);
}

TEST_CASE("a callable keeps its state between calls") {
  int last = 0;
  Callback callback = [count = 0, &last]() mutable { last = ++count; };
  callback();
  Callback moved = std::move(callback);
  moved();
  CHECK(last == 2);
}

}  // namespace
}  // namespace orrery
