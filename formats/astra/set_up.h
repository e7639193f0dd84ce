// An ASTRA-sim 2 set-up as its files have it (github.com/astra-sim/astra-sim, 518bd51), in their
// units: GB/s of a network are 2^30 bytes a second, those of a memory 10^9.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/collective_algorithm.h"

namespace orrery::astra {

// What a file says that ASTRA-sim does not read, or that it leaves undefined.
struct Remark {
  std::string key;
  std::string sentence;
  std::string meant = {};  // the key of which this one may be a misspelling; "" = none
  bool operator==(const Remark&) const = default;
};

enum class Shape : std::uint8_t { ring, fully_connected, switched };
std::string_view name_of(Shape shape);  // as ASTRA-sim writes it

struct Dimension {
  Shape shape = Shape::ring;
  std::int32_t size = 2;
  double bandwidth = 0;  // GiB/s of a link in one direction
  double latency = 0;    // ns of a hop
};

// The analytical backends' YAML. NPU numbers count dimension 0 fastest.
struct NetworkFile {
  std::string file;
  std::vector<Dimension> dimensions;
  std::vector<Remark> remarks;
  std::int32_t npus() const;
};

enum class Order : std::uint8_t { lifo, fifo, by_priority };

struct Algorithm {
  enum class Kind : std::uint8_t { ring, direct, halving_doubling, double_binary_tree };
  Kind kind = Kind::ring;
  bool flat = false;        // oneRing, ...: one dimension of all NPUs
  std::int32_t window = 0;  // of direct: peers at a time; 0 = all
  std::string word = {};    // as the file has it
};

// The kinds of collective that ASTRA-sim simulates, in the order of SystemFile's arrays.
inline constexpr std::array<Collective, 4> kinds = {Collective::all_reduce, Collective::all_gather,
                                                    Collective::reduce_scatter,
                                                    Collective::all_to_all};
// Position in `kinds`; none for others.
std::optional<std::size_t> index_of(Collective kind);
std::string_view key_of(std::size_t kind);  // "all-reduce-implementation"

struct SystemFile {
  std::string file;
  Order order = Order::lifo;
  bool bandwidth_aware = false;      // collective-optimization: localBWAware
  std::int64_t splits = 1;           // chunks of a collective
  std::int64_t active_chunks = 1;    // that run at once on a dimension
  std::int64_t endpoint_delay = 10;  // ns of a message step
  double memory_bandwidth = 0;       // GB/s; 0 = not given
  double peak = 0;                   // TFLOP/s
  bool roofline = false, replay = false, shared_bus = false;
  std::array<std::vector<Algorithm>, 4> algorithms;  // index: kinds; one for each dimension
  std::array<std::string, 4> custom;                 // prefix of Chakra files; "" = none
  std::vector<Remark> remarks;
};

enum class MemoryKind : std::uint8_t { none, per_npu, per_node, pool };

struct MemoryFile {
  MemoryKind kind = MemoryKind::none;
  std::int64_t latency = 0;    // ns
  std::int64_t bandwidth = 1;  // bytes/ns
  std::int32_t npus_per_node = 1;
  std::vector<Remark> remarks;
};

// All throw ConfigError with file and line.
NetworkFile read_network(const std::string& file, const std::string& text);
// `dimensions`: of the network. Algorithms have to be there for all of them.
SystemFile read_system(const std::string& file, const std::string& text, std::size_t dimensions);
MemoryFile read_memory(const std::string& file, const std::string& text);

}  // namespace orrery::astra
