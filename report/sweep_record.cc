#include "report/sweep_record.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace orrery {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string record_line(const SweepRow& row) {
  Json json = {{"point", row.folder.filename().string()},
               {"version", row.version},
               {"commit", row.commit},
               {"inputs", row.inputs},
               {"system", row.system},
               {"backend", row.backend},
               {"fingerprint", row.fingerprint},
               {"ended", row.ended},
               {"ignored", row.ignored}};
  for (const auto& [name, time] : sweep_times) json[name] = (row.*time).value;
  json["exposed_by"] = Json::object();
  for (const auto& [kind, waited] : row.exposed_by) json["exposed_by"][kind] = waited.value;
  json["numbers"] = row.numbers;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string point_of_record(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return "";
  const auto point = json.find("point");
  return point != json.end() && point->is_string() ? point->get<std::string>() : "";
}

bool read_record(SweepRow& row, const std::string& line) {
  try {
    const Json json = Json::parse(line);
    if (json.at("version") != row.version || json.at("commit") != row.commit ||
        json.at("inputs") != row.inputs)
      return false;
    SweepRow read = row;
    read.system = json.at("system");
    read.backend = json.at("backend");
    read.fingerprint = json.at("fingerprint");
    read.ended = json.value("ended", std::int64_t{0});
    read.ignored = json.at("ignored").get<std::vector<std::string>>();
    for (const auto& [name, time] : sweep_times)
      read.*time = Duration{json.at(name).get<std::int64_t>()};
    read.exposed_by.clear();
    for (const auto& [kind, waited] : json.at("exposed_by").items())
      read.exposed_by.emplace_back(kind, Duration{waited.get<std::int64_t>()});
    read.numbers = json.at("numbers").get<std::map<std::string, std::string>>();
    read.status = "ok";
    read.is_line = true;
    row = std::move(read);
    return true;
  } catch (const Json::exception&) {  // cut short, or of somebody else
    return false;
  }
}

}  // namespace orrery
