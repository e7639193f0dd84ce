// The links of each flow, packed: blocks of a power of two of steps in one array, reused by size.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery::fluid {

using FlowId = std::uint32_t;
using LinkId = std::uint32_t;
inline constexpr LinkId no_link = 0xffff'ffff;

struct LinkUse {
  LinkId link;
  double share = 1.0;  // of the flow's rate
  double count = 1.0;  // whole: of flows like this one that cross the link, itself among them
};

struct Step {  // a link of a flow's path
  LinkId link;
  std::uint32_t place;  // in the link's list of crossings
  double demand;        // share times weight
  double count;         // of flows that have this demand
};

class PathStore {
 public:
  FlowId add(std::size_t length) {
    FlowId flow = static_cast<FlowId>(paths_.size());
    if (free_flows_.empty()) {
      paths_.emplace_back();
    } else {
      flow = free_flows_.back();
      free_flows_.pop_back();
    }
    const auto size_class = static_cast<std::size_t>(std::bit_width(length - 1));
    if (free_blocks_.size() <= size_class) free_blocks_.resize(size_class + 1);
    auto& blocks = free_blocks_[size_class];
    std::uint32_t first = static_cast<std::uint32_t>(steps_.size());
    if (blocks.empty()) {
      steps_.resize(steps_.size() + (std::size_t{1} << size_class));
    } else {
      first = blocks.back();
      blocks.pop_back();
    }
    paths_[flow] = {first, static_cast<std::uint32_t>(length)};
    return flow;
  }

  void remove(FlowId flow) {
    const Path path = paths_[flow];
    free_blocks_[static_cast<std::size_t>(std::bit_width(path.length - 1))].push_back(path.first);
    free_flows_.push_back(flow);
  }

  std::span<Step> steps(FlowId flow) { return {&steps_[paths_[flow].first], paths_[flow].length}; }
  std::span<const Step> steps(FlowId flow) const {
    return {&steps_[paths_[flow].first], paths_[flow].length};
  }
  std::uint32_t first(FlowId flow) const { return paths_[flow].first; }
  Step& step(std::uint32_t index) { return steps_[index]; }
  const Step& step(std::uint32_t index) const { return steps_[index]; }

 private:
  struct Path {
    std::uint32_t first = 0, length = 0;
  };
  std::vector<Path> paths_;  // of each flow
  std::vector<FlowId> free_flows_;
  std::vector<Step> steps_;
  std::vector<std::vector<std::uint32_t>> free_blocks_;  // by the logarithm of their size
};

}  // namespace orrery::fluid
