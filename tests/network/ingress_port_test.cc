#include "network/analytical/ingress_port.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "core/base/random.h"

namespace orrery {
namespace {

// A burst of a thousand arrivals, then many more of which few wait at a time: the port makes more
// places, and gives them up again. At each step its head is that of a list that is sorted anew.
TEST_CASE("a port takes in arrivals by opening time, turn and order, however many wait") {
  RandomStream random(1, "arrivals");
  IngressPort port;
  std::vector<Arrival> model;
  Time now, head_end;
  std::uint32_t number = 0;
  const auto announce = [&] {
    const auto ahead = static_cast<std::int64_t>(random.uniform_int(50));
    const Arrival arrival{.open = now + nanoseconds(ahead),
                          .duration = nanoseconds(1),
                          .token = {.owner = number++},
                          .size = bytes(1),
                          .turn = static_cast<std::uint32_t>(random.uniform_int(3)),
                          .listener = 0};
    const auto place = std::find_if(model.begin(), model.end(), [&](const Arrival& other) {
      return !arrival.goes_behind(other.open, other.turn);
    });
    const bool first = place == model.begin();
    model.insert(place, arrival);
    CHECK(port.announce(arrival, now, head_end) == first);
  };
  const auto drop = [&] {
    REQUIRE(port.head().token.owner == model.front().token.owner);
    now = std::max(now, model.front().open) + model.front().duration;
    port.drop_head(now, head_end);
    model.erase(model.begin());
    CHECK((head_end == Time::never()) == model.empty());
  };
  for (int i = 0; i < 1'000; ++i) announce();
  while (model.size() > 5) drop();
  for (int i = 0; i < 20'000; ++i) {
    if (model.size() < 20 && random.uniform_int(3) != 0) announce();
    if (!model.empty() && random.uniform_int(3) != 0) drop();
  }
}

}  // namespace
}  // namespace orrery
