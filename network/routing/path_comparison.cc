#include "network/routing/path_comparison.h"

#include <algorithm>

namespace orrery {

// Link after link, as soon as its beginning has been reached: a few rounds, as many as hops.
bool PathComparison::alike(NodeId from, std::span<const LinkShare> shares, Bandwidth narrowest) {
  ++question_;
  reached_[from.value] = {question_, {}, narrowest};
  open_.clear();
  for (const LinkShare& share : shares) open_.push_back(share.link);
  for (std::size_t before = open_.size() + 1; !open_.empty() && open_.size() < before;) {
    before = open_.size();
    std::size_t kept = 0;
    for (const LinkIndex index : open_) {
      const Link& link = topology_.links()[index];
      const Reached& here = reached_[link.from.value];
      if (here.question != question_) {
        open_[kept++] = index;
        continue;
      }
      const Reached next{question_, here.latency + link.latency,
                         std::min(here.narrowest, link.bandwidth)};
      Reached& there = reached_[link.to.value];
      if (there.question != question_)
        there = next;
      else if (there.latency != next.latency || there.narrowest != next.narrowest)
        return false;
    }
    open_.resize(kept);
  }
  return true;
}

}  // namespace orrery
