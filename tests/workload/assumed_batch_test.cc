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

TEST_CASE("an assumed batch fills the micro-batches of every replica") {
  CHECK(assumed_batch(8192, BatchUnit{.data = 16, .micro_batch = 1, .pipeline = 1}) == 512);
  // 24 replicas x 2 samples x 4 stages = 192; 512 / 192 is nearest to 3.
  CHECK(assumed_batch(8192, BatchUnit{.data = 24, .micro_batch = 2, .pipeline = 4}) == 576);
  // More replicas than samples: one each.
  CHECK(assumed_batch(8192, BatchUnit{.data = 2048, .micro_batch = 1, .pipeline = 1}) == 2048);
}
