// How far one word is from another, for "did you mean".
#pragma once

#include <cstddef>
#include <string_view>

namespace orrery {

// Edits (insert, delete, replace, swap neighbours) that turn one word into the other. F. Damerau,
// "A technique for computer detection and correction of spelling errors", CACM 7(3), 1964.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace orrery
