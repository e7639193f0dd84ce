// The commands as a user calls them, without a process around them.
#include "frontends/cli/command_line.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "core/base/text_file.h"
#include "tests/frontends/cli/command_under_test.h"

using namespace orrery;
using Catch::Contains;
using Catch::StartsWith;
using test::Files;
using test::Printed;
namespace fs = std::filesystem;

namespace {

const std::string platform = R"(platform:
  topology:
    levels:
      - {name: fabric, kind: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}
)";

// A ring of 4 with one chunk and no injection latency: 2*3 steps of (1 us + 1 kB / 1 GB/s = 1 us)
// each are 12 us; 5 us of compute before it.
const std::string ring_job = R"(system:
  injection_latency: 0 us
  chunks: 1
  algorithms: ring
workload:
  program:
    - operations:
        - {compute: 5 us, name: work}
        - {all_reduce: 4 kB, name: sum}
)";

const std::string stuck_job = R"(workload:
  program:
    - ranks: 1
      operations:
        - {receive: 1 kB, from: 0, name: never}
)";

std::string named(const std::string& name, const std::string& job) {
  return "name: " + name + "\n" + platform + job;
}

}  // namespace

TEST_CASE("run prints the report on standard output", "[cli]") {
  const Files files;
  const Printed run = test::run_orrery({"run", files.write("ring.yaml", named("ring", ring_job))});
  CHECK(run.error == "");
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out, StartsWith("ring on the analytical backend: 4 ranks, 1 iteration, seed 1\n"));
  CHECK_THAT(run.out, Contains("finish       17 us"));
}

TEST_CASE("run --format json is one object", "[cli]") {
  const Files files;
  const Printed run = test::run_orrery(
      {"run", files.write("ring.yaml", named("ring", ring_job)), "--format", "json"});
  REQUIRE(run.exit_code == 0);
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["finish_ps"] == 17'000'000);
  CHECK(json["compute_ps"] == 5'000'000);
  CHECK(json["exposed_ps"] == 12'000'000);
}

TEST_CASE("--set and --seed override the file", "[cli]") {
  const Files files;
  const Printed run = test::run_orrery({"run", files.write("ring.yaml", named("ring", ring_job)),
                                        "--set", "workload.iterations=2", "--set", "name=twice",
                                        "--seed", "42", "--format", "json"});
  REQUIRE(run.error == "");
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["name"] == "twice");
  CHECK(json["finish_ps"] == 34'000'000);
  CHECK(json["iterations"] == 2);
  CHECK(json["iteration_ps"] == 17'000'000);
  CHECK(json["seed"] == 42);
}

TEST_CASE("-o leaves files and does not overwrite them", "[cli]") {
  const Files files;
  const std::string file = files.write("ring.yaml", named("ring", ring_job));
  const std::string folder = files.path("out");
  CHECK(test::run_orrery({"run", file, "-o", folder}).exit_code == 0);
  CHECK(fs::exists(folder + "/result.json"));
  const Printed again = test::run_orrery({"run", file, "-o", folder});
  CHECK(again.exit_code == 3);
  CHECK(again.out == "");
  CHECK_THAT(again.error, Contains("already holds a result") && Contains("--force"));
  CHECK(test::run_orrery({"compare", file, file, "-o", folder, "--force"}).exit_code == 0);
  CHECK(fs::exists(folder + "/comparison.json"));
}

