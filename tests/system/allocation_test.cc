// What a chunk takes from the heap.
#include <catch2/catch.hpp>
#include <cstdint>

#include "tests/counted_allocations.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace test;

// Four all-reduces are outstanding on 16 ranks, and the last called goes first (LIFO), so that each
// of its chunks finds older ones waiting and overtakes them. Its group takes one list of runs for
// each chunk, which 16 ranks share: 1/16 an allocation for a rank's chunk. That leaves 1/16 for
// vectors that grow.
TEST_CASE("a rank takes nothing from the heap for a chunk") {
  constexpr int ranks = 16, calls = 4;
  const auto allocated = [](int chunks) {
    SystemSpec spec = plain_system("double_binary_tree");
    spec.scheduling = SchedulingPolicy::lifo;
    spec.collectives[static_cast<std::size_t>(Collective::all_reduce)].chunks = chunks;
    spec.first_phase_limit = 16;
    spec.queue_limit = 8;
    std::vector<Operation> program;
    for (int i = 0; i < calls; ++i)
      program.push_back(collective(i, Collective::all_reduce, bytes(1'000 * chunks)));
    World world({switch_level(ranks, gigabits_per_second(100), nanoseconds(500))}, spec,
                World::everywhere(ranks, program));
    const std::uint64_t before = allocations;
    world.run();
    REQUIRE(world.runner->finished());
    return allocations - before;
  };
  const std::uint64_t more_chunks = ranks * calls * (1'024 - 512);  // of a rank
  CHECK(allocated(1'024) - allocated(512) <= more_chunks / 8);
}

}  // namespace
}  // namespace orrery
