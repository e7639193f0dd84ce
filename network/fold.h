// Which NPU is simulated for which others, where many do the same at the same time.
//
// NPU numbers are read as mixed-radix numbers, finer than the levels of the topology where groups
// of ranks are: 16,384 NPUs as 8 (tensor) x 128 (data) x 16 (pipeline). Some of the digits are
// folded: NPUs that differ in these only do the same, and the one in which they are 0 stands for
// all of them. With 8 and 128 folded, 16 representatives stand for 1,024 NPUs each.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace orrery {

// A digit of a number: number / stride % count.
struct Digit {
  std::int32_t count = 1, stride = 1;

  std::int32_t of(std::int32_t number) const { return number / stride % count; }
  bool operator==(const Digit&) const = default;
};

class Fold {
 public:
  Fold() = default;  // nothing is folded

  // REQUIRES: ascending strides, each a multiple of count times stride of the digit before it.
  explicit Fold(std::vector<Digit> folded) : digits_(std::move(folded)) {
    for (std::size_t i = 1; i < digits_.size(); ++i)
      DCHECK(digits_[i].stride % (digits_[i - 1].stride * digits_[i - 1].count) == 0,
             "a digit of stride {} above one of {} x {}", digits_[i].stride, digits_[i - 1].count,
             digits_[i - 1].stride);
  }

  bool none() const { return digits_.empty(); }
  const std::vector<Digit>& digits() const { return digits_; }

  // For how many each representative stands.
  std::int32_t multiplicity() const {
    std::int32_t product = 1;
    for (const Digit& digit : digits_) product *= digit.count;
    return product;
  }

  std::int32_t representative(std::int32_t number) const {
    for (const Digit& digit : digits_) number -= digit.of(number) * digit.stride;
    return number;
  }

  // Representatives in their order, counted from 0: the number without its folded digits.
  // REQUIRES: `number` is a representative.
  std::int32_t index_of(std::int32_t number) const {
    for (std::size_t i = digits_.size(); i-- > 0;) {
      const Digit& digit = digits_[i];
      number = number / (digit.stride * digit.count) * digit.stride + number % digit.stride;
    }
    return number;
  }
  std::int32_t representative_at(std::int32_t index) const {
    for (const Digit& digit : digits_)
      index = index / digit.stride * digit.stride * digit.count + index % digit.stride;
    return index;
  }

 private:
  std::vector<Digit> digits_;
};

}  // namespace orrery
