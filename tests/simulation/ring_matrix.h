#pragma once
// Bytes from rank to rank, as a test adds them up.
#include <cstdint>
#include <map>
#include <utility>

namespace orrery::test {

using Pair = std::pair<std::int32_t, std::int32_t>;
using Matrix = std::map<Pair, std::int64_t>;

// A ring of n sends 2(n-1)/n of the buffer from each member to the next one.
inline void add_ring(Matrix& matrix, int first, int stride, int n, std::int64_t buffer) {
  if (n == 1) return;
  for (int i = 0; i < n; ++i)
    matrix[{first + i * stride, first + (i + 1) % n * stride}] += 2 * (n - 1) * buffer / n;
}

}  // namespace orrery::test
