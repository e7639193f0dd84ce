// Text of users as messages show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

// Length of the UTF-8 character at `at`; 0 if there is none, or one that no text file holds.
std::size_t character_length(std::string_view text, std::size_t at);

// The beginning of `text`, with ? for each byte that is no character.
std::string printable(std::string_view text, std::size_t at_most);

// The text in double quotes, shortened and without what a terminal cannot show: for messages.
std::string in_quotes(std::string_view text);

}  // namespace orrery
