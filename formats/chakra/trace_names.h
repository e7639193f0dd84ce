// Kernels and streams as numbers, the same in all files, while these are read one after the other.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/units/units.h"
#include "formats/chakra/node_role.h"

namespace orrery::chakra {

class TraceNames {
 public:
  // Names of kernels that are kept apart. Some traces give each node a name of its own.
  static constexpr std::size_t most_kernels = 1 << 16;

  struct Kernel {
    std::string name;
    Duration recorded;  // over all files
  };

  // The number of the kernel of this name; none beyond the most.
  std::int32_t kernel(std::string_view name);
  static constexpr std::int32_t no_kernel = -1;
  // Recorded time of each kernel, by its number.
  void add(std::span<const Duration> recorded);
  std::int32_t stream(const StreamName& name);

  const std::deque<Kernel>& kernels() const { return kernels_; }
  const std::map<StreamName, std::int32_t>& streams() const { return streams_; }

 private:
  std::deque<Kernel> kernels_;
  std::unordered_map<std::string_view, std::int32_t> number_of_;  // of names in kernels_
  // By their hashes: most names that are not there are known at once, and without a cache miss.
  std::vector<bool> marks_ = std::vector<bool>(16 * most_kernels);
  std::map<StreamName, std::int32_t> streams_;
};

}  // namespace orrery::chakra
