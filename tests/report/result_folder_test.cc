#include "report/result_folder.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "core/base/io_error.h"
#include "report/json_report.h"
#include "tests/report/sample_result.h"

using namespace orrery;
namespace fs = std::filesystem;

namespace {

// A new folder that is gone afterwards.
struct TemporaryFolder {
  fs::path path =
      fs::temp_directory_path() / ("orrery_result_folder_test." + std::to_string(getpid()));
  TemporaryFolder() { fs::remove_all(path); }
  ~TemporaryFolder() { fs::remove_all(path); }
};

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

const std::set<std::string> run_files{"result.json", "summary.csv", "exposed.csv", "layers.csv",
                                      "levels.csv",  "links.csv",   "ranks.csv",   "why.csv"};

}  // namespace

TEST_CASE("a run leaves its files, and nothing unfinished", "[report]") {
  const TemporaryFolder folder;
  const fs::path deep = folder.path / "made" / "on the way";
  write_run(deep, test::sample(), {}, Overwrite::refuse);
  CHECK(names_in(deep) == run_files);
  CHECK(content(deep / "result.json") == run_json(test::sample(), {}));
}

TEST_CASE("results are not overwritten unless that is asked for", "[report]") {
  const TemporaryFolder folder;
  write_run(folder.path, test::sample(), {}, Overwrite::refuse);
  CHECK_THROWS_AS(prepare_result_folder(folder.path, Overwrite::refuse), IoError);
  CHECK_THROWS_WITH(
      write_run(folder.path, test::faster_sample(), {}, Overwrite::refuse),
      Catch::Contains("already holds a result (result.json)") && Catch::Contains("--force"));
  CHECK(content(folder.path / "result.json") == run_json(test::sample(), {}));
  write_run(folder.path, test::faster_sample(), {}, Overwrite::allow);
  CHECK(content(folder.path / "result.json") == run_json(test::faster_sample(), {}));
}

TEST_CASE("a comparison replaces the JSON of a run, and leaves other files alone", "[report]") {
  const TemporaryFolder folder;
  write_run(folder.path, test::sample(), {}, Overwrite::refuse);
  std::ofstream(folder.path / "notes.txt") << "mine\n";
  const std::vector<RunResult> results{test::sample(), test::faster_sample()};
  write_comparison(folder.path, results, {}, Overwrite::allow);
  std::set<std::string> expected = run_files;
  expected.erase("result.json");
  expected.insert({"comparison.json", "notes.txt"});
  CHECK(names_in(folder.path) == expected);
}

TEST_CASE("a folder that cannot be made is an input/output error", "[report]") {
  const TemporaryFolder folder;
  fs::create_directories(folder.path);
  std::ofstream(folder.path / "file") << "not a folder\n";
  CHECK_THROWS_AS(prepare_result_folder(folder.path / "file", Overwrite::refuse), IoError);
  CHECK_THROWS_AS(prepare_result_folder(folder.path / "file" / "x", Overwrite::allow), IoError);
}

// links.csv cannot be replaced, as if the process ended there: summary.csv is new by then, and the
// earlier result.json would say that it is its own.
TEST_CASE("where result.json is, all tables are of the same run", "[report]") {
  const TemporaryFolder folder;
  write_run(folder.path, test::sample(), {}, Overwrite::refuse);
  fs::remove(folder.path / "links.csv");
  fs::create_directories(folder.path / "links.csv" / "in the way");
  CHECK_THROWS_AS(write_run(folder.path, test::faster_sample(), {}, Overwrite::allow), IoError);
  CHECK(content(folder.path / "summary.csv").find("Switch") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path / "result.json"));
  for (const std::string& name : names_in(folder.path))
    CHECK(name.find("unfinished") == std::string::npos);
}
