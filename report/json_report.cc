#include "report/json_report.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "report/json_row.h"
#include "simulation/memory_fit.h"

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

// Names come from the user; what is not UTF-8 in them must not lose the results.
std::string text_of(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string run_json(const RunResult& result, const ReportOptions& options) {
  return text_of(row_json(result, options));
}

std::string run_json_line(const RunResult& result, const ReportOptions& options) {
  constexpr int one_line = -1;
  return text_of(row_json(result, options), one_line);
}

std::string comparison_json(std::span<const RunResult> results, const ReportOptions& options) {
  Json systems = Json::array(), without_room = Json::array();
  for (const RunResult& result : results) {
    systems.push_back(row_json(result, options, results));
    if (!fits_memory(result)) without_room.push_back(result.name);
  }
  return text_of({{"schema", "orrery.compare/1"},
                  {"without_room", std::move(without_room)},
                  {"systems", std::move(systems)}});
}

}  // namespace orrery
