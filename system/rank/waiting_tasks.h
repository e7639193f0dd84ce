// What waits in a queue: the call of the least urgency first, of one call in the order of coming.
//
// A call has many tasks and there are few calls, so a task is mostly added and removed at the ends
// of its call's list, without allocating.
#pragma once

#include <algorithm>
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

 private:
  using Calls = std::map<Urgency, std::vector<Task>>;

  // The best call is asked for most.
  template <class Self>
  static auto at(Self& self, Urgency urgency) {
    if (!self.empty() && self.calls_.begin()->first == urgency) return self.calls_.begin();
    return self.calls_.find(urgency);
  }

 public:
  bool empty() const { return calls_.empty(); }
  const Task& best() const { return calls_.begin()->second.front(); }  // REQUIRES: !empty()

  void add(Urgency urgency, const Task& task) {
    if (!calls_.empty() && calls_.begin()->first == urgency)
      calls_.begin()->second.push_back(task);
    else
      tasks_of(urgency).push_back(task);
  }

  // Null if it is not there. `urgency`: of its call.
  const Task* find(Urgency urgency, const Task& task) const {
    const auto found = at(*this, urgency);
    if (found == calls_.end()) return nullptr;
    const auto place = std::find(found->second.begin(), found->second.end(), task);
    return place == found->second.end() ? nullptr : &*place;
  }

  bool remove(Urgency urgency, const Task& task) {  // false if it is not there
    const auto found = at(*this, urgency);
    if (found == calls_.end()) return false;
    std::vector<Task>& tasks = found->second;
    const auto place = std::find(tasks.begin(), tasks.end(), task);
    if (place == tasks.end()) return false;
    tasks.erase(place);
    if (tasks.empty()) spare_ = calls_.extract(found);
    return true;
  }

  // Calls visit(urgency, number among those of its call, task) for each.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [urgency, tasks] : calls_)
      for (std::size_t i = 0; i < tasks.size(); ++i) visit(urgency, i, tasks[i]);
  }

 private:
  std::vector<Task>& tasks_of(Urgency urgency) {
    if (spare_.empty()) return calls_[urgency];
    const auto found = calls_.find(urgency);
    if (found != calls_.end()) return found->second;
    spare_.key() = urgency;
    return calls_.insert(std::move(spare_)).position->second;
  }

  Calls calls_;             // none without tasks
  Calls::node_type spare_;  // of the call whose last task went last, for the next one
};

}  // namespace orrery
