#include "system/collective/piece_sizes.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

TEST_CASE("pieces differ by at most one byte and add up") {
  for (const std::int64_t total : {0, 1, 5, 1'000, 1'000'003})
    for (const std::int32_t count : {1, 2, 7, 64}) {
      const PieceSizes pieces(bytes(total), count);
      Bytes sum;
      for (std::int32_t i = 0; i < count; ++i) {
        sum += pieces.size(i);
        CHECK(pieces.size(0) - pieces.size(i) <= bytes(1));
        CHECK(pieces.size(i) >= bytes(total / count));
      }
      CHECK(sum == bytes(total));
    }
}

// 10 bytes in 4: 3, 3, 2, 2.
TEST_CASE("a run of pieces may wrap round") {
  const PieceSizes pieces(bytes(10), 4);
  CHECK(pieces.size(Pieces{1, 2}) == bytes(5));
  CHECK(pieces.size(Pieces{3, 2}) == bytes(5));
  CHECK(pieces.size(Pieces{2, 4}) == bytes(10));
  CHECK(pieces.size(Pieces{2, 0}) == bytes(0));
}

TEST_CASE("chunks are not made smaller than the minimum") {
  CHECK(chunk_count(bytes(1'000'000), 16, kibibytes(1)) == 16);
  CHECK(chunk_count(bytes(13'312), 1024, kibibytes(1)) == 13);  // the study's smallest layer
  CHECK(chunk_count(bytes(2'047), 16, kibibytes(1)) == 1);
  CHECK(chunk_count(bytes(0), 16, kibibytes(1)) == 1);
}

}  // namespace
}  // namespace orrery
