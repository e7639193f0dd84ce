// What one stage of a plan sends over a level that is taken out of its platform: how far, and how
// many pieces go over ports and links.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "network/topology/topology.h"
#include "system/collective_algorithm.h"

namespace orrery {

// Where the messages of one stage of rank 0 go. On a mesh ranks are not all alike: where those of
// all go, in a plan in which each does what rank 0 does.
class StageWalk {
 public:
  StageWalk(const Topology& alone, Symmetry symmetry)
      : alone_(alone),
        symmetry_(symmetry),
        at_ports_(static_cast<std::size_t>(alone.ports(0))),
        on_links_(at_ports_.size()) {
    if (alone.levels()[0].kind != LevelKind::mesh || at_ports_.size() < 2) return;
    for (auto& way : of_mesh_) way.resize(static_cast<std::size_t>(alone.npu_count()));
  }

  void add(const Send& send) {
    ++sends_;
    if (!of_mesh_[0].empty()) return add_on_mesh(send);
    const std::int32_t hops = alone_.hops(0, 0, send.to);
    const auto port = static_cast<std::size_t>(alone_.egress_port(0, 0, send.to));
    farthest_ = std::max(farthest_, hops);
    at_ports_[port] += send.pieces.count;
    passed_ += std::int64_t{send.pieces.count} * (passes_neighbours() ? hops : 0);
    on_links_[port] += std::int64_t{send.pieces.count} * (passes_neighbours() ? hops : 1);
    if (send.reduce) added_ = std::max<std::int64_t>(added_, send.pieces.count);
  }

  // A message of each rank waits for one that comes from another one: round a mesh one of them goes
  // all the way back.
  Duration latency(Duration of_link) const {
    if (of_mesh_[0].empty() || sends_ > 1) return of_link * farthest_;
    return Duration{of_link.value * hops_ / alone_.npu_count()};
  }
  const std::vector<std::int64_t>& at_ports() const { return at_ports_; }
  std::int64_t passed() const { return passed_; }
  std::int64_t added() const { return added_; }
  // What goes through the busiest link: all ranks send in each direction what this one does.
  std::int64_t on_link() const { return std::ranges::max(on_links_); }
  // The same, if both directions were as busy.
  std::int64_t in_turn() const {
    const auto ports = static_cast<std::int64_t>(at_ports_.size());
    return std::max(*std::max_element(at_ports_.begin(), at_ports_.end()),
                    (passed_ + ports - 1) / ports);
  }

 private:
  void add_on_mesh(const Send& send) {
    const std::int32_t ranks = alone_.npu_count();
    for (std::int32_t from = 0; from < ranks; ++from) {
      const std::int32_t to =
          symmetry_ == Symmetry::exchange ? from ^ send.to : (from + send.to) % ranks;
      const std::size_t way = to > from ? 0 : 1;
      hops_ += std::abs(to - from);
      farthest_ = std::max(farthest_, std::abs(to - from));
      for (std::int32_t at = std::min(from, to); at < std::max(from, to); ++at) {
        std::int64_t& link = of_mesh_[way][static_cast<std::size_t>(at)];
        link += send.pieces.count;
        at_ports_[way] = std::max(at_ports_[way], link);
      }
    }
    if (send.reduce) added_ = std::max<std::int64_t>(added_, send.pieces.count);
    on_links_ = at_ports_;
  }

  bool passes_neighbours() const {
    const LevelKind kind = alone_.levels()[0].kind;
    return kind == LevelKind::ring || kind == LevelKind::mesh;
  }

  const Topology& alone_;
  Symmetry symmetry_;
  std::vector<std::int64_t> at_ports_, on_links_;
  std::array<std::vector<std::int64_t>, 2> of_mesh_;  // pieces on its links, upwards and back
  std::int32_t farthest_ = 0, sends_ = 0;
  std::int64_t passed_ = 0, added_ = 0, hops_ = 0;
};

}  // namespace orrery