// 4 ranks: one compute, one collective and one exposed span each; 4 * 6 messages of 1 kB.
TEST_CASE("--spans writes a line per span, and per message if asked", "[cli]") {
  const Files files;
  const std::string job = files.write("ring.yaml", named("ring", ring_job));
  const auto lines = [](const std::string& path, const std::string& kind) {
    std::ifstream stream(path);
    int count = 0;
    for (std::string line; std::getline(stream, line);)
      if (line.find("," + kind + ",") != std::string::npos) ++count;
    return count;
  };
  const std::string few = files.path("few.csv"), all = files.path("all.csv");
  CHECK(test::run_orrery({"run", job, "--spans", few}).exit_code == 0);
  CHECK(lines(few, "compute") == 4);
  CHECK(lines(few, "collective") == 4);
  CHECK(lines(few, "exposed") == 4);
  CHECK(lines(few, "message") == 0);
  CHECK(test::run_orrery({"run", job, "--spans", all, "--message-spans"}).exit_code == 0);
  CHECK(lines(all, "message") == 24);
  CHECK(test::run_orrery({"run", job, "--spans", all}).exit_code == 3);
  CHECK(test::run_orrery({"run", job, "--spans", all, "--force"}).exit_code == 0);
  CHECK(test::run_orrery({"run", job, "--message-spans"}).exit_code == 2);
}

// 9e17 B at 1 GB/s are 9e8 s; the clock ends at 9.2e6 s.
TEST_CASE("a job beyond the end of the clock is refused, not wrapped round", "[cli]") {
  const Files files;
  const Printed run =
      test::run_orrery({"run", files.write("long.yaml", named("ring", ring_job)), "--set",
                        "workload.program=[{operations: [{all_reduce: 900000 TB}]}]"});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.error, Contains("at 1 GB/s take longer than 106 days"));
  const Printed twice = test::run_orrery(
      {"run", files.write("twice.yaml", named("ring", ring_job)), "--set",
       "workload={iterations: 10, program: [{operations: [{compute: 1000000 s}]}]}"});
  CHECK(twice.exit_code == 1);
  CHECK_THAT(twice.error, Contains("the simulated time goes beyond 106 days"));
}

// On a ring of 4, rank 0's direct sends to 1, 2 and 3: 1 GB each up to 1 and on to 2, so the link 0
// -> 1 carries 2 pieces, 1 -> 2 those of 0 and 1; the model lets them pass each other.
TEST_CASE("a link that carries more than it can is named in a notice", "[cli]") {
  const Files files;
  const Printed run =
      test::run_orrery({"run", files.write("ring.yaml", named("ring", ring_job)), "--set",
                        "platform.topology.levels.0.size=64", "--set", "system.algorithms=direct",
                        "--set", "workload.program=[{operations: [{all_to_all: 64 MB}]}]", "--set",
                        "network.backend=analytical"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.error, Contains("does not model contention inside the fabric"));
}

TEST_CASE("a job that ends with a message nobody received exits 1", "[cli]") {
  const Files files;
  const Printed run =
      test::run_orrery({"run", files.write("ring.yaml", named("ring", ring_job)), "--set",
                        "workload.program=[{ranks: 0, operations: [{send: 1 kB, to: 1, tag: 3}]}]",
                        "--quiet", "--format", "json"});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.error, Contains("1 message from rank 0 to rank 1 with tag 3 never received"));
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["partial"] == false);
  CHECK(json["unreceived"].size() == 1);
}

// Rank 0 waits for its send, rank 1 for its receive, both named x: two rows, each under its own
// name.
TEST_CASE("exposed time is booked to what was waited for", "[cli]") {
  const Files files;
  const Printed run =
      test::run_orrery({"run", files.write("ring.yaml", named("ring", ring_job)), "--set",
                        "workload.program=[{ranks: 0, operations: [{name: x, send: 10 MB, to: "
                        "1}, {compute: 1 ms}]}, {ranks: 1, operations: [{name: x, receive: "
                        "10 MB, from: 0}]}]",
                        "--format", "json"});
  const auto result = nlohmann::json::parse(run.out);
  CHECK(result["exposed_by"].contains("send"));
  CHECK_FALSE(result["exposed_by"].contains("receive"));
}

