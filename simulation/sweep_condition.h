// Which points of a grid are wanted: a condition over the values of its keys.
//
//   workload.training.tensor * pipeline <= 64 and system.injection_latency < 10 us
//
// or, and, not; < <= > >= == !=; + - * /; parentheses. A word is a key of the sweep, or the last
// step of one if no other key ends like it; or else a text, which is compared by == and !=. A
// subtraction has spaces around its sign. Quantities are compared in their units: 1 us == 1000 ns.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "simulation/sweep_value.h"

namespace orrery {

// What is wrong at which character of the condition.
class SweepConditionError : public std::runtime_error {
 public:
  SweepConditionError(std::size_t at, const std::string& what, std::string help)
      : std::runtime_error(what), offset(at), remedy(std::move(help)) {}
  std::size_t offset;
  std::string remedy;
};

class SweepCondition {
 public:
  // `keys`: those of the sweep. Throws SweepConditionError.
  SweepCondition(std::string_view text, std::span<const std::string> keys);

  // Those that it reads, each once.
  const std::vector<std::string>& keys() const { return keys_; }

  // Of values of keys(), in that order. Throws SweepConditionError if they cannot be compared.
  bool holds(std::span<const SweepValue* const> values) const;

 private:
  friend class ConditionParser;
  enum class Operator {
    value,
    key,
    either,
    both,
    negation,
    less,
    at_most,
    equal,
    unequal,
    sum,
    difference,
    product,
    quotient
  };
  struct Node {
    Operator kind;
    std::size_t offset;
    std::size_t left = 0, right = 0;  // of key: the key in keys_
    SweepValue value = {};
  };
  struct Operand {
    SweepValueKind kind;
    double number;
    std::string_view text;
  };

  bool is_true(std::size_t node, std::span<const SweepValue* const> values) const;
  Operand operand(std::size_t node, std::span<const SweepValue* const> values) const;
  Operand computed(const Node& node, const Operand& left, const Operand& right) const;
  bool compared(const Node& node, const Operand& left, const Operand& right) const;

  std::vector<std::string> keys_;
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace orrery
