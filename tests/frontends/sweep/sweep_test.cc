// `orrery sweep`: the grid, and what survives between two runs of it.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/base/config_error.h"
#include "core/base/log.h"
#include "execution/process/process_pool.h"
#include "execution/sweep/sweep_folder.h"
#include "frontends/cli/commands.h"
#include "frontends/yaml/load_sweep.h"
#include "report/result_folder.h"
#include "report/sweep_report.h"
#include "tests/paths.h"

using namespace orrery;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

constexpr const char* experiment = R"(platform:
  topology:
    levels:
      - {name: fabric, kind: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}
workload: {program: [{operations: [{all_reduce: 4 MB}]}]}
)";

// A folder of its own that holds four.yaml, and the sweeps of a test.
class Sweeps {
 public:
  Sweeps() {
    fs::create_directories(folder_);
    for (const char* name : {"four.yaml", "a.yaml", "b.yaml"}) write(name, experiment);
  }
  ~Sweeps() { fs::remove_all(folder_); }
  Sweeps(const Sweeps&) = delete;
  Sweeps& operator=(const Sweeps&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  struct Printed {
    int exit_code;
    std::string out, error;
  };
  Printed run(const std::string& text, bool force = false,
              const std::vector<std::string>& settings = {}) const {
    cli::SweepCommandOptions options;
    options.settings = settings;
    options.file = write("sweep.yaml", text);
    options.output = folder_ / "out";
    options.jobs = 2;
    options.invocation = {"1.2.3", "abc", "orrery sweep"};
    options.force = force;
    std::ostringstream out, error;
    const log::Session messages({}, error);
    const int exit_code = cli::sweep(options, {out, error});
    return {exit_code, out.str(), error.str()};
  }
  std::vector<fs::path> points() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_ / "out" / "points"))
      found.push_back(entry.path());
    return found;
  }
  bool has_begun() const { return fs::exists(folder_ / "out"); }
  std::string csv() const {
    std::ostringstream text;
    text << std::ifstream(folder_ / "out" / "sweep.csv").rdbuf();
    return text.str();
  }

 private:
  fs::path folder_ = fs::temp_directory_path() / ("orrery_sweep_test." + std::to_string(getpid()));
};

