// The keys that a specification's problems name, in their order, with blanks between.
#pragma once

#include <string>

#include "core/base/spec_problem.h"

namespace orrery::test {

inline std::string keys(const SpecProblems& problems) {
  std::string keys;
  for (const SpecProblem& problem : problems) {
    if (!keys.empty()) keys += ' ';
    keys += problem.key;
  }
  return keys;
}

}  // namespace orrery::test
