// What waits in a queue: the call of the least urgency first, of one call in the order of coming.
// So tasks are mostly added and taken at the ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "system/rank/collective_calls.h"
#include "system/rank/two_ended_list.h"

namespace orrery {

struct Task {  // a chunk of a call in one of its phases
  std::uint32_t call;
  std::int32_t chunk;
  std::int32_t phase;
  bool operator==(const Task&) const = default;
};

class WaitingTasks {
 public:
  using Urgency = CollectiveCalls::Urgency;
  struct Waiting {
    Urgency urgency;  // of its call
    Task task;
  };

  bool empty() const { return tasks_.empty(); }
  const Waiting& best() const { return tasks_.front(); }  // REQUIRES: !empty()

  void add(Urgency urgency, const Task& task) {
    const bool last = tasks_.empty() || tasks_.back().urgency <= urgency;
    tasks_.insert(last ? tasks_.end() : first_behind(urgency), {urgency, task});
  }

  // Null if it is not there.
  const Waiting* find(Urgency urgency, const Task& task) const {
    if (tasks_.empty()) return nullptr;
    const bool at_front = tasks_.front().urgency == urgency;  // the best call is asked for most
    const Waiting* place = at_front ? tasks_.begin() : first_of(urgency);
    for (; place != tasks_.end() && place->urgency == urgency; ++place)
      if (place->task == task) return place;
    return nullptr;
  }

  bool remove(Urgency urgency, const Task& task) {  // false if it is not there
    const Waiting* const place = find(urgency, task);
    if (place == nullptr) return false;
    take(*place);
    return true;
  }

  // Removes what best() or find() gave.
  void take(const Waiting& waiting) { tasks_.erase(&waiting); }

  // Calls visit(urgency, number among those of its call, task) for each.
  template <class Visit>
  void for_each(Visit visit) const {
    std::size_t number = 0;
    for (const Waiting* one = tasks_.begin(); one != tasks_.end(); ++one) {
      number = one != tasks_.begin() && one[-1].urgency == one->urgency ? number + 1 : 0;
      visit(one->urgency, number, one->task);
    }
  }

 private:
  const Waiting* first_of(Urgency urgency) const {
    return std::ranges::lower_bound(tasks_, urgency, {}, &Waiting::urgency);
  }
  const Waiting* first_behind(Urgency urgency) const {
    return std::ranges::upper_bound(tasks_, urgency, {}, &Waiting::urgency);
  }

  TwoEndedList<Waiting> tasks_;
};

}  // namespace orrery
