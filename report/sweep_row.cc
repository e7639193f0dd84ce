#include "report/sweep_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/result_path.h"

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array run_numbers{"events", "messages"};
constexpr std::array host_numbers{"wall_s", "cpu_s", "peak_rss_bytes"};
constexpr std::array packet_numbers{"drops", "retransmissions", "timeouts"};

Json parsed(const std::string& text) {
  Json result = Json::parse(text, nullptr, false);
  return result.is_object() ? std::move(result) : Json::object();
}

// Whether the result is of this row's inputs.
bool is_of(const Json& result, const SweepRow& row) {
  const Json provenance = result.value("provenance", Json::object());
  const auto is = [&](const char* key, const std::string& value) {
    const auto found = provenance.find(key);
    return found != provenance.end() && *found == value;
  };
  return is("version", row.version) && is("commit", row.commit) && is("inputs", row.inputs);
}

// How much of the peak the model's own operations take, as MFU counts them.
std::string model_utilisation(const Json& result) {
  const auto training = result.find("training");
  if (training == result.end()) return "";
  for (const Json& row : training->at("utilisation"))
    if (row.at("convention") == "model" && !row.at("utilisation").is_null())
      return row.at("utilisation").dump();
  return "";
}

// What a result of flows has, and a run has not: of all flows but those of incasts.
void fill_flows(SweepRow& row, const Json& result) {
  row.numbers["events"] = result.at("events").dump();
  for (const char* key : flow_numbers)
    row.numbers[key] = result.at(key).is_null() ? "" : result.at(key).dump();
  for (const Json& flows : result.at("rows")) {
    if (flows.at("flows") != "all") continue;
    for (const char* key : flow_times) row.numbers[key] = flows.at(key).dump();
  }
}

void fill_job(SweepRow& row, const Json& result) {
  const auto time = [&](const char* key) { return Duration{result.at(key).get<std::int64_t>()}; };
  row.compute = time("compute_ps");
  row.exposed = time("exposed_ps");
  row.idle = time("idle_ps");
  row.bound = time("bound_ps");
  row.exposed_by.clear();
  for (const auto& [kind, waited] : result.at("exposed_by").items())
    row.exposed_by.emplace_back(kind, Duration{waited.get<std::int64_t>()});
  std::int64_t npus = 0;
  for (const Json& rank : result.at("ranks")) npus += rank.at("multiplicity").get<std::int64_t>();
  row.numbers["npus"] = fmt::format("{}", npus);
  std::int64_t memory = 0;
  if (const auto stages = result.find("memory"); stages != result.end())
    for (const Json& stage : *stages)
      memory = std::max(memory, stage.at("total").get<std::int64_t>());
  if (memory > 0) row.numbers["memory_bytes"] = fmt::format("{}", memory);
  for (const char* key : run_numbers) row.numbers[key] = result.at(key).dump();
  row.numbers["mfu"] = model_utilisation(result);
}

void fill(SweepRow& row, const Json& result) {
  row.system = result.at("name");
  row.backend = result.at("backend");
  row.ignored = result.at("ignored").get<std::vector<std::string>>();
  row.fingerprint = result.at("fingerprint");
  row.finish = Duration{result.at("finish_ps").get<std::int64_t>()};
  if (row.has_flows)
    fill_flows(row, result);
  else
    fill_job(row, result);
  for (const char* key : host_numbers) row.numbers[key] = result.at("host").at(key).dump();
  if (const auto packets = result.find("packets"); packets != result.end() && !packets->is_null())
    for (const char* key : packet_numbers) row.numbers[key] = packets->at(key).dump();
  for (const std::string& path : row.metrics) {
    if (row.numbers.contains(path)) continue;
    const std::optional<std::string> number = number_at(result, path);
    row.numbers[path] = number.value_or("");
    if (const std::string known = number ? "" : rows_of_table(result, path); !known.empty())
      row.rows_there[path] = known;
  }
  row.status = "ok";
}

}  // namespace

bool is_sweep_column(std::string_view name) {
  static constexpr std::array others{"npus", "memory_bytes"};
  const auto has = [name](const auto& columns) {
    return std::ranges::find(columns, name) != columns.end();
  };
  const bool is_time =
      std::ranges::any_of(sweep_times, [name](const auto& time) { return time.first == name; });
  return is_time || has(others) || has(sweep_numbers) || has(flow_numbers) || has(flow_times);
}

bool has_metrics(const SweepRow& row) {
  return std::ranges::all_of(row.metrics, [&](const std::string& metric) {
    return is_sweep_column(metric) || row.numbers.contains(metric);
  });
}

bool read_result(SweepRow& row, const std::string& json) {
  const Json result = parsed(json);
  try {
    if (result.value("partial", true) || result.contains("unreceived")) return false;
    if (!is_of(result, row)) return false;
    fill(row, result);
  } catch (const Json::exception&) {  // somebody else wrote it
    return false;
  }
  return true;
}

}  // namespace orrery
