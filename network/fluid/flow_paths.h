// The links that the flow of a message uses, and how much of it each carries. In a folded run the
// links stand for their classes (network/link_classes.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "network/fluid/solver/max_min_solver.h"
#include "network/link_classes.h"
#include "network/network_backend.h"
#include "network/routing/router.h"

namespace orrery::fluid {

class FlowPaths {
 public:
  // `searches`: routes are not arithmetic. REQUIRES: topology and router outlive this.
  FlowPaths(const Topology& topology, Router& router, bool searches);

  // The path of message `number` between the two. False if there is none now. Until the next call:
  bool find(NodeId from, NodeId to, std::uint64_t number);
  std::span<const LinkUse> uses() const { return last_->uses; }
  // Those that its rate depends on: of links that carry the same of every message, the first.
  std::span<const LinkUse> limits() const { return alike_.empty() ? uses() : last_->limits; }
  Duration latency() const { return last_->latency; }
  Bandwidth narrowest() const { return last_->narrowest; }  // of the links of its first path
  // Its halves go both ways round a ring, and it is no faster than one of them would be alone.
  bool goes_both_ways() const { return last_->both_ways; }

  // Links have failed or recovered: no path that was found before holds any more.
  void forget() {
    known_.clear();
    known_uses_ = drawn_.uses.capacity() + drawn_.limits.capacity();
    last_ = &drawn_;
  }

  // What can be folded: flows whose routes do not change, and whose paths, if they have several,
  // take equally long. If the answer is yes, paths are those of the folded run from now on.
  FoldAnswer fold(const Fold& fold, const FoldedTraffic& traffic);
  // What a folded run counted, as the whole run counts it.
  void unfold(NetworkStatistics& statistics) const;

 private:
  struct Path {
    NodeId from{-1}, to{-1};
    std::uint64_t number = 0;
    std::vector<LinkUse> uses, limits;
    Duration latency;
    Bandwidth narrowest;
    bool both_ways = false;
  };

  void compare_links();
  Path& place_of(NodeId from, NodeId to, std::uint64_t number);
  void measure(Path& path);
  void spray(NodeId from, NodeId to);
  void divide_over_paths(NodeId from, NodeId to);
  bool go_both_ways(NodeId from, NodeId to);
  bool folded() const { return !classes_.like.empty(); }
  void fold_uses();

  const Topology& topology_;
  Router& router_;
  bool searches_;
  bool has_even_rings_ = false;  // on levels
  // Alike links are looked for when as many paths were asked for as that looks at, so that it never
  // takes longer than the run. What flows until then knows all its links: they have no less room.
  std::size_t asked_ = 0, most_asked_ = 0;  // 0: not looked for
  std::vector<LinkIndex> alike_;            // Router::alike_links()
  LinkClasses classes_;                     // if folded
  std::int32_t multiplicity_ = 1;           // of representatives
  std::vector<LinkIndex> path_, scratch_;
  std::vector<LinkShare> shares_;
  std::vector<LinkUse> uses_;
  // Most messages go between two that had one before. Each path has one place among these, which
  // the path that was found last keeps. Empty: nothing is known.
  std::vector<Path> known_;
  std::size_t known_uses_ = 0;  // in them
  Path drawn_;                  // of a policy that draws a path for each message
  const Path* last_ = &drawn_;
};

}  // namespace orrery::fluid
