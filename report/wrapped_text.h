// Text that fits a terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

inline constexpr std::size_t default_width = 100;  // where the terminal has none, as in a pipe

// One line with its end, continued below at `indent` where it is longer than `width` characters.
// A word that is longer than a line stays whole.
std::string wrapped_lines(std::string_view line, std::size_t width, std::size_t indent);

// Each line that is too long, continued at `indent`, or four characters behind its own beginning.
std::string wrapped_text(std::string_view text, std::size_t width,
                         std::optional<std::size_t> indent = {});

}  // namespace orrery
