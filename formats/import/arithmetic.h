// $((...)) of the shell: whole numbers, + - * / %, parentheses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

// `value_of` a variable's name. Nothing if a value or the expression is not known.
std::optional<std::int64_t> arithmetic_value(
    std::string_view text, const std::function<std::string(const std::string&)>& value_of);

}  // namespace orrery
