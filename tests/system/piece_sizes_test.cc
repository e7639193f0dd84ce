// Pieces of a buffer whose size they do not divide, and the forms in which a plan may name them.
#include "system/collective/piece_sizes.h"

#include <catch2/catch.hpp>

#include "system/collective_algorithm.h"

namespace orrery {
namespace {

// Runs of 2 every 4 from piece 2 on, 5 pieces in all: the indices of Bruck's second bit below 11.
TEST_CASE("a short last run") {
  const Pieces pieces{.first = 2, .count = 5, .run = 2, .stride = 4};
  const std::int64_t expected[] = {2, 3, 6, 7, 10};
  for (std::int32_t i = 0; i < 5; ++i) CHECK(pieces.at(i) == expected[i]);
}

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

TEST_CASE("equal parts hold the buffer, and are less than a byte each too large") {
  CHECK(equal_part(bytes(0), 7) == bytes(0));
  CHECK(equal_part(bytes(4), 384) == bytes(1));  // a gradient norm
  CHECK(equal_part(bytes(21), 7) == bytes(3));
  CHECK(equal_part(bytes(22), 7) == bytes(4));
  CHECK(equal_part(bytes(286'275'584), 48) == bytes(5'964'075));  // 5,964,074 2/3
  // A part of a part is a part: ceil(ceil(x / a) / b) = ceil(x / ab).
  for (const std::int64_t size : {0, 1, 35, 36, 1'000'003})
    CHECK(equal_part(equal_part(bytes(size), 5), 7) == equal_part(bytes(size), 35));
}

TEST_CASE("chunks are not made smaller than the minimum") {
  CHECK(chunk_count(bytes(1'000'000), 16, kibibytes(1)) == 16);
  CHECK(chunk_count(bytes(13'312), 1024, kibibytes(1)) == 13);  // the study's smallest layer
  CHECK(chunk_count(bytes(2'047), 16, kibibytes(1)) == 1);
  CHECK(chunk_count(bytes(0), 16, kibibytes(1)) == 1);
}

}  // namespace
}  // namespace orrery
