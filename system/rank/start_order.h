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
// A member that is as far behind as it has room looks at the first of those only, so a look never
// costs more than a limit, however many things wait.
//
// REQUIRES: every member is asked to start the same things, in the same order of asking (the rule
// that MPI and NCCL have for the collectives of a communicator).
#pragma once

#include <algorithm>
#include <cstddef>
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

  // The name of the n-th thing, from 0, that others started and this member has not. REQUIRES: n <
  // reserved_before(member, kNew).
  std::uint64_t left_to(std::int32_t member, std::int64_t n) const {
    const Member& m = members_[member];
    const auto skipped = static_cast<std::int64_t>(m.skipped.size());
    const std::int64_t index = n < skipped ? m.skipped[n] : m.frontier + (n - skipped);
    return things_[index - first_].name;
  }

  // The member starts thing `index`, which becomes the next number if it is kNew, and is known by
  // the name that its first member gives it. Returns the number.
  std::int64_t start(std::int32_t member, std::int64_t index, std::uint64_t name = 0) {
    Member& m = members_[member];
    if (index == kNew) {
      index = started_++;
      things_.push_back({name, static_cast<std::int32_t>(members_.size())});
    }
    for (; m.frontier < index; ++m.frontier) m.skipped.push_back(m.frontier);
    if (index == m.frontier)
      ++m.frontier;
    else
      m.skipped.erase(std::lower_bound(m.skipped.begin(), m.skipped.end(), index));
    if (--things_[index - first_].members_left == 0) forget();
    return index;
  }

 private:
  // Drops the things that every member has started, once they are most of what is kept.
  void forget() {
    while (done_ < things_.size() && things_[done_].members_left == 0) ++done_;
    if (2 * done_ < things_.size()) return;
    things_.erase(things_.begin(), things_.begin() + static_cast<std::ptrdiff_t>(done_));
    first_ += static_cast<std::int64_t>(done_);
    done_ = 0;
  }

  struct Thing {
    std::uint64_t name;
    std::int32_t members_left;  // have not started it
  };
  struct Member {
    std::int64_t frontier = 0;          // has started everything below, except
    std::vector<std::int64_t> skipped;  // these, ascending
  };
  std::int64_t started_ = 0;   // things that anyone has started
  std::vector<Thing> things_;  // from number first_ on; every member has started the first done_
  std::int64_t first_ = 0;
  std::size_t done_ = 0;
  std::vector<Member> members_;
};

}  // namespace orrery
