#include "formats/measured/measured_times.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "tests/paths.h"

using namespace orrery;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

MeasuredTimes measured(const std::string& text, std::int64_t ranks = 2) {
  const fs::path path =
      fs::temp_directory_path() / ("orrery_measured_test." + std::to_string(getpid()));
  std::ofstream(path) << text;
  try {
    MeasuredTimes times = read_measured_times(path, "all_reduce", ranks);
    fs::remove(path);
    return times;
  } catch (...) {
    fs::remove(path);
    throw;
  }
}

MeasuredTimes sample(const std::string& file) {
  return read_measured_times(source_folder() + "/tests/formats/measured/" + file, "all_reduce", 2);
}

const MeasuredTimes two_sizes{{bytes(8), nanoseconds(29'550)},
                              {bytes(1'048'576), nanoseconds(101'900)}};

}  // namespace

TEST_CASE("the output of nccl-tests is read by its header, out of place", "[coll]") {
  CHECK(sample("nccl_tests.txt") == two_sizes);
}

TEST_CASE("columns may be more, fewer and in another order", "[coll]") {
  // nccl-tests 2.19 with per-iteration times and a time stamp, which is two words in a row.
  CHECK(sample("nccl_tests_per_iteration.txt") == two_sizes);
  CHECK(measured("# time size\n 29.55 8\n 101.9 1048576\n[0] NCCL WARN\n").size() == 2);
  CHECK(measured("# size cputime\n 8 29.55\n 1048576 101.9\n") == two_sizes);
}

TEST_CASE("CSV is read by its column names", "[coll]") {
  CHECK(measured("bytes,time_us\n8,29.55\n1048576,101.9\n") == two_sizes);
  CHECK(measured("# a comment\nsource,time_us,bytes\r\nme,29.55,8\r\n\nme,101.9,1048576\r\n") ==
        two_sizes);
}

TEST_CASE("CSV rows of other operations and groups are skipped", "[coll]") {
  const std::string rows =
      "ranks,op,bytes,time_us\n"
      "2,all_reduce (NVLS),8,29.55\n"
      "2,all_reduce,1048576,101.9\n"
      "2,all_gather,8,1\n"
      "16,all_reduce,8,2\n";
  CHECK(measured(rows) == two_sizes);
  CHECK(measured(rows, 16) == MeasuredTimes{{bytes(8), microseconds(2)}});
  CHECK_THROWS_WITH(measured(rows, 3), Contains("there is no all_reduce of 3 ranks in it") &&
                                           Contains("all_gather of ranks: 2"));
}

TEST_CASE("sizes and times that nccl-tests rounds to 0 do not count", "[coll]") {
  CHECK(measured("bytes,time_us\n0,5\n8,29.55\n16,0.00\n1048576,101.9\n") == two_sizes);
}

TEST_CASE("files that are no measurement are explained", "[coll]") {
  CHECK_THROWS_WITH(measured("hello\n"), Contains("neither the output of nccl-tests nor CSV"));
  CHECK_THROWS_WITH(measured("bytes,time_ms\n8,1\n"), Contains("columns bytes and time_us"));
  CHECK_THROWS_WITH(measured("bytes,time_us\n"), Contains("there is no measurement in it"));
  CHECK_THROWS_WITH(measured("bytes,time_us\n8,1\n8,2\n"),
                    Contains(":3: error: there are two times for 8 bytes"));
  CHECK_THROWS_WITH(measured("bytes,time_us\n8,soon\n"),
                    Contains(":2: error: \"8\" bytes in \"soon\""));
  CHECK_THROWS_WITH(measured("bytes,time_us\n8,-1\n"), Contains("write two numbers"));
  CHECK_THROWS_WITH(measured("bytes,op,time_us\n8,all_reduce\n"), Contains("the row has no time"));
  CHECK_THROWS_WITH(
      measured("#  Rank  0\n# size time\n8 29.55\n"),
      Contains("this was measured on 1 ranks, and 2 are simulated") && Contains("--ranks 1"));
  CHECK_THROWS_AS(read_measured_times("/nowhere/x.txt", "all_reduce", 2), IoError);
}

TEST_CASE("the published curves are read", "[coll]") {
  const std::string folder = source_folder() + "/tests/validation/data/";
  const auto a100 = read_measured_times(folder + "nccl_a100_8_all_reduce.csv", "all_reduce", 8);
  const auto h100 = read_measured_times(folder + "nccl_h100_8_all_reduce.csv", "all_reduce", 8);
  CHECK(a100.size() == 20);
  CHECK(h100.size() == 27);
  CHECK(h100.at(bytes(8)) == nanoseconds(13'670));
}
