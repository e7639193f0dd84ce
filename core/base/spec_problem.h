// What is wrong with a spec, whoever filled it. A room says it for its specs with
// problems_of(spec); frontends say where in their files the key is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct SpecProblem {
  // From the section of an experiment file that the spec is read from: "tensor", "ranges[2].use".
  // Empty: the section itself.
  std::string key;
  std::string what;    // "5 stages from both ends"
  std::string remedy;  // "write an even number"
};
using SpecProblems = std::vector<SpecProblem>;

// "ranges", 2 -> "ranges[2]"
std::string item_key(std::string_view list, std::size_t index);

// Adds the problems of a part of a spec, which is in the section `part` of the spec's own.
void add_below(SpecProblems& problems, std::string_view part, SpecProblems of_part);

// A number has to be `least` or more.
void check_at_least(SpecProblems& problems, std::string_view key, std::int64_t value,
                    std::int64_t least);

// `divisor` has to divide the `number` of `what`; a divisor below 1 is another rule's.
void check_divides(SpecProblems& problems, std::string_view key, std::int64_t divisor,
                   std::int64_t number, std::string_view what);

}  // namespace orrery
