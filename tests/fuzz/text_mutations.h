// Changes a text as its structure is: lines with what is indented below them, `key: value`, numbers
// with units, words, elements in brackets. Made for YAML, and fits whatever else is text.
#pragma once

#include <string>

#include "tests/fuzz/random_choice.h"

namespace orrery::fuzz {

// One to four changes. Parts of `other`, a text of the same kind, may be put in. At most 256 KiB.
std::string mutated_text(std::string text, const std::string& other, RandomChoice& random);

}  // namespace orrery::fuzz
