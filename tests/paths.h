// Where the tests find their data. Functions, not macros of each compilation: so that the objects
// of two checkouts are equal and a compiler cache serves both.
#pragma once

#include <string>

namespace orrery {

std::string source_folder();  // the root of the checkout
std::string build_folder();   // where the programs of this build are, and scratch files may be

}  // namespace orrery
