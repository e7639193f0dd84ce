// Keeps the members of a group from blocking each other.
//
// Members with a limit on how many things they run at once may pick different ones, and then wait
// for each other for ever: A runs X and B runs Y, and neither has room for the other's. So what one
// member has started, the others keep room for: a member may start a thing only if, with it and
// with everything that others started before it and this member has not, it stays within its limit.
// The earliest unfinished thing can then be started by everyone who has been asked to. With a limit
// of one this is a common order; where the limit does not bind it is no restriction at all. A
// member that is not asked, because it waits for something behind it, can still block the others:
// CollectiveScheduler::start_beyond_limit() is for that (docs/decisions/0003).
//
// REQUIRES: every member is asked to start the same things, in the same order of asking (the rule
// that MPI and NCCL have for the collectives of a communicator).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace orrery {

class StartOrder {
 public:
  static constexpr std::int64_t kNew = -1;  // nobody has started it

  explicit StartOrder(std::int32_t members) : members_(members) {}

  // How many things others started before thing `index` and this member has not.
  std::int64_t reserved_before(std::int32_t member, std::int64_t index) const {
    const Member& m = members_[member];
    const std::int64_t end = index == kNew ? started_ : index;
    if (end <= m.frontier)
      return std::lower_bound(m.skipped.begin(), m.skipped.end(), end) - m.skipped.begin();
    return static_cast<std::int64_t>(m.skipped.size()) + end - m.frontier;
  }

  // The member starts thing `index`, which becomes the next number if it is kNew. Returns the
  // number.
  std::int64_t start(std::int32_t member, std::int64_t index) {
    Member& m = members_[member];
    if (index == kNew) index = started_++;
    for (; m.frontier < index; ++m.frontier) m.skipped.push_back(m.frontier);
    if (index == m.frontier)
      ++m.frontier;
    else
      m.skipped.erase(std::lower_bound(m.skipped.begin(), m.skipped.end(), index));
    return index;
  }

 private:
  struct Member {
    std::int64_t frontier = 0;          // has started everything below, except
    std::vector<std::int64_t> skipped;  // these, ascending
  };
  std::int64_t started_ = 0;  // things that anyone has started
  std::vector<Member> members_;
};

}  // namespace orrery