TEST_CASE("a collective's priority is a word or a number", "[cli]") {
  const Files files;
  const std::string job = files.write("ring.yaml", named("ring", ring_job));
  const auto run = [&](const std::string& priority) {
    return test::run_orrery(
        {"run", job, "--set", "system.scheduling=priority", "--set",
         "workload.program=[{operations: [{all_reduce: 4 kB, priority: " + priority + "}]}]"});
  };
  for (const char* priority : {"normal", "highest", "7", "-3"}) CHECK(run(priority).exit_code == 0);
  CHECK(run("urgent").exit_code == 2);
  CHECK_THAT(run("urgent").error, Contains("write normal, highest or a whole number"));
}

TEST_CASE("compare keeps the order of the files and tells equal names apart", "[cli]") {
  const Files files;
  const std::string slow = files.write("slow.yaml", named("same", ring_job));
  const std::string fast = files.write("fast.yaml", named("other", ring_job));
  const Printed compared = test::run_orrery({"compare", slow, fast, slow, "--format", "json"});
  REQUIRE(compared.exit_code == 0);
  const auto systems = nlohmann::json::parse(compared.out)["systems"];
  REQUIRE(systems.size() == 3);
  CHECK(systems[0]["name"] == "same");
  CHECK(systems[1]["name"] == "other");
  CHECK(systems[2]["name"] == "same (2)");
  CHECK(systems[0]["ratio_to_fastest"] == 1.0);
}

TEST_CASE("compare --predict says why it predicts nothing", "[cli]") {
  const Files files;
  const std::string file = files.write("ring.yaml", named("ring", ring_job));
  const Printed compared = test::run_orrery({"compare", file, file, "--predict"});
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.error, Contains("nothing is predicted: it is for data-parallel training"));
}

TEST_CASE("a stuck job says who waits for whom, and exits 1 with its partial result", "[cli]") {
  const Files files;
  const std::string file = files.write("stuck.yaml", named("stuck", stuck_job));
  const Printed run = test::run_orrery({"run", file, "-o", files.path("out"), "--format", "json"});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.error, Contains("rank 1") && Contains("never"));
  CHECK(nlohmann::json::parse(run.out)["partial"] == true);
  CHECK(nlohmann::json::parse(std::ifstream(files.path("out/result.json")))["partial"] == true);
}

TEST_CASE("Ctrl-C ends a simulation with its partial result, and exits 130", "[cli]") {
  const Files files;
  // Minutes of work: 1000 iterations of 2*3 steps of 10,000 chunks.
  const std::string file = files.write("long.yaml", named("long", ring_job));
  struct sigaction before {};  // Catch2's
  sigaction(SIGINT, nullptr, &before);
  std::thread user([before] {  // who waits until the command listens, and has begun to simulate
    struct sigaction now {};
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      sigaction(SIGINT, nullptr, &now);
    } while (now.sa_handler == before.sa_handler);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::raise(SIGINT);
  });
  const Printed run =
      test::run_orrery({"run", file, "-o", files.path("out"), "--format", "json", "--set",
                        "system.chunks=10000", "--set", "workload.iterations=1000", "--set",
                        "workload.program[0].operations[1].all_reduce=1 GB"});
  user.join();
  CHECK(run.exit_code == 130);
  CHECK_THAT(run.error, Contains("interrupted: "));
  const auto json = nlohmann::json::parse(run.out);
  CHECK(json["partial"] == true);
  CHECK(json["partial_reason"] == "interrupted");
  CHECK(nlohmann::json::parse(std::ifstream(files.path("out/result.json")))["partial"] == true);
}

TEST_CASE("compare reports what it can and exits with the worst code", "[cli]") {
  const Files files;
  const Printed compared =
      test::run_orrery({"compare", files.write("ring.yaml", named("ring", ring_job)),
                        files.write("stuck.yaml", named("stuck", stuck_job))});
  CHECK(compared.exit_code == 1);
  CHECK_THAT(compared.out, Contains("PARTIAL RESULT of stuck"));
  CHECK_THAT(compared.error, StartsWith("stuck: error: "));
}

