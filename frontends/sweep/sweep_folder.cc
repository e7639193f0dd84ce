#include "frontends/sweep/sweep_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/units/unit_text.h"
#include "frontends/report/csv_report.h"
#include "frontends/report/numbers.h"
#include "frontends/report/text_table.h"

namespace orrery {

namespace {

using Json = nlohmann::json;

constexpr std::array run_numbers{"events", "messages"};
constexpr std::array host_numbers{"wall_s", "cpu_s", "peak_rss_bytes"};

std::optional<std::string> contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The data files that a value names, beside the file that it stands in or from here: one, or those
// of all ranks of a Chakra trace, "name.et" for name.0.et, name.1.et, ... A name that happens to be
// that of a file costs no more than a simulation that was done already.
std::vector<std::filesystem::path> files_named(const ResolvedValue& value) {
  namespace fs = std::filesystem;
  const fs::path beside = fs::path(value.origin.substr(0, value.origin.rfind(':'))).parent_path();
  for (const fs::path& file : {beside / value.value, fs::path(value.value)}) {
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) return {file};
    std::vector<fs::path> of_ranks;
    for (int rank = 0; file.extension() == ".et"; ++rank) {
      const fs::path one =
          fmt::format("{}.{}.et", (file.parent_path() / file.stem()).string(), rank);
      if (!fs::is_regular_file(one, ignored)) break;
      of_ranks.push_back(one);
    }
    if (!of_ranks.empty()) return of_ranks;
  }
  return {};
}

void fill(SweepRow& row, const Json& result) {
  const auto time = [&](const char* key) { return Duration{result.at(key).get<std::int64_t>()}; };
  row.system = result.at("name");
  row.backend = result.at("backend");
  row.fingerprint = result.at("fingerprint");
  row.finish = time("finish_ps");
  row.compute = time("compute_ps");
  row.exposed = time("exposed_ps");
  row.idle = time("idle_ps");
  row.bound = time("bound_ps");
  for (const char* key : run_numbers) row.numbers[key] = result.at(key).dump();
  for (const char* key : host_numbers) row.numbers[key] = result.at("host").at(key).dump();
  row.status = "ok";
}

// Those that differ somewhere in the sweep, so that the table shows no column of equal words.
bool several_experiments(const std::vector<SweepRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
    return row.point.experiment != rows.front().point.experiment;
  });
}

}  // namespace

std::string inputs_text(const Experiment& experiment, const std::string& version) {
  std::string text = fmt::format("orrery {}\n", version);
  for (const ResolvedValue& value : experiment.resolved) {
    text += fmt::format("{} = {}\n", value.path, value.value);
    for (const std::filesystem::path& file : files_named(value))
      if (const auto held = contents(file))
        text += fmt::format("{} holds {:016x}\n", file.filename().string(), hash_of(*held));
  }
  return text;
}

bool read_result(SweepRow& row) {
  if (contents(row.folder / "inputs.txt") != row.inputs) return false;
  const std::optional<std::string> text = contents(row.folder / "result.json");
  if (!text) return false;
  const Json result = Json::parse(*text, nullptr, false);
  if (!result.is_object() || result.value("partial", true)) return false;
  try {
    fill(row, result);
  } catch (const Json::exception&) {  // written by another version
    return false;
  }
  return true;
}

std::string sweep_csv(const std::vector<SweepRow>& rows) {
  std::string csv = "experiment";
  if (!rows.empty())
    for (const SweepSetting& setting : rows.front().point.varied)
      csv += ',' + csv_field(setting.key);
  csv += ",status,system,backend,fingerprint,finish_ps,compute_ps,exposed_ps,idle_ps,bound_ps";
  for (const char* key : run_numbers) csv += fmt::format(",{}", key);
  for (const char* key : host_numbers) csv += fmt::format(",{}", key);
  csv += ",folder\n";
  for (const SweepRow& row : rows) {
    csv += csv_field(row.point.experiment);
    for (const SweepSetting& setting : row.point.varied) csv += ',' + csv_field(setting.value);
    csv += fmt::format(",{},{},{},{}", row.status, csv_field(row.system), row.backend,
                       row.fingerprint);
    for (const Duration time : {row.finish, row.compute, row.exposed, row.idle, row.bound})
      csv += row.status == "ok" ? fmt::format(",{}", time.value) : ",";
    const auto number = [&](const char* key) {
      const auto found = row.numbers.find(key);
      return found == row.numbers.end() ? std::string() : found->second;
    };
    for (const char* key : run_numbers) csv += ',' + number(key);
    for (const char* key : host_numbers) csv += ',' + number(key);
    csv += ',' + csv_field(row.folder.string()) + '\n';
  }
  return csv;
}

std::string sweep_text(const std::string& name, const std::vector<SweepRow>& rows) {
  using Align = TextTable::Align;
  std::vector<TextTable::Column> columns;
  const bool names = !rows.empty() && several_experiments(rows);
  if (names) columns.push_back({"experiment", Align::left});
  if (!rows.empty())
    for (const SweepSetting& setting : rows.front().point.varied)
      columns.push_back({setting.key, Align::right});
  for (const char* heading : {"finish", "compute", "exposed", "x fastest"})
    columns.push_back({heading, Align::right});

  Duration fastest{std::numeric_limits<std::int64_t>::max()};
  for (const SweepRow& row : rows)
    if (row.status == "ok") fastest = std::min(fastest, row.finish);
  TextTable table(columns);
  for (const SweepRow& row : rows) {
    std::vector<std::string> cells;
    if (names) cells.push_back(row.system.empty() ? row.point.experiment : row.system);
    for (const SweepSetting& setting : row.point.varied) cells.push_back(setting.value);
    if (row.status == "ok") {
      for (const Duration time : {row.finish, row.compute, row.exposed})
        cells.push_back(to_text(time));
      cells.push_back(ratio(row.finish, fastest));
    } else {
      cells.push_back(row.status);
      cells.insert(cells.end(), 3, "-");
    }
    table.add_row(std::move(cells));
  }
  const auto done = std::count_if(rows.begin(), rows.end(),
                                  [](const SweepRow& row) { return row.status == "ok"; });
  return fmt::format("{}: {} of {} points\n\n{}", name, done, rows.size(), table.text());
}

}  // namespace orrery
