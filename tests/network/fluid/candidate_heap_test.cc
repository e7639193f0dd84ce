#include "network/fluid/solver/candidate_heap.h"

#include <catch2/catch.hpp>
#include <limits>
#include <set>
#include <utility>

#include "core/base/random.h"

namespace orrery::fluid {
namespace {

// Few distinct levels, so that most of them are equal to others; the set is the model.
TEST_CASE("candidates come by level and then by link, also when some were raised") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "candidates");
    const auto draw = [&] { return 1e9 * static_cast<double>(random.uniform_int(4)); };
    CandidateHeap heap;
    std::set<std::pair<double, LinkId>> model;
    const auto count = static_cast<LinkId>(1 + random.uniform_int(40));
    for (LinkId link = 0; link < count; ++link) {
      const double level = draw();
      heap.add(level, link);
      model.insert({level, link});
    }
    heap.arrange();
    for (; !model.empty();) {
      const auto [level, link] = *model.begin();
      REQUIRE(heap.level() == level);
      REQUIRE(heap.link() == link);
      model.erase(model.begin());
      const double second =
          model.empty() ? std::numeric_limits<double>::infinity() : model.begin()->first;
      REQUIRE(heap.second_level() == second);
      if (random.uniform_int(3) == 0) {
        const double higher = level + draw();
        heap.raise(higher);
        model.insert({higher, link});
      } else {
        heap.pop();
      }
    }
    REQUIRE(heap.empty());
  }
}

// What is left of a link may be below 0 by a rounding: it is full at once, like one with nothing.
TEST_CASE("a level below 0 counts as 0") {
  CandidateHeap heap;
  heap.add(-1e-3, 7);
  heap.add(0, 3);
  heap.arrange();
  CHECK(heap.link() == 3);
  CHECK(heap.level() == 0);
  CHECK(heap.second_level() == 0);
}

}  // namespace
}  // namespace orrery::fluid
