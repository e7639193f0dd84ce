#include "frontends/sweep/sweep_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <variant>

#include "core/base/io_error.h"
#include "core/units/unit_text.h"
#include "frontends/yaml/scalar_types.h"
#include "report/backend_text.h"
#include "report/csv_report.h"
#include "report/numbers.h"
#include "report/text_table.h"

namespace orrery {

namespace {

using Json = nlohmann::json;

constexpr std::array run_numbers{"events", "messages"};
constexpr std::array host_numbers{"wall_s", "cpu_s", "peak_rss_bytes"};
constexpr std::array packet_numbers{"drops", "retransmissions", "timeouts"};
constexpr std::array all_numbers{"events", "messages",        "wall_s",   "cpu_s", "peak_rss_bytes",
                                 "drops",  "retransmissions", "timeouts", "mfu"};
constexpr std::array flow_numbers{"load_hosts", "load_uplinks", "drawn_hosts", "busiest_load",
                                  "counted"};
constexpr std::array flow_times{"mean_ps",       "p50_ps",       "p95_ps",       "p99_ps",
                                "slowdown_mean", "slowdown_p50", "slowdown_p95", "slowdown_p99"};

std::optional<std::string> contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
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

std::filesystem::path result_file(const SweepRow& row) {
  return row.folder / (row.has_flows ? "traffic.json" : "result.json");
}

Json parsed_result(const SweepRow& row) {
  const std::optional<std::string> text = contents(result_file(row));
  Json result = text ? Json::parse(*text, nullptr, false) : Json();
  return result.is_object() ? std::move(result) : Json::object();
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
  row.status = "ok";
}

// Those that differ somewhere in the sweep, so that the table shows no column of equal words.
bool several_experiments(const std::vector<SweepRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const SweepRow& row) {
    return row.point.experiment != rows.front().point.experiment;
  });
}

}  // namespace

SweepLock::SweepLock(const std::filesystem::path& folder) {
  constexpr mode_t of_everybody = 0666;
  const std::filesystem::path path = folder / ".lock";
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, of_everybody);
  if (file_ < 0)
    throw IoError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  constexpr int attempts = 50;
  constexpr timespec between{0, 100'000'000};
  for (int attempt = 1; flock(file_, LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (errno != EWOULDBLOCK) return;  // a file system without locks
    if (attempt == attempts) {
      close(file_);
      throw IoError(fmt::format("another sweep works in {}: wait for it, or name another folder",
                                folder.string()));
    }
    nanosleep(&between, nullptr);
  }
}

SweepLock::~SweepLock() { close(file_); }

void remove_unfinished(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".unfinished") left.push_back(entry.path());
  for (const std::filesystem::path& path : left) std::filesystem::remove(path);
}

void prepare_point(const SweepRow& row) {
  std::filesystem::create_directories(row.folder);
  remove_unfinished(row.folder);
}

bool read_result(SweepRow& row) {
  const Json result = parsed_result(row);
  try {
    if (result.value("partial", true) || result.contains("unreceived")) return false;
    if (!is_of(result, row)) return false;
    fill(row, result);
  } catch (const Json::exception&) {  // somebody else wrote it
    return false;
  }
  return true;
}

void remove_other_result(const SweepRow& row) {
  if (!is_of(parsed_result(row), row)) std::filesystem::remove(result_file(row));
}

namespace {

// The values of a varied key as numbers, if all are quantities of type T, and the unit's name.
template <class T>
std::optional<std::vector<std::string>> numbers_of(const std::vector<std::string>& values) {
  std::vector<std::string> numbers;
  for (const std::string& value : values) {
    const yaml::FromText<T> parsed = yaml::ScalarType<T>::parse(value);
    const T* quantity = std::get_if<T>(&parsed);
    if (quantity == nullptr) return std::nullopt;
    numbers.push_back(std::to_string(quantity->value));
  }
  return numbers;
}

struct VariedColumn {
  std::string heading;
  std::vector<std::string> values;  // of each row
};

// Sizes, times and rates as numbers, with the unit in the heading: scripts need not know units.
VariedColumn varied_column(const std::vector<SweepRow>& rows, std::size_t key) {
  VariedColumn column{rows.front().point.varied[key].key, {}};
  for (const SweepRow& row : rows) column.values.push_back(row.point.varied[key].value);
  const auto in = [&](auto quantity, const char* unit) {
    if (auto numbers = numbers_of<decltype(quantity)>(column.values))
      column = {column.heading + unit, *std::move(numbers)};
  };
  in(Bytes{}, "_bytes");
  in(Duration{}, "_ps");
  in(Bandwidth{}, "_bytes_per_s");
  in(FlopRate{}, "_flops_per_s");
  return column;
}

std::vector<VariedColumn> varied_columns(const std::vector<SweepRow>& rows) {
  std::vector<VariedColumn> columns;
  for (std::size_t key = 0; !rows.empty() && key < rows.front().point.varied.size(); ++key)
    columns.push_back(varied_column(rows, key));
  return columns;
}

}  // namespace

