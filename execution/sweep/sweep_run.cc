#include "execution/sweep/sweep_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "core/base/io_error.h"
#include "core/units/unit_text.h"
#include "execution/interrupt.h"
#include "execution/process/process_pool.h"
#include "execution/process/scratch_folder.h"
#include "execution/progress/count_progress.h"
#include "execution/sweep/sweep_folder.h"
#include "execution/sweep/sweep_limits.h"
#include "report/result_folder.h"
#include "report/sweep_manifest.h"
#include "report/sweep_records.h"
#include "report/sweep_report.h"

namespace orrery {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::vector<std::string> last_lines(std::istream& text) {
  constexpr std::size_t most = 20;
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (lines.size() == most) lines.erase(lines.begin());
    lines.push_back(line);
  }
  return lines;
}

std::string text_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Another shard that runs the same point takes its files away for the moment in which it writes its
// own.
bool read_written_result(SweepRow& row) {
  constexpr int attempts = 40;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (read_result(row)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

// What a log says, without "error: ".
std::string message_of(const std::string& line) {
  constexpr std::string_view head = "error: ";
  return line.starts_with(head) ? line.substr(head.size()) : line;
}

// A signal may be of a machine that ran out of memory: another attempt may succeed.
bool is_worth_another(int exit_code) { return exit_code > 128 && exit_code != interrupted; }

// The time, of flows their mean time.
double cost_of(const SweepRow& row) {
  const auto found = row.numbers.find("mean_ps");
  return row.has_flows && found != row.numbers.end() ? std::stod(found->second)
                                                     : static_cast<double>(row.finish.value);
}

// In the child. Linux counts what the process itself writes to.
void limit_memory(const std::optional<Bytes>& limit) {
  if (!limit) return;
  const rlimit most{static_cast<rlim_t>(limit->value), static_cast<rlim_t>(limit->value)};
  setrlimit(RLIMIT_DATA, &most);
}

class SweepRun {
 public:
  SweepRun(LoadedSweep& sweep, const SweepOptions& options, const Shard& shard,
           const Terminal& terminal)
      : rows_(sweep.rows),
        simulate_(sweep.simulate),
        options_(options),
        shard_(shard),
        limits_(limits_of(options)),
        disk_(options.output),
        scratch_("sweep") {
    find_waiting();
    if (shard_.from_the_end) std::ranges::reverse(waiting_);
    progress_.emplace(terminal, waiting_.size(), "points");
  }

  ExitCode run() {
    options_.batch ? run_here() : run_beside_each_other();
    for (SweepRow& row : rows_)
      if (row.status == "not run") read_result(row);
    if (disk_is_full_ && !interrupt_.interrupted())
      throw IoError(
          fmt::format("{} has {}, and --max-disk allows {}: {} of {} points are left to do. --keep "
                      "none keeps a "
                      "line of each point, --keep best:10 also the folders of the fastest",
                      options_.output, to_text(disk_.now()), options_.max_disk,
                      std::ranges::count(rows_, "not run", &SweepRow::status), rows_.size()));
    if (interrupt_.interrupted()) return interrupted;
    return failed_ > 0 ? simulation_failed : ok;
  }

 private:
  // Points that are not done; two that are the same simulation share a name, and one of them runs.
  void find_waiting() {
    const SweepRecords records(options_.output);
    std::set<fs::path> begun;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      SweepRow& row = rows_[i];
      const bool has_record = !options_.force && records.read(row) && has_metrics(row);
      if (has_record && fs::exists(row.folder)) kept_.emplace(cost_of(row), i);
      if (has_record || (!options_.force && read_result(row))) continue;
      row.status = "not run";
      if (begun.insert(row.folder).second) waiting_.push_back(i);
    }
  }

  bool may_begin() {
    if (next_ == waiting_.size() || interrupt_.interrupted() || disk_is_full_) return false;
    disk_is_full_ = limits_.disk && disk_.now() >= *limits_.disk;
    return !disk_is_full_;
  }

  int simulate_into_folder(const SweepRow& row, std::ostream& messages) const {
    std::ostream nowhere(nullptr);
    return simulate_(row, PointOutput::folder, nowhere, messages);
  }

  // A process beside this one has done it since this one began: the next one waits then.
  bool is_done_by_another(std::size_t index) {
    if (options_.force || repeated_.contains(index) || !read_result(rows_[index])) return false;
    ++next_;
    ++done_;
    keep(index);
    return true;
  }

  bool has_folder() const { return limits_.keeps_all || limits_.keeps_best > 0; }

  fs::path log_of(std::size_t index) const {
    return has_folder() ? rows_[index].folder / "log.txt"
                        : scratch_.path() / fmt::format("{}.log", index);
  }
  fs::path json_of(std::size_t index) const {
    return scratch_.path() / fmt::format("{}.json", index);
  }

  void run_beside_each_other() {
    ProcessPool pool(options_.jobs);
    bool passed_on = false;
    while (true) {
      while (!pool.full() && may_begin())
        if (!is_done_by_another(waiting_[next_])) start(waiting_[next_++], pool);
      if (pool.empty()) break;
      progress_->show(done_, failed_);
      if (const std::optional<ChildExit> exit = pool.wait()) take(*exit);
      stop_overdue(pool);
      // Ctrl-C goes to this process alone (the children are in process groups of their own), which
      // passes it on once, as it does SIGTERM and SIGHUP: each child then writes what it has.
      if (interrupt_.interrupted() && !passed_on) {
        pool.signal_all(SIGINT);
        passed_on = true;
      }
    }
  }

  void start(std::size_t index, ProcessPool& pool) {
    if (has_folder()) prepare_point(rows_[index]);
    begun_[index] = Clock::now();
    const auto work = [&, index](std::ostream& messages) {
      limit_memory(limits_.memory);
      if (has_folder()) return simulate_into_folder(rows_[index], messages);
      std::ofstream json(json_of(index));
      const int code = simulate_(rows_[index], PointOutput::json, json, messages);
      return json.flush() ? code : static_cast<int>(wrong_files);
    };
    pool.start(index, work, log_of(index));
  }

  void stop_overdue(ProcessPool& pool) {
    if (!limits_.time) return;
    for (const auto& [index, begin] : begun_)
      if (Clock::now() - begin > *limits_.time && overdue_.insert(index).second)
        pool.signal(index, SIGKILL);
  }

  void take(const ChildExit& exit) {
    const std::size_t index = exit.task;
    begun_.erase(index);
    const bool was_overdue = overdue_.erase(index) > 0;
    if (is_worth_another(exit.exit_code) && repeated_.insert(index).second) {
      waiting_.push_back(index);
      return;
    }
    std::ifstream log(log_of(index));
    std::vector<std::string> lines = last_lines(log);
    if (was_overdue)
      lines.insert(lines.begin(),
                   fmt::format("stopped after --time-limit {}", options_.time_limit));
    const std::string json = has_folder() ? "" : text_of_file(json_of(index));
    finish(index, exit, json, lines);
    std::error_code gone;
    fs::remove(json_of(index), gone);
    if (!has_folder()) fs::remove(log_of(index), gone);
  }

  void run_here() {
    while (may_begin()) {
      if (is_done_by_another(waiting_[next_])) continue;
      const std::size_t index = waiting_[next_++];
      SweepRow& row = rows_[index];
      std::ostringstream json;
      std::stringstream messages;
      ChildExit exit{index, ok, {}};
      if (has_folder()) {
        prepare_point(row);
        exit.exit_code = simulate_into_folder(row, messages);
        write_whole_file(log_of(index), messages.str());
      } else {
        exit.exit_code = simulate_(row, PointOutput::json, json, messages);
      }
      finish(index, exit, json.str(), last_lines(messages));
      progress_->show(done_, failed_);
    }
  }

  // `json`: the result of a point without a folder.
  void finish(std::size_t index, const ChildExit& exit, const std::string& json,
              const std::vector<std::string>& lines) {
    SweepRow& row = rows_[index];
    const bool is_read = has_folder() ? read_result(row) : read_result(row, json);
    if (!is_read && exit.exit_code == interrupted) return;
    ++done_;
    if (is_read || (exit.exit_code == ok && has_folder() && read_written_result(row)))
      return keep(index);
    if (exit.exit_code == wrong_files)  // a full disk: others would fail too
      throw IoError(lines.empty() ? "a point cannot be written" : message_of(lines.back()));
    ++failed_;
    row.status = "failed";
    row.failure =
        lines.empty() ? fmt::format("it ended with exit code {}", exit.exit_code) : lines.front();
    fs::create_directories(row.folder);
    if (!has_folder())
      write_whole_file(row.folder / "log.txt", fmt::format("{}\n", fmt::join(lines, "\n")));
    write_whole_file(row.folder / failure_name,
                     failure_text({exit.exit_code, exit.peak_memory, lines}));
  }

  // The line before the folder goes: a point is done at any moment.
  void keep(std::size_t index) {
    if (limits_.keeps_all) return;
    rows_[index].ended = std::time(nullptr);
    append_record(options_.output, shard_.index, shard_.count, rows_[index]);
    if (!has_folder()) return remove_failure(rows_[index]);
    kept_.emplace(cost_of(rows_[index]), index);
    while (kept_.size() > limits_.keeps_best) {
      const auto slowest = std::prev(kept_.end());
      fs::remove_all(rows_[slowest->second].folder);
      kept_.erase(slowest);
    }
  }

  // What an earlier attempt left.
  static void remove_failure(const SweepRow& row) {
    std::error_code not_there;
    for (const char* name : {failure_name, "log.txt"}) fs::remove(row.folder / name, not_there);
    fs::remove(row.folder, not_there);  // if nothing else is in it
  }

  std::vector<SweepRow>& rows_;
  const SimulatePoint& simulate_;
  const SweepOptions& options_;
  Shard shard_;
  SweepLimits limits_;
  DiskUse disk_;
  ScratchFolder scratch_;
  InterruptGuard interrupt_;
  std::optional<CountProgress> progress_;

  std::vector<std::size_t> waiting_;  // rows, those before next_ have begun
  std::size_t next_ = 0, done_ = 0, failed_ = 0;
  std::set<std::size_t> repeated_, overdue_;
  std::map<std::size_t, Clock::time_point> begun_;  // that run
  std::set<std::pair<double, std::size_t>> kept_;   // of --keep best:N, by cost
  bool disk_is_full_ = false;
};

// Another process runs the same points there: two share them, one from each end.
bool is_worked_on(const fs::path& folder, const std::string& manifest) {
  return is_locked(folder) && text_of_file(folder / manifest_name) == manifest;
}

}  // namespace

