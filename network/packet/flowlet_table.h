// When each flow was last at each switch, and over which link it went on: searched from a hashed
// place on, which can be fetched before it is needed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/units/units.h"
#include "network/routing/flow_hash.h"
#include "network/topology/topology.h"

namespace orrery {

struct Flowlet {
  Time last;
  std::uint32_t node = no_node, flow = 0;
  LinkIndex link = 0;
  std::uint32_t place = 0;  // where the link was among those of the switch

  static constexpr std::uint32_t no_node = 0xffff'ffff;
  bool is_new() const { return last == Time{}; }
};

class FlowletTable {
 public:
  void fetch(std::uint32_t node, std::uint32_t flow) const {
    __builtin_prefetch(&entries_[place_of(node, flow)], 1);
  }

  // Valid until the next call. REQUIRES: node != Flowlet::no_node.
  Flowlet& of(std::uint32_t node, std::uint32_t flow) {
    Flowlet* entry = &search(node, flow);
    if (entry->node != Flowlet::no_node) return *entry;
    if (4 * ++used_ > 3 * entries_.size()) {
      grow();
      entry = &search(node, flow);
    }
    entry->node = node;
    entry->flow = flow;
    return *entry;
  }

 private:
  // Its entry, or an empty one.
  Flowlet& search(std::uint32_t node, std::uint32_t flow) {
    std::size_t place = place_of(node, flow);
    while (entries_[place].node != Flowlet::no_node &&
           (entries_[place].node != node || entries_[place].flow != flow))
      place = (place + 1) & (entries_.size() - 1);
    return entries_[place];
  }

  std::size_t place_of(std::uint32_t node, std::uint32_t flow) const {
    return static_cast<std::size_t>(mixed(std::uint64_t{node} << 32 | flow)) &
           (entries_.size() - 1);
  }

  void grow() {
    std::vector<Flowlet> before(entries_.size() * 2);
    before.swap(entries_);
    for (const Flowlet& entry : before)
      if (entry.node != Flowlet::no_node) search(entry.node, entry.flow) = entry;
  }

  std::vector<Flowlet> entries_ = std::vector<Flowlet>(16);  // a power of two
  std::size_t used_ = 0;
};

}  // namespace orrery
