#include "workload/parallelism/gradient_buckets.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

// Megatron-LM, DistributedDataParallel: max(40,000,000, 1,000,000 x data-parallel size) elements.
// Both are equal at 40 ranks.
TEST_CASE("a bucket holds 40 million gradients, or a million for each rank if that is more") {
  const auto elements = [](std::int32_t data) {
    return BucketRule{std::nullopt, Bytes{4}, data}.elements(0);
  };
  CHECK(elements(1) == 40'000'000);
  CHECK(elements(40) == 40'000'000);
  CHECK(elements(41) == 41'000'000);
  CHECK(elements(4'096) == 4'096'000'000);  // beyond 32 bits in bytes
}

TEST_CASE("the later stages of a pipeline have one bucket for a chunk") {
  CHECK(!BucketRule{std::nullopt, Bytes{4}, 64}.elements(1));
}

// 25 MiB of 4 B; a size below one gradient holds one.
TEST_CASE("a size that the user gives holds on every stage") {
  for (const std::int32_t stage : {0, 3}) {
    CHECK(BucketRule{mebibytes(25), Bytes{4}, 64}.elements(stage) == 6'553'600);
    CHECK(BucketRule{Bytes{3}, Bytes{4}, 64}.elements(stage) == 1);
  }
}

// 30 reach 25 at once; 10 do not, with 20 they do; 5 are left for the last.
TEST_CASE("a bucket closes when it is large enough, and the last one holds what is left") {
  CHECK(bucket_sizes({30, 10, 20, 5}, 25) == std::vector<std::int64_t>{30, 0, 30, 5});
  CHECK(bucket_sizes({30, 10, 20, 5}, 30) == std::vector<std::int64_t>{30, 0, 30, 5});
  CHECK(bucket_sizes({30, 10, 20, 5}, std::nullopt) == std::vector<std::int64_t>{0, 0, 0, 65});
}

}  // namespace
}  // namespace orrery
