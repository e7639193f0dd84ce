#include <catch2/catch.hpp>

#include "workload/few_batches.h"

namespace orrery {
namespace {

TransformerTraining of(std::int64_t micro_batches, std::int32_t pipeline, std::int32_t group = 0) {
  TransformerTraining training;
  training.pipeline = pipeline;
  training.data = 3;
  training.micro_batch = 2;
  training.micro_batch_group = group;
  set_micro_batches(training, micro_batches);
  return training;
}

// 12 stages and 8 in a row come round after 24, twice that is even. One stage: 2, 4, 8, 16.
TEST_CASE("a pipeline comes round after two groups of two for each stage") {
  CHECK(of(10, 1).global_batch == 60);
  CHECK(period_of(of(10, 1)) == 16);
  CHECK(period_of(of(10, 12)) == 24);
  CHECK(period_of(of(10, 12, 8)) == 48);
}

// 2,048 are 128 times 16: two periods are few, and 126 follow. With five more, these come first. Of
// 14 periods twelve follow, which is the least that is worth it: five are written down.
TEST_CASE("few micro-batches and whole periods are all of them") {
  const auto all = few_batches(of(2'048, 4));
  REQUIRE(all);
  CHECK((all->few == 32 && all->period == 16 && all->repeats == 126));
  const auto more = few_batches(of(2'053, 4));
  REQUIRE(more);
  CHECK((more->few == 37 && more->period == 16 && more->repeats == 126));
  CHECK(few_batches(of(14 * 16, 4)));
  CHECK_FALSE(few_batches(of(14 * 16 - 1, 4)));
}

// The first 40 are others: two periods and a half.
TEST_CASE("micro-batches whose head gradients are put off are among the few") {
  TransformerTraining training = of(2'048, 4);
  training.deferral_limit = 40;
  const auto all = few_batches(training);
  REQUIRE(all);
  CHECK((all->few == 64 && all->few + all->period * all->repeats == 2'048));
}

}  // namespace
}  // namespace orrery
