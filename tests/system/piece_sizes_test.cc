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

// 23 bytes in 7 pieces: 4 4 3 3 3 3 3, wrapping round.
TEST_CASE("the size of some pieces is the sum of their sizes") {
  const PieceSizes sizes(bytes(23), 7);
  const std::int64_t of_piece[] = {4, 4, 3, 3, 3, 3, 3};
  for (std::int32_t first = 0; first < 7; ++first)
    for (std::int32_t count = 0; count <= 7; ++count)
      for (std::int32_t run = 0; run <= 3; ++run)
        for (std::int32_t stride = 1; stride <= 6; ++stride) {
          const Pieces pieces{first, count, run, stride};
          std::int64_t sum = 0;
          for (std::int32_t i = 0; i < count; ++i) sum += of_piece[pieces.at(i) % 7];
          CHECK(sizes.size(pieces) == bytes(sum));
        }
}

// Runs of 2 every 4 from piece 2 on, 5 pieces in all: the indices of Bruck's second bit below 11.
TEST_CASE("a short last run") {
  const Pieces pieces{.first = 2, .count = 5, .run = 2, .stride = 4};
  const std::int64_t expected[] = {2, 3, 6, 7, 10};
  for (std::int32_t i = 0; i < 5; ++i) CHECK(pieces.at(i) == expected[i]);
}

TEST_CASE("chunks are not made smaller than the minimum") {
  CHECK(chunk_count(bytes(1'000'000), 16, kibibytes(1)) == 16);
  CHECK(chunk_count(bytes(13'312), 1024, kibibytes(1)) == 13);  // the study's smallest layer
  CHECK(chunk_count(bytes(2'047), 16, kibibytes(1)) == 1);
  CHECK(chunk_count(bytes(0), 16, kibibytes(1)) == 1);
}

}  // namespace
}  // namespace orrery
