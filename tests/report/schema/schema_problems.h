// Holds a value against a JSON Schema: the keywords that our schemas use, and no others.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace orrery::test {

// "path: what is wrong"; empty if the value is as the schema says.
std::vector<std::string> schema_problems(const nlohmann::json& schema, const nlohmann::json& value,
                                         const std::string& path = "");

}  // namespace orrery::test
