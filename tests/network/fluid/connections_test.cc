// The chains against lists that are sorted anew after each arrival.
#include "network/fluid/connections.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "core/base/random.h"

namespace orrery::fluid {
namespace {

using Name = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

struct Model {
  struct Item {
    std::uint32_t slot, order;
    Time came;
    bool begun;
  };
  std::map<Name, std::vector<Item>> lists;

  void enter(const Name& name, const Item& item) {
    auto& list = lists[name];
    auto place = list.end();
    while (place != list.begin() && !std::prev(place)->begun &&
           std::prev(place)->came == item.came && std::prev(place)->order > item.order)
      --place;
    list.insert(place, item);
  }
};

TEST_CASE("flights of a connection have the turns that sorted lists have") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "connections");
    const auto below = [&](int limit) {
      return static_cast<std::int32_t>(random.uniform_int(static_cast<std::uint64_t>(limit)));
    };
    std::vector<Flight> flights;
    Connections connections(flights);
    Model model;
    Time now;
    const int nodes = seed % 2 == 0 ? 3 : 40;  // long chains, or many
    for (int step = 0; step < 3'000; ++step) {
      const Name name{below(nodes), below(nodes), below(2)};
      auto& list = model.lists[name];
      if (below(5) == 0) now += nanoseconds(1);
      if (below(nodes == 3 ? 2 : 3) == 0 && !list.empty()) {
        const std::uint32_t first = list.front().slot;
        REQUIRE(connections.is_first(first));
        list.erase(list.begin());
        REQUIRE(connections.leave(first) == (list.empty() ? no_flight : list.front().slot));
        if (list.empty()) continue;
        list.front().begun = true;
        flights[list.front().slot].state = Flight::State::flowing;
      } else {
        const auto slot = static_cast<std::uint32_t>(flights.size());
        const auto order = static_cast<std::uint32_t>(below(4));
        const auto [source, target, connection] = name;
        flights.emplace_back();
        flights.back().message.source = {source};
        flights.back().message.target = {target};
        flights.back().message.connection = connection;
        flights.back().message.order = order;
        flights.back().state = Flight::State::in_turn;
        connections.enter(slot, now);
        model.enter(name, {slot, order, now, false});
        REQUIRE(connections.is_first(slot) == (list.front().slot == slot));
      }
    }
  }
}

// What is added at its target, as in the first half of an all-reduce, has a lane of a larger number
// than what is copied there.
TEST_CASE("of a chunk the first stage goes first, whatever the token says of its lane") {
  std::vector<Flight> flights(2);
  Connections connections(flights);
  flights[0].message.token = {.lane = 1U << 31, .stage = 0};
  flights[1].message.token = {.lane = 0, .stage = 1};
  for (const std::uint32_t slot : {0, 1}) {
    flights[slot].message.target = {1};
    flights[slot].message.connection = 0;
    flights[slot].state = Flight::State::in_turn;
    connections.enter(slot, Time());
  }
  CHECK(connections.is_first(0));
}

}  // namespace
}  // namespace orrery::fluid
