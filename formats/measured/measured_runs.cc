#include "formats/measured/measured_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "core/base/text_file.h"
#include "core/units/unit_text.h"

namespace orrery {

namespace {

using Cells = std::vector<std::string>;

Cells cells_of(const std::string& line) {
  Cells cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  for (std::string& cell : cells) {
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
  }
  return cells;
}

class MeasuredRunReader {
 public:
  explicit MeasuredRunReader(const std::string& path) : path_(path) {}

  std::vector<MeasuredRun> read() {
    std::istringstream text(read_text_file(path_));
    std::vector<MeasuredRun> runs;
    for (std::string line; std::getline(text, line);) {
      ++line_;
      if (line.find_first_not_of(" \r,") == std::string::npos || line[0] == '#') continue;
      Cells cells = cells_of(line);
      if (columns_.empty()) {
        read_columns(std::move(cells));
      } else {
        runs.push_back(run_of(cells));
      }
    }
    if (runs.empty())
      fail("there is no timed run in it",
           "a line of column names, then for example: gpt3.yaml,5.1 s");
    return runs;
  }

 private:
  [[noreturn]] void fail(std::string what, std::string remedy) const {
    throw ConfigError(
        {.file = path_, .line = line_, .what = std::move(what), .remedy = std::move(remedy)});
  }

  void read_columns(Cells cells) {
    for (const char* needed : {"experiment", "time"})
      if (std::ranges::count(cells, needed) != 1)
        fail(fmt::format("there is no column {}, or several", needed),
             "the first line names the columns: experiment,time and keys such as "
             "workload.training.micro_batch");
    columns_ = std::move(cells);
  }

  Duration time_of(const std::string& cell) const {
    const Parsed<Duration> parsed = parse_duration(cell);
    const auto* time = std::get_if<Duration>(&parsed);
    if (time == nullptr)
      fail(in_quotes(cell) + ' ' + std::get<UnitError>(parsed).what, "write for example 5.1 s");
    if (*time <= Duration{}) fail("a time of 0 says nothing", "leave the row out");
    return *time;
  }

  MeasuredRun run_of(const Cells& cells) const {
    if (cells.size() != columns_.size())
      fail(fmt::format("{} cells, but {} columns", cells.size(), columns_.size()),
           "put cells with commas into double quotes");
    MeasuredRun run;
    run.line = line_;
    std::string settings;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i] == "experiment") {
        run.experiment = (std::filesystem::path(path_).parent_path() / cells[i]).string();
        run.name = cells[i];
      } else if (columns_[i] == "time") {
        run.time = time_of(cells[i]);
      } else if (!cells[i].empty()) {
        run.settings.push_back(
            {columns_[i], cells[i], fmt::format("column {} of {}:{}", columns_[i], path_, line_)});
        settings += fmt::format(" {}={}", columns_[i].substr(columns_[i].rfind('.') + 1), cells[i]);
      }
    }
    run.name += settings;
    return run;
  }

  std::string path_;
  int line_ = 0;
  Cells columns_;
};

}  // namespace

std::vector<MeasuredRun> read_measured_runs(const std::string& path) {
  return MeasuredRunReader(path).read();
}

}  // namespace orrery
