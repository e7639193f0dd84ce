// What waits in a queue: the call of the least urgency first, of one call in the order of coming.
//
// A call has many tasks and there are few calls, so a task is mostly added and removed at the ends
// of its call's list, without allocating.
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

 private:
  using Calls = std::map<Urgency, std::vector<Task>>;

  // The best call is asked for most.
  template <class Self>
  static auto at(Self& self, Urgency urgency) {
    if (!self.empty() && self.calls_.begin()->first == urgency) return self.calls_.begin();
    return self.calls_.find(urgency);
  }

 public:
  bool empty() const { return tasks_ == 0; }
  const Task& best() const { return calls_.begin()->second.front(); }  // REQUIRES: !empty()

  void add(Urgency urgency, const Task& task) {
    if (!calls_.empty() && calls_.begin()->first == urgency)
      calls_.begin()->second.push_back(task);
    else
      tasks_of(urgency).push_back(task);
    ++tasks_;
  }

  // Null if it is not there. `urgency`: of its call.
  const Task* find(Urgency urgency, const Task& task) const {
    const auto found = at(*this, urgency);
    if (found == calls_.end()) return nullptr;
    const auto place = std::find(found->second.begin(), found->second.end(), task);
    return place == found->second.end() ? nullptr : &*place;
  }

  bool remove(Urgency urgency, const Task& task) {  // false if it is not there
    const Task* const place = find(urgency, task);
    if (place == nullptr) return false;
    take(urgency, place);
    return true;
  }

  // Removes what best() or find() gave.
  void take(Urgency urgency, const Task* task) {
    const auto found = at(*this, urgency);
    std::vector<Task>& tasks = found->second;
    tasks.erase(tasks.begin() + (task - tasks.data()));
    --tasks_;
    if (tasks.empty() && calls_.size() > 1) spare_ = calls_.extract(found);
  }

  // Calls visit(urgency, number among those of its call, task) for each.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [urgency, tasks] : calls_)
      for (std::size_t i = 0; i < tasks.size(); ++i) visit(urgency, i, tasks[i]);
  }

 private:
  std::vector<Task>& tasks_of(Urgency urgency) {
    if (empty() && !calls_.empty()) return put(calls_.extract(calls_.begin()), urgency);
    if (spare_.empty()) return calls_[urgency];
    const auto found = calls_.find(urgency);
    return found != calls_.end() ? found->second : put(std::move(spare_), urgency);
  }
  // REQUIRES: the call has no entry.
  std::vector<Task>& put(Calls::node_type entry, Urgency urgency) {
    entry.key() = urgency;
    return calls_.insert(std::move(entry)).position->second;
  }

  Calls calls_;             // a call without tasks only if it is the only one
  Calls::node_type spare_;  // of a call without tasks, for the next one
  std::size_t tasks_ = 0;   // of all calls
};

}  // namespace orrery
