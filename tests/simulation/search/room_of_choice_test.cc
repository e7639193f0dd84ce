// What memory the parallelism that is chosen leaves free.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "simulation/result/memory_notice.h"
#include "simulation/search/least_memory.h"
#include "tests/simulation/search/small_search.h"

namespace orrery {
namespace {

std::string chosen(std::vector<Override> overrides) {
  const SearchFile file(small_experiment);
  return load_experiment(file.path(), overrides).parallelism_chosen;
}

// "..., best of 12 estimates in 90 % of memory" -> 12
int compared(std::vector<Override> overrides) {
  const std::string text = chosen(std::move(overrides)), before = "best of ";
  return std::stoi(text.substr(text.find(before) + before.size()));
}

}  // namespace

// Data parallelism alone needs 35,536 B (fitting_test.cc), 37,313 B with a twentieth of fragments.
// Of 38 kB a tenth less is 34,200 B; of 40 kB, 36,000 B.
TEST_CASE("data parallelism alone leaves a tenth of the memory free too") {
  CHECK(compared({{"platform.npu.memory=38 kB"}}) < compared({{"platform.npu.memory=40 kB"}}));
}

TEST_CASE("a reserve that is written takes the place of the tenth, and fragments have room") {
  const Override none{"platform.npu.reserve=0 B"};
  CHECK(compared({{"platform.npu.memory=36 kB"}, none}) <
        compared({{"platform.npu.memory=38 kB"}, none}));
  CHECK(compared({{"platform.npu.memory=38 kB"}, none}) ==
        compared({{"platform.npu.memory=42 kB"}, none}));
}

TEST_CASE("the report says that a tenth is kept free") {
  using Catch::EndsWith;
  CHECK_THAT(chosen({{"platform.npu.memory=21 kB"}}), EndsWith(" estimates in 90 % of memory"));
  CHECK_THAT(chosen({{"platform.npu.memory=21 kB"}, {"platform.npu.reserve=0 B"}}),
             EndsWith(" estimates"));
}

// 32 layers of 12 x 4,096^2 parameters, 116 GB of states. Of 100 GiB 4 are outside the allocator,
// and of the rest 1 / 1.05 can be allocated, 91.4 GiB; of 141 GiB 130.5, which is 92.5 %. Of 64 GiB
// these would be 57.1, and nine tenths are 57.6.
TEST_CASE("of a large device less than a tenth is kept free: what is outside, and fragments") {
  const auto of = [&](const std::string& memory, const std::string& more = "seed=1") {
    return chosen({{"workload.transformer.hidden=4096"},
                   {"workload.transformer.layers=32"},
                   {"workload.transformer.heads=32"},
                   {"platform.npu.memory=" + memory},
                   {more}});
  };
  CHECK_THAT(of("64 GiB"), Catch::EndsWith(" in 90 % of memory"));
  CHECK_THAT(of("100 GiB"), Catch::EndsWith(" in 91 % of memory"));
  CHECK_THAT(of("100 GiB", "platform.npu.fragmentation=0 %"),
             Catch::EndsWith(" in 96 % of memory"));
}

// The same model on the same ranks: what fits beside what is kept free, at 21 kB, is the fastest of
// several; on a device of which a tenth less is less than any choice needs, too.
TEST_CASE("where nothing leaves a tenth free, the fastest that fits is chosen, not the smallest") {
  const SearchFile file(small_experiment);
  const Experiment experiment = load_experiment(file.path(), {{"platform.npu.memory=40 kB"}});
  const Bytes least = least_memory({experiment, {}})->memory;
  const auto of = [&](std::int64_t per_mille) {
    return chosen({{fmt::format("platform.npu.memory={} B", least.value * per_mille / 1'000)}});
  };
  CHECK_THAT(of(1'120), Catch::EndsWith(" in 90 % of memory"));
  CHECK_THAT(of(1'060), Catch::EndsWith(" in memory with fragments"));
  CHECK_THAT(of(1'020), Catch::EndsWith(" in memory without fragments"));
  CHECK_THAT(of(990), Catch::EndsWith(", least memory"));
}

// What needs least memory fills the device, and fragments would be a twentieth more.
TEST_CASE("what has no room for its fragments only is told with them") {
  const SearchFile file(small_experiment);
  Experiment experiment = load_experiment(file.path(), {{"platform.npu.memory=40 kB"}});
  experiment.npu.memory = least_memory({experiment, {}})->memory;
  CHECK_THAT(memory_notices(experiment).at(0),
             Catch::Contains(" with fragments, platform.npu.fragmentation)"));
}

}  // namespace orrery
