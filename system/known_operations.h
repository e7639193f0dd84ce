// All operations of a rank, where they are known before the run, in whatever form their source
// keeps them: they are read one by one.
#pragma once

#include <cstddef>
#include <span>

#include "system/operation.h"

namespace orrery {

// Operations that are kept in another form than as a list of Operation.
class OperationStore {
 public:
  virtual ~OperationStore() = default;
  virtual std::size_t size() const = 0;
  virtual Operation operation(std::size_t index) const = 0;
};

class KnownOperations {
 public:
  KnownOperations() = default;  // none
  // What they are made of outlives them.
  explicit KnownOperations(std::span<const Operation> list) : list_(list) {}
  explicit KnownOperations(const OperationStore& store) : store_(&store) {}

  std::size_t size() const { return store_ != nullptr ? store_->size() : list_.size(); }
  bool empty() const { return size() == 0; }
  Operation operator[](std::size_t index) const {
    return store_ != nullptr ? store_->operation(index) : list_[index];
  }

  // Ranks that have the same list, and not merely an equal one, have the same identity.
  const void* identity() const {
    if (store_ != nullptr) return store_;
    return list_.data();
  }

  class Iterator {
   public:
    Iterator(const KnownOperations& all, std::size_t index) : all_(all), index_(index) {}
    Operation operator*() const { return all_[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const KnownOperations& all_;
    std::size_t index_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  std::span<const Operation> list_;
  const OperationStore* store_ = nullptr;
};

}  // namespace orrery
