// What a trace of PyTorch's profiler says of its device: how long kernels, collectives and matrix
// products took.
#pragma once

#include <compare>
#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <vector>

#include "core/units/units.h"

namespace orrery::kineto {

// Of alike events, ascending once the profile is complete.
struct Times {
  std::vector<Duration> each;
  Duration sum;

  void add(Duration time);
  // The time that this share of the events do not exceed. REQUIRES: there is one.
  Duration quantile(double share) const;
};

struct CollectiveKey {
  std::string name;  // as Orrery calls it; of others, as the trace does
  std::int64_t ranks = 0;
  Bytes size;  // of the whole buffer
  auto operator<=>(const CollectiveKey&) const = default;
};

struct ProductKey {
  std::string type;  // of the elements
  std::int64_t rows = 0, columns = 0, depth = 0;
  auto operator<=>(const ProductKey&) const = default;
};

// What the device did from its first to its last event: compute, else communication that nothing
// hides, else copies, else nothing.
struct Activity {
  Duration span, compute, exposed, memory, idle;
};

struct Profile {
  std::int64_t events = 0, kernels = 0;
  std::map<std::string, Times> by_name;
  std::map<CollectiveKey, Times> collectives;
  std::map<ProductKey, Times> products;  // a time for each call: all of its kernels
  Activity activity;
  std::int64_t without_size = 0;   // kernels of communication that do not say what they move
  std::int64_t without_shape = 0;  // calls of products that do not say their shapes
  std::int64_t batches = 0;        // calls of batched products, which have no key
};

// Throws ConfigError.
Profile read_profile(const std::string& file, std::istream& text);

}  // namespace orrery::kineto