std::string problem_of(const Sweeps& sweeps, const std::string& text) {
  try {
    load_sweep(sweeps.write("wrong.yaml", text));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a grid has every combination, and keys of one item change together") {
  const Sweeps sweeps;
  const Sweep sweep = load_sweep(sweeps.write("grid.yaml", R"(
experiments: [a.yaml, b.yaml]
set: {seed: 7}
vary:
  - system.chunks: [1, 2, 3]
  - system.first_phase_limit: [8, 9]
    system.all_reduce.algorithms: [ring, [ring, direct]]
)"));
  CHECK(sweep.name == "grid");
  const std::vector<SweepPoint> points = points_of(sweep);
  REQUIRE(points.size() == 12);  // 2 files x 3 x 2, not x 2 again
  // The last axis changes fastest, the experiment slowest.
  CHECK(points[1].experiment == points[0].experiment);
  CHECK(points[6].experiment != points[0].experiment);
  const auto value = [&](std::size_t point, std::size_t key) {
    return points[point].varied.at(key).value;
  };
  CHECK(value(0, 0) == "1");
  CHECK(value(1, 0) == "1");
  CHECK(value(2, 0) == "2");
  CHECK(value(0, 1) == "8");
  CHECK(value(0, 2) == "ring");
  CHECK(value(1, 1) == "9");
  CHECK(value(1, 2) == "[ring, direct]");
  CHECK(points[3].settings.front().key == "seed");
  CHECK(points[3].settings.size() == 4);
}

TEST_CASE("a folder's name does not change when the grid grows") {
  const Sweeps sweeps;
  const auto names = [&](const std::string& values) {
    std::vector<std::string> all;
    for (const SweepPoint& point : points_of(load_sweep(sweeps.write(
             "grid.yaml", "experiments: a.yaml\nvary: [{system.chunks: " + values + "}]\n"))))
      all.push_back(folder_name(point, point.varied.front().value));
    return all;
  };
  const auto few = names("[1, 4]"), many = names("[1, 2, 4]");
  CHECK(few[0] == many[0]);
  CHECK(few[1] == many[2]);
  CHECK(few[0] != few[1]);
}

TEST_CASE("what is wrong with a sweep is said where it stands") {
  const Sweeps sweeps;
  CHECK_THAT(problem_of(sweeps, "vary: []\n"), Contains("\"experiments\" is missing"));
  CHECK_THAT(problem_of(sweeps, "experiments: a\nvary:\n  - system.chunks: 5\n"),
             Contains("wrong.yaml:3:20") && Contains("write a list"));
  CHECK_THAT(problem_of(sweeps, "experiments: a\nvary:\n  - a.b: [1, 2]\n    c.d: [1]\n"),
             Contains("wrong.yaml:4:10") && Contains("c.d has 1 values, and a.b beside it 2"));
  CHECK_THAT(problem_of(sweeps, "experiments: a\nset: {a.b: 1}\nvary:\n  - a.b: [1, 2]\n"),
             Contains("a.b is given twice"));
  CHECK_THAT(problem_of(sweeps, "experiments: a\nvery: []\n"), Contains("did you mean \"vary\""));
  CHECK_THAT(problem_of(sweeps, "- a\n"), Contains("a sweep is a map"));
}

// Four NPUs on a switch, ring, one chunk: 6 steps of 1 MB at 1 GB/s and 2 x 1 us, and a memory copy
// at both ends of each: 6 x (1000 + 2 + 2 x injection) us.
TEST_CASE("a point's result is that of `run`, and is kept") {
  const Sweeps sweeps;
  const std::string grid = R"(experiments: four.yaml
set: {system.chunks: 1, system.all_reduce.algorithms: ring}
vary: [{system.injection_latency: [0 us, 10 us]}]
)";
  const auto first = sweeps.run(grid);
  CHECK(first.error == "");
  CHECK(first.exit_code == 0);
  CHECK_THAT(sweeps.csv(), Contains(",6012000000,") && Contains(",6132000000,"));
  CHECK_THAT(first.out, Contains("2 of 2 points"));
  // Quantities are numbers, and the unit is in the heading.
  CHECK_THAT(sweeps.csv(), Contains("experiment,system.injection_latency_ps,status,") &&
                               Contains("four.yaml,0,ok,") && Contains("four.yaml,10000000,ok,"));

  // What is done is not done again: a mark beside the results survives, but not --force.
  std::vector<fs::file_time_type> written;
  for (const fs::path& point : sweeps.points())
    written.push_back(fs::last_write_time(point / "result.json"));
  CHECK(sweeps.run(grid).out == first.out);
  for (std::size_t i = 0; i < written.size(); ++i)
    CHECK(fs::last_write_time(sweeps.points()[i] / "result.json") == written[i]);
  CHECK(sweeps.run(grid, true).out == first.out);
  for (std::size_t i = 0; i < written.size(); ++i)
    CHECK(fs::last_write_time(sweeps.points()[i] / "result.json") != written[i]);
}

// 60 columns are for keys.
TEST_CASE("keys that would fill the line are shortened where that tells them apart") {
  const SweepSetting operation{"workload.program.0.operations.0.all_reduce", "1 MB", ""},
      level{"platform.topology.levels.0.bandwidth", "1 GB/s", ""},
      inner{"platform.topology.levels.1.bandwidth", "2 GB/s", ""}, seed{"seed", "1", ""};
  const auto heading = [](const std::vector<SweepSetting>& varied) {
    SweepRow row;
    row.point.varied = varied;
    row.status = "not run";
    const std::string text = sweep_text("grid", {row});
    return text.substr(text.find("\n\n") + 2, text.find('\n', text.find("\n\n") + 2));
  };
  CHECK_THAT(heading({operation, level}), Contains("  bandwidth  ") && !Contains("program"));
  CHECK_THAT(heading({level, inner}), Contains(level.key) && Contains(inner.key));
  CHECK_THAT(heading({seed, level}), Contains(level.key));
}

TEST_CASE("a sweep marks the points whose backend ignores something") {
  const Sweeps sweeps;
  sweeps.write("tapered.yaml", R"(platform:
  topology: {leaf_spine: {leaves: 2, plugs: 2, spines: 1, bandwidth: 1 GB/s, latency: 1 us}}
workload: {program: [{operations: [{all_reduce: 4 MB}]}]}
)");
  const auto printed = sweeps.run(R"(experiments: tapered.yaml
vary: [{network.backend: [analytical, fluid]}]
)");
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.out,
             Contains("* IGNORED by the analytical backend in 1 of 2 points:\n"
                      "  messages share links between switches (taper 2:1 at spine)\n"));
  CHECK_THAT(printed.out, Contains(" *\n"));
  CHECK_THAT(sweeps.csv(), Contains(",analytical,messages share links between switches "
                                    "(taper 2:1 at spine),") &&
                               Contains(",fluid,,"));
}