TEST_CASE("wrong files are reported all at once, and nothing is simulated", "[cli]") {
  const Files files;
  const std::string one = files.write("one.yaml", "name: one\n");
  const std::string two = files.write("two.yaml", named("two", ring_job) + "sytem: {}\n");
  for (const char* command : {"compare", "validate"}) {
    const Printed printed = test::run_orrery({command, one, two});
    CHECK(printed.exit_code == 2);
    CHECK(printed.out == "");
    CHECK_THAT(printed.error, Contains("one.yaml:1:1: error: ") && Contains("two.yaml:") &&
                                  Contains("did you mean \"system\"?"));
  }
}

TEST_CASE("a file that is not there is an input/output error", "[cli]") {
  const Printed run = test::run_orrery({"run", "/nowhere/x.yaml"});
  CHECK(run.exit_code == 3);
  CHECK_THAT(run.error, Contains("/nowhere/x.yaml"));
  CHECK(test::run_orrery({"validate", "/nowhere/x.yaml"}).exit_code == 3);
}

TEST_CASE("wrong usage exits 2 and prints nothing on standard output", "[cli]") {
  for (const auto& arguments : {std::initializer_list<std::string>{},
                                {"rum", "x.yaml"},
                                {"run"},
                                {"run", "a", "b"},
                                {"run", "x.yaml", "--format", "xml"},
                                {"run", "x.yaml", "--wrong"},
                                {"list", "nothing"}}) {
    const Printed printed = test::run_orrery(arguments);
    CAPTURE(printed.error);
    CHECK(printed.exit_code == 2);
    CHECK(printed.out == "");
    CHECK(printed.error != "");
  }
  CHECK_THAT(test::run_orrery({"rum", "x.yaml"}).error, Contains("did you mean \"run\"?"));
}

TEST_CASE("a wrong --set is a configuration error that names the option", "[cli]") {
  const Files files;
  const Printed run = test::run_orrery(
      {"run", files.write("ring.yaml", named("ring", ring_job)), "--set", "system.chunks=many"});
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.error, Contains("--set system.chunks=many") && Contains("system.chunks"));
  CHECK(test::run_orrery({"run", files.path("ring.yaml"), "--seed", "-1"}).exit_code == 2);
}

TEST_CASE("what a backend ignores is in the head of the report, also when quiet", "[cli]") {
  const Files files;
  const std::string file =
      files.write("ring.yaml", named("ring", ring_job) +
                                   "network: {backend: analytical, transport: {kind: tcp}}\n");
  const Printed run = test::run_orrery({"run", file, "--quiet"});
  CHECK_THAT(run.out, Contains("\nIGNORED by the analytical backend in ring: "
                               "network.transport.kind (in packets: see below)\n") &&
                          Contains("\nIn packets (--set network.backend=packet"));
}

TEST_CASE("notices go to standard error, once, and not when quiet", "[cli]") {
  const Files files;
  const std::string file =
      files.write("ring.yaml", named("ring", ring_job) + "network: {routing: {paths: 2}}\n");
  const Printed compared = test::run_orrery({"compare", file, file});
  CHECK(compared.exit_code == 0);
  CHECK_THAT(compared.error, StartsWith("notice: network.routing.paths"));
  CHECK(compared.error.find("notice:") == compared.error.rfind("notice:"));
  CHECK(test::run_orrery({"run", file, "--quiet"}).error == "");
}

