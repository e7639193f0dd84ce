// What waits in a queue: the call of the least urgency first, of one call in the order of coming.
//
// A call has many tasks and there are few calls, so a task is mostly added and removed at the ends
// of its call's list. The call that goes first mostly has one task, which comes and goes while
// others wait: it has a list of its own, beside the map of the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "system/rank/collective_calls.h"

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

  bool empty() const { return urgent_.empty() && others_.empty(); }
  const Task& best() const {  // REQUIRES: !empty()
    return urgent_.empty() ? others_.begin()->second.front() : urgent_.front();
  }

  void add(Urgency urgency, const Task& task) {
    if (urgency == urgency_ && !urgent_.empty()) {
      urgent_.push_back(task);
      return;
    }
    const bool first =
        urgent_.empty() ? others_.empty() || urgency < others_.begin()->first : urgency < urgency_;
    if (!first) {
      others_[urgency].push_back(task);
      return;
    }
    if (!urgent_.empty())
      others_.emplace_hint(others_.begin(), urgency_, std::exchange(urgent_, {}));
    urgency_ = urgency;
    urgent_.push_back(task);
  }

  // Null if it is not there. `urgency`: of its call.
  const Task* find(Urgency urgency, const Task& task) const {
    if (urgency == urgency_ && !urgent_.empty()) return find_in(urgent_, task);
    const auto found = others_.find(urgency);
    return found == others_.end() ? nullptr : find_in(found->second, task);
  }

  bool remove(Urgency urgency, const Task& task) {  // false if it is not there
    const Task* const place = find(urgency, task);
    if (place == nullptr) return false;
    take(urgency, place);
    return true;
  }

  // Removes what best() or find() gave.
  void take(Urgency urgency, const Task* task) {
    if (urgency == urgency_ && !urgent_.empty()) return erase(urgent_, task);
    const auto found = others_.find(urgency);
    erase(found->second, task);
    if (found->second.empty()) others_.erase(found);
  }

  // Calls visit(urgency, number among those of its call, task) for each.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t i = 0; i < urgent_.size(); ++i) visit(urgency_, i, urgent_[i]);
    for (const auto& [urgency, tasks] : others_)
      for (std::size_t i = 0; i < tasks.size(); ++i) visit(urgency, i, tasks[i]);
  }

 private:
  static const Task* find_in(const std::vector<Task>& tasks, const Task& task) {
    const auto place = std::find(tasks.begin(), tasks.end(), task);
    return place == tasks.end() ? nullptr : &*place;
  }
  static void erase(std::vector<Task>& tasks, const Task* task) {
    tasks.erase(tasks.begin() + (task - tasks.data()));
  }

  Urgency urgency_;           // of `urgent_`, if that has tasks: it is less than
  std::vector<Task> urgent_;  // of all others, whose lists are not empty
  std::map<Urgency, std::vector<Task>> others_;
};

}  // namespace orrery