// The level is called fabric: whether there is a row of another name only results tell. 17, 22 and
// 24 columns beside 40 of keys are more than a line, unless paths have a line for each step.
TEST_CASE("a metric that no point has is told, with what there is") {
  const Sweeps sweeps;
  const auto printed = sweeps.run(R"(experiments: four.yaml
vary: [{system.chunks: [1, 2]}, {system.algorithms: [halving_doubling]}]
metrics: [levels.dim0.bytes, why.all_reduce.time_ps, levels.fabric.bytes, events]
)");
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.error,
             Contains("no point has the metric levels.dim0.bytes: there are levels.fabric\n") &&
                 !Contains("why.all_reduce") && !Contains("metric levels.fabric"));
  std::istringstream lines(printed.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  CHECK_THAT(printed.out, Contains("levels.\n"));
}

TEST_CASE("a changed experiment, a lost or a partial result are simulated again") {
  const Sweeps sweeps;
  const std::string grid = "experiments: four.yaml\nvary: [{system.chunks: [1]}]\n";
  const std::string before = sweeps.run(grid).out;
  const fs::path result = sweeps.points().front() / "result.json";

  fs::remove(result);
  CHECK(sweeps.run(grid).out == before);
  CHECK(fs::exists(result));

  std::ofstream(result) << "{\"partial\": true}";
  CHECK(sweeps.run(grid).out == before);

  std::string faster = experiment;
  faster.replace(faster.find("1 GB/s"), 6, "2 GB/s");
  sweeps.write("four.yaml", faster);
  CHECK(sweeps.run(grid).out != before);
}

// 12.5 GB/s, then 1.25 GB/s: the wires are in a file, whose name does not change.
TEST_CASE("a point whose data file has changed is simulated again") {
  const Sweeps sweeps;
  const auto wires = [](const std::string& rate) {
    return "3 1 2\n2\n0 2 " + rate + " 1us 0\n1 2 " + rate + " 1us 0\n";
  };
  sweeps.write("wires.txt", wires("100Gbps"));
  sweeps.write("wired.yaml",
               "platform: {topology: {hpcc: wires.txt}}\n"
               "workload: {program: [{operations: [{all_reduce: 4 MB}]}]}\n");
  const std::string sweep = "name: s\nexperiments: wired.yaml\nvary:\n  - seed: [1]\n";
  const std::string fast = sweeps.run(sweep).out;
  CHECK(sweeps.run(sweep).out == fast);
  sweeps.write("wires.txt", wires("10Gbps"));
  CHECK(sweeps.run(sweep).out != fast);
}

TEST_CASE("a point that fails does not stop the others, and is tried again") {
  const Sweeps sweeps;
  // A barrier that one rank never calls: stuck.
  sweeps.write("stuck.yaml",
               std::string(experiment)
                   .replace(std::string(experiment).find("program:"), 200,
                            "program: [{ranks: 0-2, operations: [{barrier: true}]}]}\n"));
  sweeps.write("unmatched.yaml",
               std::string(experiment)
                   .replace(std::string(experiment).find("program:"), 200,
                            "program: [{ranks: 0, operations: [{send: 1 kB, to: 1}]}]}\n"));
  const std::string grid = "experiments: [stuck.yaml, four.yaml, unmatched.yaml]\n";
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto printed = sweeps.run(grid);
    CHECK(printed.exit_code == 1);
    CHECK_THAT(printed.out, Contains("1 of 3 points"));
    CHECK_THAT(sweeps.csv(), Contains("unmatched.yaml,failed,"));
    CHECK_THAT(printed.error, Contains("stuck") && Contains("log.txt"));
    CHECK_THAT(sweeps.csv(), Contains("stuck.yaml,failed,") && Contains("four.yaml,ok,"));
  }
}

TEST_CASE("mistakes in any point show before the first one runs") {
  const Sweeps sweeps;
  try {
    sweeps.run("experiments: four.yaml\nvary:\n  - system.chunks: [1, 0]\n  - seed: [1, 2]\n");
    FAIL("nothing was thrown");
  } catch (const ConfigError& error) {
    // Wrong at two points, said once.
    REQUIRE(error.diagnostics().size() == 1);
    CHECK_THAT(error.what(), Contains("sweep.yaml:3: system.chunks=0") &&
                                 Contains("or leave such points out with `where:`"));
  }
}