TEST_CASE("messages: how many, of which rooms, and where to", "[cli]") {
  const Files files;
  const std::string file = files.write("ring.yaml", named("ring", ring_job));
  CHECK(test::run_orrery({"run", file}).error == "");
  const Printed decided = test::run_orrery({"run", file, "-v"});
  CHECK_THAT(decided.error, StartsWith("info: simulation: ring:") && Contains(" events until "));
  CHECK(decided.error.find("debug:") == std::string::npos);
  CHECK_THAT(test::run_orrery({"run", file, "-vv"}).error, Contains("debug: simulation: at "));
  const Printed network = test::run_orrery({"run", file, "--log-level", "network=debug"});
  CHECK_THAT(network.error, StartsWith("debug: network: at ") &&
                                Contains(" of all_reduce from NPU 0 to 1, sent at "));
  CHECK(network.error.find("simulation") == std::string::npos);
  const std::string log = files.path("run.log");
  CHECK(test::run_orrery({"run", file, "--log-file", log}).error == "");
  CHECK_THAT(read_text_file(log), StartsWith("info: simulation: ring:"));
  CHECK(test::run_orrery({"run", file, "--log-file", file + "/run.log"}).exit_code == 3);
  const Printed wrong = test::run_orrery({"run", file, "--log-level", "loud,net=info"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.error, Contains("--log-level") && Contains("\"loud\""));
}

TEST_CASE("explain shows values with their origin, and what follows from them", "[cli]") {
  const Files files;
  const std::string file = files.write("ring.yaml", named("ring", ring_job));
  const Printed explained = test::run_orrery({"explain", file, "--set", "workload.iterations=3"});
  CHECK(explained.error == "");
  CHECK(explained.exit_code == 0);
  // A ring of 4: two ports of 1 GB/s; the farthest is 2 links away. All-reduce of 100 MB: 2*3/4 of
  // it leave each NPU, by the one port that the ring algorithm uses: 150 ms.
  CHECK_THAT(explained.out,
             Contains("fabric  ring  scale_out        4        2     2 GB/s") &&
                 Contains("all_reduce      baseline  ring                1      150 ms") &&
                 Contains("one iteration of rank 0, of 3") && Contains("compute         5 us"));
}

TEST_CASE("explain takes a key instead of a file", "[cli]") {
  const Printed key = test::run_orrery({"explain", "system.chunks"});
  CHECK(key.exit_code == 0);
  CHECK(
      key.out ==
      "system.chunks: parts that a collective is cut into; without it 16, or what is chosen with\n"
      "    algorithms: auto or with a protocol\n"
      "  type     whole number, at least 1\n"
      "  page     docs/models/system.md\n");
  const Printed wrong = test::run_orrery({"explain", "system.chumks"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.error, Contains("did you mean \"chunks\"?"));
  CHECK(test::run_orrery({"explain", "no-such-file.yaml"}).exit_code == 3);
}

TEST_CASE("list, schema, version and help print on standard output", "[cli]") {
  CHECK_THAT(test::run_orrery({"list"}).out, Contains("analytical") &&
                                                 Contains("double_binary_tree") &&
                                                 Contains("v100") && Contains("dlrm-hoti20"));
  CHECK_THAT(test::run_orrery({"list", "backends"}).out, !Contains("double_binary_tree"));
  CHECK(nlohmann::json::parse(test::run_orrery({"schema"}).out).is_object());
  CHECK(test::run_orrery({"version"}).out == "orrery 1.2.3 (commit abc)\n");
  CHECK(test::run_orrery({"--version"}).out == "orrery 1.2.3 (commit abc)\n");
  CHECK_THAT(test::run_orrery({"--help"}).out, Contains("Exit codes:") && Contains("compare"));
  for (const char* command : {"run", "compare", "coll", "traffic", "report", "sweep", "search",
                              "calibrate", "validate", "explain", "list", "schema"}) {
    const Printed help = test::run_orrery({command, "--help"});
    CHECK(help.exit_code == 0);
    // As CLI11 shows flags that unset a value, and ranges.
    CHECK_THAT(help.out, Contains("Example") && !Contains("{false}") && !Contains(":INT"));
  }
}

TEST_CASE("help fits a line of 100 columns", "[cli]") {
  for (const char* command :
       {"", "run", "compare", "traffic", "coll", "sweep", "batch", "search", "calibrate", "explain",
        "validate", "list", "schema", "import", "export", "report", "topo", "trace", "astra"}) {
    std::vector<std::string> arguments{"--help"};
    if (*command != 0) arguments.insert(arguments.begin(), command);
    std::istringstream lines(test::run_orrery(arguments).out);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(command, line);
      CHECK(line.size() <= 100);
    }
  }
}
