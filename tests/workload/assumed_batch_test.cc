#include "workload/assumed_batch.h"

#include <catch2/catch.hpp>

using namespace orrery;

TEST_CASE("a batch that nobody names has about 4 Mi tokens") {
  CHECK(assumed_batch(8192, 128) == 512);       // 4,194,304 / 8192
  CHECK(assumed_batch(2048, 1024) == 2048);     // twice the ranks
  CHECK(assumed_batch(8192, 384) == 384);       // of 384 and 768, which 512 is nearer to
  CHECK(assumed_batch(8192, 16'384) == 512);    // ranks, halved until they are 512
  CHECK(assumed_batch(8192, 3 * 1024) == 384);  // 3 x 2^7; 3 x 2^8 samples have 6.3 M tokens
  CHECK(assumed_batch(1 << 23, 8) == 1);        // a sample has twice as many
}

// 4,194,304 / 4096 = 1024 samples; 24 ranks of 7 take 168 at once, of 4 take 96.
TEST_CASE("an assumed batch is of whole micro-batches of the size that is written") {
  CHECK(assumed_batch(4096, 24, 7) == 6 * 168);
  CHECK(assumed_batch(4096, 24, 4) == 11 * 96);
  CHECK(assumed_batch(1 << 20, 12, 4) == 12);  // 3 ranks of 4; of 12, 48 samples have 50 M tokens
}

// 1024 samples. 48 ranks take 21.3 each: 20 is the nearest multiple of 4 (960, 6 % less), 21 would
// rule out micro-batches of 2. 96 take 10.7, 12 is an eighth more. 192 take 5.3: 4 is a quarter
// less, 6 an eighth more. 384 take 2.7: 2 is a quarter less, 3 an eighth more.
TEST_CASE("an assumed batch leaves micro-batches of 2 and 4 to choose from") {
  CHECK(assumed_batch(4096, 48) == 960);
  CHECK(assumed_batch(4096, 96) == 1152);
  CHECK(assumed_batch(4096, 192) == 1152);
  CHECK(assumed_batch(4096, 384) == 1152);
  CHECK(assumed_batch(4096, 48, 2) == 960);  // 10.7 micro-batches of 2 each: 10, of 11 and 10
}

// 16,384 tokens are 63.75 samples of a vision transformer (257 tokens), so 32; 4 of 4,096; and four
// samples at least, 128 at most. 4 Mi tokens are 16,320 samples of 257: 63.75 times 8 NPUs x 32, so
// 64 times. 2,048 samples of 2,048 tokens are 5.3 times 48 x 8: 5 times is 6 % less.
TEST_CASE("short samples are compared in larger micro-batches") {
  CHECK(largest_micro_batch(257) == 32);
  CHECK(largest_micro_batch(512) == 32);
  CHECK(largest_micro_batch(2048) == 8);
  CHECK(largest_micro_batch(4096) == 4);
  CHECK(largest_micro_batch(131'072) == 4);
  CHECK(largest_micro_batch(8) == 128);
  CHECK(assumed_batch(257, 8) == 64 * 8 * 32);
  CHECK(assumed_batch(2048, 48) == 5 * 48 * 8);
}

TEST_CASE("an assumed batch fills the micro-batches of every replica") {
  CHECK(assumed_batch(8192, 128, {.data = 16, .micro_batch = 1, .pipeline = 1}) == 512);
  // 192 ranks have 576 samples where it is open; 24 replicas x 2 samples x 4 stages are 192.
  CHECK(assumed_batch(8192, 192, {.data = 24, .micro_batch = 2, .pipeline = 4}) == 576);
  // 48 ranks have 960, which 6 replicas divide, and 6 x 9 do not: 1024 / 54 = 18.96.
  CHECK(assumed_batch(4096, 48, {.data = 6, .micro_batch = 1, .pipeline = 1}) == 960);
  CHECK(assumed_batch(4096, 48, {.data = 6, .micro_batch = 9, .pipeline = 1}) == 19 * 54);
  // More replicas than samples: one each.
  CHECK(assumed_batch(8192, 2048, {.data = 2048, .micro_batch = 1, .pipeline = 1}) == 2048);
}
