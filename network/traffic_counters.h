// What backends with routes count: bytes on every link, and once on every level that a message
// crosses.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "network/network_backend.h"

namespace orrery {

class TrafficCounters {
 public:
  explicit TrafficCounters(const Topology& topology)
      : topology_(topology), links_(topology.links().size()), levels_(topology.levels().size()) {}

  void add_message() { ++messages_; }
  void add_to_link(std::size_t link, TotalBytes size) { links_[link] += size; }
  // Every level once; `crossed` has a bit for each (a topology has less than 64 levels).
  void add_to_levels(std::uint64_t crossed, std::uint8_t label, Bytes size) {
    for (; crossed != 0; crossed &= crossed - 1)
      levels_[static_cast<std::size_t>(__builtin_ctzll(crossed))][label] += size;
  }
  std::uint64_t level_bit(std::size_t link) const {
    return std::uint64_t{1} << topology_.links()[link].level;
  }

  NetworkStatistics statistics() const {
    NetworkStatistics statistics;
    for (const auto& by_label : levels_)
      statistics.levels.push_back({{by_label.begin(), by_label.end()}});
    statistics.links = links_;
    statistics.messages = messages_;
    return statistics;
  }

 private:
  const Topology& topology_;
  std::vector<TotalBytes> links_;                    // as Topology::links()
  std::vector<std::array<TotalBytes, 256>> levels_;  // by label
  std::uint64_t messages_ = 0;
};

}  // namespace orrery
