// `orrery astra` and `orrery import astra` as a user calls them.
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

// 1 MiB over a ring of 8 NPUs, as in ASTRA-sim's regression.
class SetUp {
 public:
  explicit SetUp(const std::string& nodes = R"({"Id": 1, "NodeType": 7, "comm_type": 0,
                                                "comm_size": 1048576})") {
    files.write("network.yml",
                "topology: [ Ring ]\nnpus_count: [ 8 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n");
    files.write("system.json", R"({"scheduling-policy": "LIFO", "endpoint-delay": 10,
      "preferred-dataset-splits": 4, "all-reduce-implementation": ["ring"],
      "collective-optimization": "localBWAware", "local-mem-bw": 50, "boost-mode": 0})");
    files.write("memory.json", R"({"memory-type": "NO_MEMORY_EXPANSION"})");
    for (int npu = 0; npu < 8; ++npu)
      files.write("step." + std::to_string(npu) + ".et", R"({"workload_graph": [)" + nodes + "]}");
  }

  Printed run(std::vector<std::string> command, const std::vector<std::string>& more = {}) const {
    command.push_back("--workload-configuration=" + files.path("step"));
    command.push_back("--system-configuration=" + files.path("system.json"));
    command.push_back("--network-configuration=" + files.path("network.yml"));
    command.push_back("--remote-memory-configuration=" + files.path("memory.json"));
    command.insert(command.end(), more.begin(), more.end());
    return run_orrery(command);
  }

  Files files;
};

// 117,780 ns, see emulation_test.cc. Our own model has the same parts, but whole picoseconds: a
// message takes 500 + 610.352 ns, adding 32768 B at 50/3 GB/s 1966.08 ns, so a chunk
// 7 x (1110.352 + 1966.08 + 10) + 7 x (1110.352 + 10) = 29,447.488 (our endpoint has no delay of a
// phase), and four 117,790 ns in whole ns.
TEST_CASE("a set-up of ASTRA-sim runs unchanged") {
  const SetUp set_up;
  const Printed printed = set_up.run({"astra"});
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.out, Contains("sys[7] finished, 117790 cycles, exposed communication 117790 "
                                   "cycles.\n"));
  CHECK_THAT(printed.out, Contains("finish       117.8 us"));
  CHECK_THAT(printed.error, Contains("ignored: boost-mode"));
  const Printed compatible = set_up.run({"astra"}, {"--compat", "astra-sim"});
  CHECK(compatible.exit_code == 0);
  CHECK_THAT(compatible.out, Contains("sys[0] finished, 117780 cycles"));
  CHECK_THAT(compatible.out, Contains("without reductions       62.76 us          -55.02 us\n"));
  CHECK(set_up.run({"astra"}, {"--format", "json"}).out.starts_with("{"));
}

// Ranks of one half compute 1 us, those of the other 2 us: two classes of four are simulated.
TEST_CASE("every rank of a folded set-up has the line of its class") {
  const SetUp set_up;
  set_up.files.write("network.yml",
                     "topology: [ Ring, Switch ]\nnpus_count: [ 4, 2 ]\nbandwidth: [ 50.0, 50.0 ]\n"
                     "latency: [ 500.0, 500.0 ]\n");
  set_up.files.write("system.json", R"({"scheduling-policy": "LIFO", "endpoint-delay": 10,
      "preferred-dataset-splits": 1, "all-reduce-implementation": ["ring", "ring"]})");
  for (int npu = 0; npu < 8; ++npu)
    set_up.files.write("step." + std::to_string(npu) + ".et",
                       R"({"workload_graph": [{"Id": 1, "NodeType": 4, "runtime": )" +
                           std::string(npu < 4 ? "1" : "2") + "}]}");
  const Printed printed = set_up.run({"astra"});
  INFO(printed.out << printed.error);
  REQUIRE(printed.exit_code == 0);
  for (int npu = 0; npu < 8; ++npu)
    CHECK_THAT(printed.out, Contains("sys[" + std::to_string(npu) + "] finished, " +
                                     (npu < 4 ? "1000" : "2000") + " cycles, exposed"));
}

