// What a rank has yet to begin, one after the other, in one piece of memory that is kept: mostly it
// is one operation, and there are as many streams as ranks.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "system/operation_source.h"

namespace orrery {

class OperationStream {
 public:
  bool empty() const { return begun_ == operations_.size(); }
  const Operation& front() const { return operations_[begun_]; }  // REQUIRES: !empty()

  // References to operations do not stay valid.
  void push_back(Operation operation) { operations_.push_back(std::move(operation)); }

  // Moves on average at most one operation. REQUIRES: !empty()
  void pop_front() {
    ++begun_;
    if (2 * begun_ < operations_.size()) return;
    operations_.erase(operations_.begin(),
                      operations_.begin() + static_cast<std::ptrdiff_t>(begun_));
    begun_ = 0;
  }

 private:
  std::vector<Operation> operations_;
  std::size_t begun_ = 0;  // of these, those that are over
};

}  // namespace orrery