std::string sweep_csv(const std::vector<SweepRow>& rows) {
  const std::vector<VariedColumn> varied = varied_columns(rows);
  std::string csv = "experiment";
  for (const VariedColumn& column : varied) csv += ',' + csv_field(column.heading);
  csv +=
      ",status,system,backend,ignored,fingerprint,finish_ps,compute_ps,exposed_ps,idle_ps,bound_ps";
  std::vector<std::string_view> numbers(all_numbers.begin(), all_numbers.end());
  if (std::ranges::any_of(rows, &SweepRow::has_flows)) {
    numbers.insert(numbers.end(), flow_numbers.begin(), flow_numbers.end());
    numbers.insert(numbers.end(), flow_times.begin(), flow_times.end());
  }
  csv += fmt::format(",{},inputs,folder\n", fmt::join(numbers, ","));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SweepRow& row = rows[i];
    csv += csv_field(row.point.experiment);
    for (const VariedColumn& column : varied) csv += ',' + csv_field(column.values[i]);
    csv += fmt::format(",{},{},{},{},{}", row.status, csv_field(row.system), row.backend,
                       csv_field(fmt::format("{}", fmt::join(row.ignored, "; "))), row.fingerprint);
    csv += row.status == "ok" ? fmt::format(",{}", row.finish.value) : ",";
    for (const Duration time : {row.compute, row.exposed, row.idle, row.bound})
      csv += row.status == "ok" && !row.has_flows ? fmt::format(",{}", time.value) : ",";
    for (const std::string_view key : numbers) {
      const auto found = row.numbers.find(std::string(key));
      csv += ',' + (found == row.numbers.end() ? "" : found->second);
    }
    csv += fmt::format(",{},{}\n", row.inputs, csv_field(row.folder.string()));
  }
  return csv;
}

namespace {

// What the points marked with a star ignore: a line for each backend and what it ignores.
std::string ignored_by(const std::vector<SweepRow>& rows) {
  std::vector<const SweepRow*> kinds;
  const auto alike = [](const SweepRow& row) {
    return [&row](const SweepRow& other) {
      return row.backend == other.backend && row.ignored == other.ignored;
    };
  };
  std::string text;
  for (const SweepRow& row : rows) {
    const auto is_known = [&](const SweepRow* kind) { return alike(row)(*kind); };
    if (row.ignored.empty() || std::ranges::any_of(kinds, is_known)) continue;
    kinds.push_back(&row);
    const auto points = std::ranges::count_if(rows, alike(row));
    text +=
        "* " + ignored_text(row.backend, fmt::format(" in {} of {} points", points, rows.size()),
                            row.ignored);
  }
  return text;
}

// "-" where no flow was counted.
void add_flow_cells(std::vector<std::string>& cells, const SweepRow& row, const char* mark) {
  cells.push_back(row.numbers.at("counted"));
  const auto found = row.numbers.find("mean_ps");
  if (found == row.numbers.end()) {
    cells.insert(cells.end(), 5, "-");
    return;
  }
  cells.push_back(to_text(Duration{std::stoll(found->second)}));
  for (const char* key : {"slowdown_mean", "slowdown_p50", "slowdown_p95", "slowdown_p99"})
    cells.push_back(fmt::format("{:.2f}", std::stod(row.numbers.at(key))));
  cells.back() += mark;
}

}  // namespace

std::string sweep_text(const std::string& name, const std::vector<SweepRow>& rows) {
  using Align = TextTable::Align;
  std::vector<TextTable::Column> columns;
  const bool names = !rows.empty() && several_experiments(rows);
  if (names) columns.push_back({"experiment", Align::left});
  if (!rows.empty())
    for (const SweepSetting& setting : rows.front().point.varied)
      columns.push_back({setting.key, Align::right});
  const bool only_flows = !rows.empty() && std::ranges::all_of(rows, &SweepRow::has_flows);
  if (only_flows)
    for (const char* heading : {"counted", "mean time", "slowdown", "p50", "p95", "p99"})
      columns.push_back({heading, Align::right});
  else
    for (const char* heading : {"finish", "compute", "exposed", "x fastest"})
      columns.push_back({heading, Align::right});

  const std::string ignored = ignored_by(rows);
  Duration fastest{std::numeric_limits<std::int64_t>::max()};
  for (const SweepRow& row : rows)
    if (row.status == "ok") fastest = std::min(fastest, row.finish);
  TextTable table(columns);
  for (const SweepRow& row : rows) {
    std::vector<std::string> cells;
    if (names) cells.push_back(row.system.empty() ? row.point.experiment : row.system);
    for (const SweepSetting& setting : row.point.varied) cells.push_back(setting.value);
    const char* mark = ignored.empty() ? "" : row.ignored.empty() ? "  " : " *";
    if (row.status == "ok" && only_flows) {
      add_flow_cells(cells, row, mark);
    } else if (row.status == "ok") {
      for (const Duration time : {row.finish, row.compute, row.exposed})
        cells.push_back(to_text(time));
      cells.push_back(ratio(row.finish, fastest) + mark);
    } else {
      cells.push_back(row.status);
      cells.insert(cells.end(), only_flows ? 5 : 3, "-");
    }
    table.add_row(std::move(cells));
  }
  const auto done = std::count_if(rows.begin(), rows.end(),
                                  [](const SweepRow& row) { return row.status == "ok"; });
  return fmt::format("{}: {} of {} points\n{}\n{}", name, done, rows.size(), ignored, table.text());
}

}  // namespace orrery
