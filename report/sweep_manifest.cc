#include "report/sweep_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/base/io_error.h"
#include "core/base/text_file.h"
#include "core/units/unit_text.h"
#include "report/sweep_records.h"

namespace orrery {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* schema = "orrery.sweep/1";

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// What is not in the row's result.
void fill_status(SweepRow& row, const SweepRecords& records) {
  const char* result = row.has_flows ? "traffic.json" : "result.json";
  if (read_result(row, text_of_file(row.folder / result)) || records.read(row)) return;
  row.status = fs::exists(row.folder) ? "begun" : "not run";
  const Json failure = Json::parse(text_of_file(row.folder / failure_name), nullptr, false);
  if (!failure.is_object()) return;
  row.status = "failed";
  const int code = failure.at("exit_code").get<int>();
  row.failure =
      code > 128 ? fmt::format("signal {}", code - 128) : fmt::format("exit code {}", code);
  row.failure += fmt::format(", peak memory {}",
                             to_text(Bytes{failure.at("peak_memory_bytes").get<std::int64_t>()}));
  if (!failure.at("last_lines").empty())
    row.failure += ": " + failure.at("last_lines").front().get<std::string>();
}

}  // namespace

std::string manifest_text(const SweepManifest& manifest) {
  Json json;
  json["schema"] = schema;
  json["name"] = manifest.name;
  if (!manifest.rows.empty()) {
    const SweepRow& first = manifest.rows.front();
    json["version"] = first.version;
    json["commit"] = first.commit;
    const std::size_t common = first.point.settings.size() - first.point.varied.size();
    json["set"] = Json::array();
    for (std::size_t i = 0; i < common; ++i)
      json["set"].push_back({first.point.settings[i].key, first.point.settings[i].value});
    json["metrics"] = first.metrics;
    json["keys"] = Json::array();
    for (const SweepSetting& setting : first.point.varied) json["keys"].push_back(setting.key);
  }
  json["points"] = Json::array();
  for (const SweepRow& row : manifest.rows) {
    Json values = Json::array();
    for (const SweepSetting& setting : row.point.varied) values.push_back(setting.value);
    json["points"].push_back({{"experiment", row.point.experiment},
                              {"values", std::move(values)},
                              {"flows", row.has_flows},
                              {"inputs", row.inputs},
                              {"folder", "points/" + row.folder.filename().string()}});
  }
  // A line for each point: the file can be searched.
  std::string text = "{\n";
  for (const auto& [key, value] : json.items()) {
    if (key != "points") {
      text += fmt::format("\"{}\": {},\n", key, value.dump());
      continue;
    }
    text += "\"points\": [";
    for (std::size_t i = 0; i < value.size(); ++i) text += (i > 0 ? ",\n" : "\n") + value[i].dump();
    text += "\n]\n}\n";
  }
  return text;
}

SweepManifest read_sweep_folder(const fs::path& folder, const std::vector<std::string>& metrics) {
  const std::string file = (folder / manifest_name).string();
  if (!fs::exists(file))
    throw IoError(fmt::format("{} holds no {}: `orrery sweep run FILE -o {}` writes it",
                              folder.string(), manifest_name, folder.string()));
  try {
    const Json json = Json::parse(read_text_file(file));
    if (json.at("schema") != schema)
      throw IoError(fmt::format("{} has the schema {}: this version reads \"{}\"", file,
                                json.at("schema").dump(), schema));
    SweepManifest manifest{json.at("name"), {}};
    const SweepRecords records(folder);
    for (const Json& point : json.at("points")) {
      SweepRow row;
      row.point.experiment = point.at("experiment");
      for (const Json& setting : json.at("set"))
        row.point.settings.push_back({setting.at(0), setting.at(1), ""});
      for (std::size_t i = 0; i < json.at("keys").size(); ++i)
        row.point.varied.push_back({json.at("keys").at(i), point.at("values").at(i), ""});
      row.point.settings.insert(row.point.settings.end(), row.point.varied.begin(),
                                row.point.varied.end());
      row.metrics = json.value("metrics", std::vector<std::string>());
      for (const std::string& metric : metrics)
        if (std::ranges::find(row.metrics, metric) == row.metrics.end())
          row.metrics.push_back(metric);
      row.has_flows = point.at("flows");
      row.inputs = point.at("inputs");
      row.version = json.at("version");
      row.commit = json.at("commit");
      row.folder = folder / point.at("folder").get<std::string>();
      fill_status(row, records);
      manifest.rows.push_back(std::move(row));
    }
    return manifest;
  } catch (const Json::exception& error) {
    throw IoError(fmt::format("{} is not what a sweep wrote: {}", file, error.what()));
  }
}

std::string failure_text(const SweepFailure& failure) {
  Json lines = Json::array();
  for (const std::string& line : failure.last_lines) lines.push_back(line);
  const Json json = {{"exit_code", failure.exit_code},
                     {"signal", failure.exit_code > 128 ? Json(failure.exit_code - 128) : Json()},
                     {"peak_memory_bytes", failure.peak_memory.value},
                     {"last_lines", std::move(lines)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace orrery
