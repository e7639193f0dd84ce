// `orrery trace info` and `check`, on files that are written here.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/frontends/cli/command_under_test.h"

namespace orrery {
namespace {

using Catch::Contains;
using test::Files;
using test::Printed;
using test::run_orrery;

std::string trace(const std::string& nodes) { return "{\"workload_graph\": [" + nodes + "]}"; }

std::string send(int peer, int size) {
  return fmt::format(R"({{"Id": 1, "Name": "n", "NodeType": 5, "comm_dst": {}, "comm_size": {}}})",
                     peer, size);
}
std::string receive(int peer, int size) {
  return fmt::format(R"({{"Id": 1, "Name": "n", "NodeType": 6, "comm_src": {}, "comm_size": {}}})",
                     peer, size);
}

TEST_CASE("a rank without a file is found by the names of the others") {
  const Files files;
  const std::string first = files.write("t.0.et", trace(send(3, 8)));
  const std::string third = files.write("t.2.et", trace(""));
  const std::string fourth = files.write("t.3.et", trace(receive(0, 9)));
  const Printed printed = run_orrery({"trace", "check", fourth, first, third});
  CHECK(printed.exit_code == 2);
  // Ranks are numbered as the files say.
  CHECK(printed.out ==
        "message 1 from rank 0 to rank 3 with tag 0 is sent with 8 B and received with 9 B\n");
  CHECK_THAT(printed.error, Contains("t.1.et: error: the file of rank 1 is not there"));
}

TEST_CASE("all files that are wrong are named, and the others compared") {
  const Files files;
  std::vector<std::string> arguments = {"trace", "check"};
  const std::string damaged = R"({"Id": 1, "NodeType": 4, "data_deps": [7]})";
  for (const std::string& nodes : {send(3, 8), damaged, damaged, receive(0, 8), receive(2, 8)})
    arguments.push_back(files.write(fmt::format("t.{}.et", arguments.size() - 2), trace(nodes)));
  const Printed printed = run_orrery(arguments);
  CHECK(printed.exit_code == 2);
  CHECK(printed.out.empty());  // what ranks 1 and 2 do is not known
  CHECK_THAT(printed.error, Contains("t.1.et: error: node 1") && Contains("t.2.et: error: node 1"));
}

TEST_CASE("ranks are compared with the NPUs of a platform") {
  const Files files;
  const auto check = [&](std::size_t ranks) {
    std::vector<std::string> arguments = {"trace", "check", "--platform", "hgx-h100"};
    for (std::size_t rank = 0; rank < ranks; ++rank)
      arguments.push_back(files.write(fmt::format("t.{}.et", rank), trace("")));
    return run_orrery(arguments);
  };
  CHECK(check(8).out == "ok: 8 files, 1 distinct rank\n");
  CHECK(check(10).out == "ranks 8 to 9 are outside hgx-h100, which has 8 NPUs\n");
  CHECK(check(10).exit_code == 1);
  CHECK(check(6).out == "hgx-h100 has 8 NPUs: there is no file for ranks 6 to 7\n");
}

TEST_CASE("of files none of which can be read info tells only what is wrong, in its own options") {
  const Files files;
  const std::string sum = R"({"Id": 1, "Name": "n", "NodeType": 7, "comm_type": 0, "comm_size": 8,
                             "pg_name": "7"})";
  std::vector<std::string> arguments = {"trace", "info"};
  for (int rank = 0; rank < 4; ++rank)
    arguments.push_back(files.write(fmt::format("t.{}.et", rank), trace(sum)));
  const Printed printed = run_orrery(arguments);
  CHECK(printed.exit_code == 2);
  CHECK(printed.out.empty());
  CHECK_THAT(printed.error,
             Contains("group \"7\" is not known: give the groups in JSON: --groups"));
}

TEST_CASE("info tells of a trace that cannot run as it is") {
  const Files files;
  const std::string file =
      files.write("t.et", trace(R"({"Id": 1, "Name": "nccl", "NodeType": 7, "runtime": 30},
                       {"Id": 2, "Name": "gemm", "NodeType": 4, "runtime": 50})"));
  const Printed printed = run_orrery({"trace", "info", file});
  INFO(printed.error);
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.out, Contains("1 file of version JSON, 1 distinct rank"));
  CHECK_THAT(printed.out, Contains("of memory to simulate them"));
  CHECK_THAT(printed.out, Contains("1 collectives do not say their kind or size"));
  CHECK(run_orrery({"trace", "check", file}).exit_code == 2);
}

// One stream: a kernel of 60 us, then 20 us of communication alone, 10 us of nothing, 10 us more.
TEST_CASE("info of a profile says what the device did") {
  const Files files;
  const auto kernel = [](const char* name, int begin, int duration) {
    return fmt::format(
        R"({{"ph": "X", "cat": "kernel", "name": "{}", "tid": 7, "ts": {}, "dur": {}}})", name,
        begin, duration);
  };
  const std::string file = files.write(
      "profile.json", "{\"schemaVersion\": 1, \"traceEvents\": [" + kernel("gemm", 0, 60) + ", " +
                          kernel("ncclDevKernel_AllReduce", 60, 20) + ", " +
                          kernel("gemm", 90, 10) + "]}");
  const Printed printed = run_orrery({"trace", "info", file});
  INFO(printed.error);
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.out, Contains("a profile of PyTorch, 3 events, 3 of them kernels"));
  CHECK_THAT(printed.out, Contains("compute   70 us   70.0 %"));
  CHECK_THAT(printed.out, Contains("exposed   20 us   20.0 %"));
  CHECK_THAT(printed.out, Contains("idle      10 us   10.0 %"));
  CHECK_THAT(run_orrery({"trace", "check", file}).error, Contains("orrery trace info"));
}

TEST_CASE("a trace of PyTorch's host is refused by name") {
  const Files files;
  const std::string file =
      files.write("host.json", R"({"schema": "1.0.2-chakra.0.0.4", "nodes": [{"id": 2}]})");
  CHECK_THAT(run_orrery({"trace", "info", file}).error, Contains("chakra_trace_link"));
}

}  // namespace
}  // namespace orrery
