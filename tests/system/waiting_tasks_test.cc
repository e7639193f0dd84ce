// The lists that a rank keeps, against lists that are written to be obvious.
#include "system/rank/waiting_tasks.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "system/rank/operation_stream.h"

namespace orrery {
namespace {

using Urgency = CollectiveCalls::Urgency;
using Waiting = std::vector<std::pair<Urgency, Task>>;

// As it is to be visited: by urgency, and of one call in the order of coming.
Waiting visited(const WaitingTasks& tasks) {
  Waiting all;
  tasks.for_each(
      [&](Urgency urgency, std::size_t, const Task& task) { all.emplace_back(urgency, task); });
  return all;
}

// Three calls, so that lists run empty often, are used again by another call, and stay.
TEST_CASE("waiting tasks come in the order of their calls, then of coming") {
  std::mt19937 random(7);
  WaitingTasks tasks;
  Waiting expected;
  for (std::int32_t chunk = 0; chunk < 20'000; ++chunk) {
    const bool adds = expected.empty() || random() % 8 < (chunk / 100 % 2 == 0 ? 3 : 5);
    if (adds) {
      const auto call = static_cast<std::uint32_t>(random() % 3);
      const std::pair<Urgency, Task> added{{0, static_cast<std::int64_t>(call)}, {call, chunk, 0}};
      tasks.add(added.first, added.second);
      expected.insert(
          std::ranges::upper_bound(expected, added.first, {}, &Waiting::value_type::first), added);
    } else {
      const auto which = static_cast<std::ptrdiff_t>(random() % expected.size());
      const auto [urgency, task] = expected[static_cast<std::size_t>(which)];
      if (which == 0)
        tasks.take(urgency, &tasks.best());
      else
        REQUIRE(tasks.remove(urgency, task));
      REQUIRE_FALSE(tasks.remove(urgency, task));
      expected.erase(expected.begin() + which);
    }
    REQUIRE(tasks.empty() == expected.empty());
    if (!expected.empty()) REQUIRE(tasks.best() == expected.front().second);
    if (chunk % 16 == 0) REQUIRE(visited(tasks) == expected);
  }
}

TEST_CASE("a stream hands out operations in the order in which they came") {
  std::mt19937 random(7);
  OperationStream stream;
  std::deque<OperationId> expected;
  for (OperationId id = 0; id < 20'000; ++id) {
    REQUIRE(stream.empty() == expected.empty());
    if (expected.empty() || random() % 8 < (id / 100 % 2 == 0 ? 3 : 5)) {
      stream.push_back({.id = id, .what = Wait{id}});
      expected.push_back(id);
    } else {
      REQUIRE(stream.front().id == expected.front());
      stream.pop_front();
      expected.pop_front();
    }
  }
}

}  // namespace
}  // namespace orrery
