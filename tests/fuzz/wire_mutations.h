// Changes a file of Protobuf messages, each after its length, as its structure is: messages and
// fields are dropped, doubled and swapped, numbers take extreme values. Lengths are right again
// afterwards, but for a few that are wrong on purpose.
#pragma once

#include <string>

#include "tests/fuzz/random_choice.h"

namespace orrery::fuzz {

std::string mutated_messages(const std::string& bytes, RandomChoice& random);

}  // namespace orrery::fuzz
