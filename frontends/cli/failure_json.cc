#include "frontends/cli/failure_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/config_error.h"

namespace orrery::cli {

namespace {

using Json = nlohmann::ordered_json;

// What the user wrote need not be UTF-8.
std::string line_of(const Failure& failure, Json problems) {
  const Json json{{"exit_code", static_cast<int>(failure.exit_code)},
                  {"message", failure.text},
                  {"problems", std::move(problems)}};
  constexpr int one_line = -1;
  return json.dump(one_line, ' ', false, Json::error_handler_t::replace);
}

Json problems_of(const ConfigError& error) {
  Json problems = Json::array();
  for (const Diagnostic& problem : error.diagnostics())
    problems.push_back({{"file", problem.file},
                        {"line", problem.line},
                        {"column", problem.column},
                        {"path", problem.path},
                        {"what", problem.what},
                        {"remedy", problem.remedy}});
  return problems;
}

}  // namespace

std::string failure_json(const std::exception_ptr& error) {
  Json problems = Json::array();
  try {
    std::rethrow_exception(error);
  } catch (const ConfigError& wrong) {
    problems = problems_of(wrong);
  } catch (...) {  // describe_failure() knows it
  }
  return line_of(describe_failure(error), std::move(problems));
}

std::string failure_json(const Failure& failure) { return line_of(failure, Json::array()); }

}  // namespace orrery::cli