ExitCode run_sweep(LoadedSweep& sweep, const SweepOptions& options, const Terminal& terminal) {
  const InterruptGuard interrupt;  // until sweep.csv is written
  prepare_result_folder(options.output, Overwrite::allow);
  const fs::path folder = options.output;
  const std::string manifest = manifest_text({sweep.name, sweep.rows});
  const bool helps = is_worked_on(folder, manifest);
  SweepLock lock(options.output, helps ? SweepLock::Share::shards : SweepLock::Share::alone);
  if (!helps) {
    remove_unfinished(options.output);
    write_whole_file(folder / manifest_name, manifest);
    lock.share();
  }
  const ExitCode exit_code =
      SweepRun(sweep, options, {.from_the_end = helps}, terminal).run();
  write_whole_file(folder / "sweep.csv", sweep_csv(sweep.rows));
  return exit_code;
}

ExitCode run_shard(LoadedSweep& sweep, const Shard& shard, const SweepOptions& options,
                   const Terminal& terminal) {
  prepare_result_folder(options.output, Overwrite::allow);
  const SweepLock lock(options.output, SweepLock::Share::shards);
  write_whole_file(fs::path(options.output) / manifest_name,
                   manifest_text({sweep.name, sweep.rows}));
  std::vector<SweepRow> rows;
  for (std::size_t i = shard.index; i < sweep.rows.size(); i += shard.count)
    rows.push_back(std::move(sweep.rows[i]));
  sweep.rows = std::move(rows);
  return SweepRun(sweep, options, shard, terminal).run();
}

}  // namespace orrery
