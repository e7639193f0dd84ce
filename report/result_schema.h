// The declarations of results (simulation/columns.h) as a JSON Schema, draft 2020-12.
#pragma once

#include <string>
#include <string_view>

namespace orrery {

// Of result.json. Beside the keys of JSON Schema, integers have a `unit` ("ps", "bytes"), and `csv`
// lists the CSV tables: `file`, `each` (a row for each ...) and `columns` (`name`, `unit`,
// `description`). docs/reference/results.md is made of this.
std::string result_schema();

std::string comparison_schema();  // of comparison.json
std::string collective_schema();  // of coll.json; `csv` has coll.csv
std::string traffic_schema();     // of traffic.json; `csv` has traffic.csv

}  // namespace orrery