TEST_CASE("a mistake of many settings is said once") {
  const Sweeps sweeps;
  try {
    sweeps.run("experiments: four.yaml\nvary:\n  - systems.chunks: [1, 2, 3]\n  - seed: [1, 2]\n");
    FAIL("nothing was thrown");
  } catch (const ConfigError& error) {
    REQUIRE(error.diagnostics().size() == 1);
    CHECK_THAT(error.what(), Contains("systems.chunks=1") && Contains("(as in 2 more settings)"));
    CHECK_THAT(error.what(), !Contains("where"));  // no point is right
  }
}

TEST_CASE("mistakes in the text workload of a point show before the first one runs") {
  const Sweeps sweeps;
  std::string text_job = experiment;
  text_job.replace(text_job.find("program:"), std::string::npos, "text: layers.txt}\n");
  sweeps.write("text.yaml", text_job);
  sweeps.write("layers.txt", "DATA\n1\nL -1 1 NONE 0 2 NONE 0 3 ALLREDUCE many 4\n");
  CHECK_THROWS_WITH(sweeps.run("experiments: [four.yaml, text.yaml]\n"),
                    Contains("layers.txt:3") && Contains("many"));
  CHECK_FALSE(sweeps.has_begun());
}

TEST_CASE("--set holds at every point, over the file's own settings") {
  const Sweeps sweeps;
  const std::string sweep =
      "experiments: four.yaml\nset: {seed: 3}\nvary: [{system.chunks: [1, 2]}]\n";
  const auto seeds = [&](const std::string& seed) {
    std::size_t found = 0;
    for (const fs::path& point : sweeps.points()) {
      std::ostringstream text;
      text << std::ifstream(point / "result.json").rdbuf();
      if (text.str().find("\"seed\": " + seed) != std::string::npos) ++found;
    }
    return found;
  };
  REQUIRE(sweeps.run(sweep, false, {"seed=5"}).exit_code == 0);
  CHECK(seeds("5") == 2);
  REQUIRE(sweeps.run(sweep).exit_code == 0);  // other points: those of seed 5 stay
  CHECK(seeds("3") == 2);
  CHECK(seeds("5") == 2);
  CHECK_THROWS_WITH(sweeps.run(sweep, false, {"system.chunks=4"}), Contains("varies this key"));
  CHECK_THROWS_WITH(sweeps.run(sweep, false, {"seed"}), Contains("write KEY=VALUE"));
}

// wait() returns every second, ended or not; a child under a sanitizer may take longer to end.
std::optional<ChildExit> next_end(ProcessPool& pool) {
  std::optional<ChildExit> end;
  for (int second = 0; second < 60 && !end; ++second) end = pool.wait();
  return end;
}

TEST_CASE("children of a pool report their ends") {
  ProcessPool pool(2);
  pool.start(
      7, [](std::ostream&) { return 3; }, "/dev/null");
  pool.start(
      8, [](std::ostream&) { return pause(); }, "/dev/null");
  CHECK(pool.full());
  const std::optional<ChildExit> first = next_end(pool);
  REQUIRE(first);
  CHECK(first->task == 7);
  CHECK(first->exit_code == 3);
  pool.signal_all(SIGINT);
  const std::optional<ChildExit> second = next_end(pool);
  REQUIRE(second);
  CHECK(second->task == 8);
  CHECK(second->exit_code == 128 + SIGINT);
  CHECK(pool.empty());
}

// kill(pid, 0) finds a process that ended and that nobody has waited for, as the points of a killed
// sweep are until init reaps them.
TEST_CASE("files of a killed process are removed though its parent has not waited for it") {
  const fs::path folder =
      fs::temp_directory_path() / ("orrery_left_half_written." + std::to_string(getpid()));
  fs::create_directories(folder);
  const pid_t child = fork();
  if (child == 0) pause();
  const fs::path file = folder / (".summary.csv" + unfinished_ending(child));
  std::ofstream(file) << "time";
  remove_unfinished(folder);
  CHECK(fs::exists(file));
  kill(child, SIGKILL);
  siginfo_t ended;
  REQUIRE(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
  remove_unfinished(folder);
  CHECK(!fs::exists(file));
  REQUIRE(waitpid(child, nullptr, 0) == child);
  fs::remove_all(folder);
}
