// Texts of users inside HTML and SVG.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

// Safe between tags and in quoted attributes, of HTML and XML: markup is escaped; what is not
// UTF-8, control characters and marks that change the direction of writing become U+FFFD.
std::string escaped(std::string_view text);

// At most so many characters; if there are more, the last one is an ellipsis.
// REQUIRES: most > 0.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace orrery
