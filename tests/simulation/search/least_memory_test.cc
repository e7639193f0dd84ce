// What needs least memory, and how many NPUs a model needs at least.
#include "simulation/search/least_memory.h"

#include <catch2/catch.hpp>
#include <regex>
#include <sstream>

#include "simulation/result/memory_notice.h"
#include "tests/simulation/search/small_search.h"

using namespace orrery;

namespace {

// The small model on so many nodes of two; up to six of them divide the batch.
Experiment on_nodes(std::int32_t nodes, Bytes memory) {
  const SearchFile file(small_experiment);
  return load_experiment(file.path(),
                         {{"platform.ranks=" + std::to_string(2 * nodes)},
                          {"platform.npu.memory=" + std::to_string(memory.value) + " B"},
                          {"platform.npu.fragmentation=0 %"},
                          {"workload.training={global_batch: 240}"}});
}

}  // namespace

// 1,832 parameters of 18 B, divided among 4 ranks.
TEST_CASE("the least memory is that of full sharding, and none of the choices needs less") {
  const TrainingVariants variants(on_nodes(2, Bytes{6'000}), {});
  const auto least = least_memory(variants);
  REQUIRE(least);
  CHECK(least->memory > Bytes{1'832 * 18 / 4});
  const FittingChoices all = fitting_choices(variants, {}, 1);
  REQUIRE(all.smallest_too_large);
  CHECK(least->memory <= all.smallest_too_large->memory);
}

// The states of n ranks are 32,976 B / n; what else a rank keeps does not depend on n. So the room
// of one number of NPUs is not that of a node less.
TEST_CASE("the least number of NPUs fits, and a node less does not") {
  for (const std::int64_t room : {6'000, 7'000, 9'000}) {
    CAPTURE(room);
    const auto larger = least_npus(TrainingVariants(on_nodes(2, Bytes{room}), {}), Bytes{room});
    REQUIRE(larger);
    const std::int32_t npus = larger->npus;
    CHECK(npus % 2 == 0);
    CHECK(npus > 32'976 / room);
    CHECK(memory_notices(on_nodes(npus / 2, Bytes{room})).empty());
    if (npus > 4) CHECK(memory_notices(on_nodes(npus / 2 - 1, Bytes{room})).size() == 1);
  }
  CHECK_FALSE(least_npus(TrainingVariants(on_nodes(2, Bytes{100}), {}), Bytes{100}));
}

// "write tensor: 2, sharding: zero3, which needs 5 kB", or "use 8 NPUs and write data: 4": followed
// to the letter, by a file that says how the model is divided, or the batch alone.
TEST_CASE("the remedy of a model that does not fit works as it is written") {
  const std::regex remedy("(?:use (\\d+) NPUs)?(?: and )?(?:write (.*?)(?:, which needs .*)?)?$");
  for (const char* training :
       {"{global_batch: 4}", "{global_batch: 1}", "{global_batch: 2, tensor: 2, data: 2}",
        "{global_batch: 4, tensor: 1, data: 4}"})
    for (const char* memory : {"6500 B", "9000 B", "20 kB"}) {
      CAPTURE(training, memory);
      const SearchFile file(small_experiment);
      std::vector<Override> overrides{{std::string("workload.training=") + training},
                                      {std::string("platform.npu.memory=") + memory}};
      const auto notices = memory_notices(load_experiment(file.path(), overrides));
      if (notices.empty()) continue;
      const std::string text = notices.front().substr(notices.front().find("; ") + 2);
      CAPTURE(text);
      if (text.find("use devices with more memory") != std::string::npos) continue;
      std::smatch found;
      const std::string last = text.substr(
          text.find("use ") == std::string::npos ? text.find("write ") : text.find("use "));
      REQUIRE(std::regex_match(last, found, remedy));
      if (found[1].matched) overrides.push_back({"platform.ranks=" + found[1].str()});
      std::istringstream settings(found[2].str());
      for (std::string setting; std::getline(settings, setting, ',');) {
        const std::size_t colon = setting.find(": "), begin = setting.find_first_not_of(' ');
        overrides.push_back({"workload.training." + setting.substr(begin, colon - begin) + '=' +
                             setting.substr(colon + 2)});
      }
      CHECK(memory_notices(load_experiment(file.path(), overrides)).empty());
    }
}

// 32,976 B / 6,500 B are 5.07 NPUs. Six would do, and are no replicas that divide 4 samples; eight
// are 4 replicas of 2 ranks.
TEST_CASE("the least number of NPUs divides the batch that is written") {
  Experiment experiment = on_nodes(2, Bytes{6'500});
  std::get<TransformerWorkload>(experiment.workload.what).training.global_batch = 4;
  const auto larger = least_npus(TrainingVariants(experiment, {}), Bytes{6'500});
  REQUIRE(larger);
  CHECK(larger->npus == 8);
  CHECK(larger->training.global_batch == 4);
}
