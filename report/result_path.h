// A number of result.json or traffic.json by its path: "training.samples_per_s", "why.TP.time_ps",
// "exposed_by.all_reduce". A step into a list is what the first column of a row says; the numbers
// of all rows that say so are added.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace orrery {

struct ResultPathProblem {
  std::string what, remedy;
};

// Why no result can have it: what the declarations of results do not have. Nothing if one can.
std::optional<ResultPathProblem> problem_of_path(const std::string& path);

// "ps", "bytes" or "". REQUIRES: no problem_of_path().
std::string unit_of_path(const std::string& path);

// The sentence of its declaration, for tooltips. A row may be any: "layers.*.raw_ps". REQUIRES: as
// unit_of_path().
std::string description_of_path(const std::string& path);

// As JSON writes it; nothing if the result has none, or null.
std::optional<std::string> number_at(const nlohmann::ordered_json& result, const std::string& path);

// The rows of the table in which the path begins, as paths: "levels.leaf, levels.spine"; the first
// eight. "" if it begins in none.
std::string rows_of_table(const nlohmann::ordered_json& result, const std::string& path);

}  // namespace orrery
