// What switches know of how full the paths to other switches are: M. Alizadeh et al., "CONGA:
// distributed congestion-aware load balancing for datacenters", SIGCOMM 2014. A packet carries the
// fullest link that it met, the switch before its target keeps that by the first link of the path,
// and packets of the other direction take it back. docs/models/routing.md.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "network/packet/output_queue.h"
#include "network/routing/router.h"
#include "network/topology/topology.h"

namespace orrery {

class PathCongestion {
 public:
  explicit PathCongestion(const Topology& topology);

  // --- Packets ---

  void begin(PacketIndex packet);
  // The first switch of a path has chosen `over`; takes back what it knows of paths to it.
  void begin_path(PacketIndex packet, CoreNode here, CoreNode last, LinkIndex over, Time now);
  bool has_path(PacketIndex packet) const { return tags_[packet].first != none; }
  void starts(PacketIndex packet, LinkIndex link, Bytes size, Bandwidth bandwidth, Time now);
  void arrived(PacketIndex packet, Time now);

  // --- Switches ---

  // In eighths of what the link carries, 0 to 7, over the last 160 us or so.
  std::uint8_t metric_of(LinkIndex link, Bandwidth bandwidth, Time now) const;
  // The largest one behind `over`, as the switch was told last; after 10 ms without a word, 0.
  std::uint8_t told(CoreNode here, CoreNode last, LinkIndex over, Time now) const;

 private:
  static constexpr LinkIndex none = 0xffff'ffff;

  struct Load {  // of a link between switches: decays with a time constant
    double bytes = 0;
    Time at;
    bool counts = false;
  };
  struct Tag {
    LinkIndex first = none;  // of its path
    CoreNode here = 0, last = 0;
    std::uint8_t most = 0;
    std::uint8_t told = 0;
    LinkIndex told_of = none;
  };
  struct Metric {
    LinkIndex first = none;
    std::uint8_t value = 0;
    Time at;
  };
  struct Paths {  // between two switches
    std::vector<Metric> metrics;
    std::size_t turn = 0;
  };

  static std::uint64_t key_of(CoreNode here, CoreNode other) {
    return std::uint64_t{here} << 32 | other;
  }
  static void note(Paths& paths, LinkIndex first, std::uint8_t value, Time now);

  std::vector<Load> loads_;  // by link
  std::vector<Tag> tags_;    // by PacketIndex
  // By the two switches; are never iterated. What came to the first from the second, and what the
  // first was told of its paths to the second.
  std::unordered_map<std::uint64_t, Paths> came_, told_;
};

}  // namespace orrery