TEST_CASE("flags of ASTRA-sim without an effect are named") {
  const Printed printed = SetUp().run(
      {"astra"}, {"--comm-scale=2", "--compute-scale=2", "--logging-configuration=log.toml",
                  "--logging-folder=log", "--comm-group-configuration=empty"});
  CHECK(printed.exit_code == 0);
  for (const char* flag :
       {"--comm-scale", "--compute-scale", "--logging-configuration", "--logging-folder"})
    CHECK_THAT(printed.error, Contains(std::string(flag) + " changes nothing"));
  CHECK(SetUp().run({"astra"}, {"--unheard-of=1"}).exit_code == 2);
}

TEST_CASE("what an experiment made of ASTRA-sim's files says runs") {
  const SetUp set_up;
  const Printed imported = set_up.run({"import", "astra"});
  CHECK(imported.exit_code == 0);
  const Printed printed = run_orrery({"run", set_up.files.write("mine.yaml", imported.out)});
  CHECK(printed.exit_code == 0);
  CHECK_THAT(printed.out, Contains("finish       117.8 us"));
}

TEST_CASE("mistakes in ASTRA-sim's files are the user's") {
  const SetUp set_up;
  const auto error_of = [&](const std::vector<std::string>& more) {
    const Printed printed = set_up.run({"astra"}, more);
    CHECK(printed.exit_code == 2);
    return printed.error;
  };
  CHECK_THAT(error_of({"--rendezvous-protocol=true"}), Contains("is not modelled"));
  set_up.files.write("network.yml",
                     "topology: [ Ring ]\nnpus_count: [ 16 ]\nbandwidth: [ 50 ]\n"
                     "latency: [ 500 ]\n");
  CHECK_THAT(error_of({}), Contains("step.8.et is not there"));
  set_up.files.write("network.yml",
                     "topology: [ Torus ]\nnpus_count: [ 8 ]\nbandwidth: [ 50 ]\nlatency: [ 1 ]\n");
  CHECK_THAT(error_of({}), Contains("network.yml:1"));
}

TEST_CASE("files of a custom collective lie beside the system's file") {
  const SetUp set_up;
  set_up.files.write("system.json", R"({"scheduling-policy": "LIFO", "preferred-dataset-splits": 1,
      "collective-optimization": "baseline", "local-mem-bw": 50,
      "all-reduce-implementation-custom": ["mine"]})");
  const Printed missing = set_up.run({"astra"});
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.error, Contains("system.json") &&
                                Contains("all-reduce-implementation-custom") &&
                                Contains("mine.0.et is neither beside this file nor in the"));
  set_up.files.write("mine.0.et", "{}");
  CHECK_THAT(set_up.run({"import", "astra"}).out, Contains(set_up.files.path("mine.et")));
}

TEST_CASE("an all-to-all round a ring has the steps that ASTRA-sim takes as a row") {
  const SetUp set_up(R"({"Id": 1, "NodeType": 7, "comm_type": 6, "comm_size": 1048576})");
  set_up.files.write("system.json", R"({"scheduling-policy": "LIFO", "preferred-dataset-splits": 1,
      "collective-optimization": "baseline", "local-mem-bw": 50, "endpoint-delay": 10,
      "all-to-all-implementation": ["ring"]})");
  const Printed printed = set_up.run({"astra"}, {"--compat", "astra-sim"});
  INFO(printed.error);
  // emulation_test.cc has both by hand: 82,638 and 71,936 ns.
  CHECK_THAT(printed.out, Contains("ASTRA-sim                82.64 us\n"));
  CHECK_THAT(printed.out, Contains("with rings of n-1 steps  71.94 us"));
  CHECK_THAT(printed.out, Contains("takes n(n-1)/2 steps") && !Contains("all dimensions of a way"));
}

TEST_CASE("an NPU that never ends in ASTRA-sim is named") {
  SetUp set_up(R"({"Id": 1, "NodeType": 4, "runtime": 1})");
  set_up.files.write("step.1.et", R"({"workload_graph": [{"Id": 1, "NodeType": 5, "comm_dst": 0,
    "comm_tag": 1, "comm_size": 100}]})");
  set_up.files.write("step.0.et", R"({"workload_graph": [{"Id": 1, "NodeType": 6, "comm_src": 1,
    "comm_tag": 1, "comm_size": 200}]})");
  const Printed printed = set_up.run({"astra"}, {"--compat", "astra-sim"});
  CHECK_THAT(printed.error, Contains("sys[0] does not finish in ASTRA-sim"));
}

}  // namespace
}  // namespace orrery
