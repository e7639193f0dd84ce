// Reading results as JSON, field by field: what is absent or null reads as nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/units/units.h"

namespace orrery {

using ResultJson = nlohmann::ordered_json;

Duration duration_of(const ResultJson& object, const char* field);
Bytes bytes_of(const ResultJson& object, const char* field);
double number_of(const ResultJson& object, const char* field);
std::int64_t count_of(const ResultJson& object, const char* field);
std::string text_of(const ResultJson& object, const char* field);
// An empty list if there is none.
const ResultJson& rows_of(const ResultJson& object, const char* field);

// "2.1 %"; "0 %" if the whole is 0.
std::string share_of(Duration part, Duration whole);

}  // namespace orrery
