// A text in JSON that came in, with its position where it is none.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/config_error.h"

namespace orrery {

// Throws ConfigError: "file:line:column: `what` is not JSON: ...". Nothing that comes in is nested
// deeper than 100 levels: so much is refused, as what walks through it would run out of stack.
nlohmann::json parsed_json(const std::string& file, std::string_view text, const std::string& what);
nlohmann::json parsed_json(const std::string& file, std::istream& text, const std::string& what);

// What a parser's message becomes.
ConfigError json_refusal(const std::string& file, const std::string& what,
                         std::string_view message);

// A text within another one; nothing if it is not JSON, or too deep.
std::optional<nlohmann::json> inner_json(std::string_view text);

// For messages: a plain value as it is written, "a list" or "a map".
std::string shown(const nlohmann::json& value);

}  // namespace orrery
