#include "system/compute/roofline.h"

#include <catch2/catch.hpp>

#include "system/compute/variation.h"

namespace orrery {
namespace {

constexpr Flops flops(std::int64_t n) { return {n}; }

// 100 TFLOP/s and 1 TB/s, of which kernels reach a part.
RooflineSpec device() {
  RooflineSpec spec{teraflops_per_second(100), gigabytes_per_second(1000), {}};
  spec.efficiency.matrix = {8, 10};
  spec.efficiency.attention = {5, 10};
  spec.efficiency.memory = {5, 10};
  return spec;
}

Compute product(Flops size, Bytes traffic) { return {size, traffic, std::nullopt}; }

TEST_CASE("without a statement about efficiency both limits are reached") {
  const Roofline whole({teraflops_per_second(100), gigabytes_per_second(1000), {}});
  // 8 GFLOP at 100 TFLOP/s are 80 us; 100 MB at 1 TB/s 100 us.
  CHECK(whole.time_of(product(flops(8'000'000'000), bytes(1'000))) == microseconds(80));
  CHECK(whole.time_of(product(flops(8'000'000'000), bytes(100'000'000))) == microseconds(100));
}

TEST_CASE("each kind of work reaches a share of its limit") {
  const Roofline roofline(device());
  // 8 GFLOP at 80 % of 100 TFLOP/s: 100 us. At 50 %: 160 us. 10 MB at 50 % of 1 TB/s: 20 us.
  Compute work = product(flops(8'000'000'000), bytes(10'000'000));
  CHECK(roofline.time_of(work) == microseconds(100));
  work.kernel = Kernel::attention;
  CHECK(roofline.time_of(work) == microseconds(160));
  CHECK(roofline.time_of(product({}, bytes(10'000'000))) == microseconds(20));
  work.flops = flops(80'000'000);  // 1.6 us: the memory is the limit
  CHECK(roofline.time_of(work) == microseconds(20));
}

// L. Tippett, "On the extreme individuals", Biometrika 17 (1925): of 2, 100 and 1,000 draws the
// largest is on average .56419, 2.50759 and 3.24144 deviations above the mean.
TEST_CASE("the mean of the largest of normal draws is Tippett's") {
  CHECK(mean_largest_normal(1) == Approx(0).margin(1e-9));
  CHECK(mean_largest_normal(2) == Approx(0.56419).epsilon(1e-5));
  CHECK(mean_largest_normal(100) == Approx(2.50759).epsilon(1e-5));
  CHECK(mean_largest_normal(1'000) == Approx(3.24144).epsilon(1e-5));
}

// 100 us of one device; of 100 that deviate by 2 % the slowest takes 2 % x 2.50759 more. What the
// memory limits is not slower: power limits the rate of the tensor cores.
TEST_CASE("ranks are as slow as the slowest of equal devices is expected to be") {
  RooflineSpec spec = device();
  spec.efficiency.spread = {2, 100};
  const Compute work = product(flops(8'000'000'000), bytes(10'000'000));
  CHECK(Roofline(spec).time_of(work) == microseconds(100));
  spec.ranks = 100;
  CHECK(static_cast<double>(Roofline(spec).time_of(work).value) ==
        Approx(105.01518e6).epsilon(1e-7));
  CHECK(Roofline(spec).time_of(product({}, bytes(10'000'000))) == microseconds(20));
}

TEST_CASE("launching takes time before each operation, and small ones reach less") {
  RooflineSpec spec = device();
  spec.efficiency.launch = microseconds(5);
  const Roofline roofline(spec);
  CHECK(roofline.time_of(product(flops(8'000'000'000), {})) == microseconds(105));
  // The size at which half of the 80 % is left: as long as the launch, 5 us x 80 TFLOP/s.
  CHECK(roofline.time_of(product(flops(400'000'000), {})) == microseconds(10));
  CHECK(roofline.time_of(product({}, {})) == Duration{});  // nothing to launch
}

TEST_CASE("the device is not faster than the host hands out operations") {
  RooflineSpec spec = device();
  spec.efficiency.launch = microseconds(5);
  spec.efficiency.issue = microseconds(20);
  const Roofline roofline(spec);
  CHECK(roofline.time_of(product(flops(80'000'000), {})) == microseconds(20));     // 6 us of work
  CHECK(roofline.time_of(product(flops(1'200'000'000), {})) == microseconds(20));  // 20 us
  CHECK(roofline.time_of(product(flops(1'280'000'000), {})) == microseconds(21));  // 21 us
}

TEST_CASE("a product that was timed takes that long, others of its size do not") {
  RooflineSpec spec = device();
  spec.efficiency.products = {{{2048, 4096, 1024}, microseconds(300)},
                              {{1024, 1024, 1024}, microseconds(30)}};
  const Roofline roofline(spec);
  Compute work = product(flops(8'000'000'000), {});
  work.shape = {2048, 4096, 1024};
  CHECK(roofline.time_of(work) == microseconds(300));
  work.shape = {1024, 1024, 1024};
  CHECK(roofline.time_of(work) == microseconds(30));
  work.shape = {2048, 1024, 4096};
  CHECK(roofline.time_of(work) == microseconds(100));
}

TEST_CASE("a measured time is taken as it is") {
  RooflineSpec spec = device();
  spec.efficiency.launch = microseconds(5);
  CHECK(Roofline(spec).time_of({flops(1'000'000'000), {}, microseconds(3)}) == microseconds(3));
}

}  // namespace
}  // namespace orrery
