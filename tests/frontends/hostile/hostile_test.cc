// Inputs at the end of the range of numbers, and without what they need: each has its right result,
// or one message and exit code.
#include <fmt/format.h>
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/memory_limit.h"
#include "tests/frontends/cli/command_under_test.h"

using namespace orrery;
using Catch::Contains;
using test::Files;
using test::Printed;

namespace {

std::string switch_of(const std::string& size, const std::string& bandwidth,
                      const std::string& latency) {
  return "platform: {topology: {levels: [{kind: switch, size: " + size +
         ", bandwidth: " + bandwidth + ", latency: " + latency + "}]}}\n";
}

const std::string small_switch = switch_of("2", "1 GB/s", "1 us");
const std::string small_tree =
    "platform: {topology: {leaf_spine: {leaves: 2, spines: 2, plugs: 2, bandwidth: 100 Gb/s, "
    "latency: 1 us}}}\n";
const std::string one_reduction = "workload: {program: [{operations: [{all_reduce: 1 MB}]}]}\n";

std::string operations(const std::string& list) {
  return "workload: {program: [{operations: [" + list + "]}]}\n";
}

Printed run(const std::string& text) {
  const Files files;
  return test::run_orrery({"run", files.write("hostile.yaml", text)});
}

// One line of standard error, and nothing on standard output.
void is_refused(const Printed& printed, int exit_code, const std::string& message) {
  INFO(printed.error);
  CHECK(printed.exit_code == exit_code);
  CHECK_THAT(printed.error, Contains(message));
  CHECK(printed.error.find("error:") == printed.error.rfind("error:"));
  CHECK(printed.out == "");
}

// The limit of this process while the object lives.
class AddressSpace {
 public:
  explicit AddressSpace(rlim_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
  }
  ~AddressSpace() { setrlimit(RLIMIT_AS, &before_); }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

 private:
  rlimit before_{};
};

// Operations in different sets of pairs of ten ranks, `left` of them at most.
void add_pairings(std::vector<int> free, const std::string& pairs, int& left, std::string& list) {
  if (free.empty() && left-- > 0)
    list += (list.empty() ? "" : ", ") + ("{all_reduce: 1 kB, over: {groups: [" + pairs + "]}}");
  for (std::size_t i = 1; i < free.size() && left > 0; ++i) {
    std::vector<int> rest = free;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    rest.erase(rest.begin());
    const std::string pair = fmt::format("\"{},{}\"", free.front(), free[i]);
    add_pairings(rest, pairs.empty() ? pair : pairs + ", " + pair, left, list);
  }
}

const std::string model =
    "workload:\n"
    "  transformer: {layers: 4, hidden: 256, heads: 8, vocabulary: 1024, sequence: 128}\n";
const std::string a100 =
    "platform: {npu: {preset: a100}, topology: {levels: [{kind: switch, size: 4, bandwidth: 1 "
    "GB/s, latency: 1 us}]}}\n";

}  // namespace

// An all-reduce of S bytes by two NPUs: each sends S/2 to reduce and S/2 to gather. Two of them put
// 2 S on each link to the switch, and 4 S on the level. S = 8,388,607 TiB = 2^63 - 2^40 B, so that
// 2 S = 18,446,741,874,686,296,064 and 4 S = 36,893,483,749,372,592,128. At 9 x 10^18 B/s
// they take 2 S / 9e18 = 2.0496 s.
TEST_CASE("bytes of a link and a level beyond 2^63", "[hostile]") {
  const Files files;
  const std::string file = files.write(
      "bytes.yaml", switch_of("2", "9e18 B/s", "1 us") +
                        operations("{all_reduce: 8388607 TiB}, {all_reduce: 8388607 TiB}"));
  const Printed json = test::run_orrery({"run", file, "--format", "json", "--all-links"});
  CHECK(json.error == "");
  REQUIRE(json.exit_code == 0);
  const auto result = nlohmann::json::parse(json.out);
  CHECK(result["levels"][0]["bytes"] == "36893483749372592128");
  CHECK(result["links"][0]["bytes"] == "18446741874686296064");
  const double seconds = 18'446'741'874'686'296'064.0 / 9e18;
  CHECK(result["bound_ps"].get<double>() == Approx(seconds * 1e12).epsilon(1e-9));
  CHECK(result["finish_ps"].get<double>() == Approx(seconds * 1e12).epsilon(1e-3));
  CHECK(result["finish_ps"].get<std::int64_t>() >= result["bound_ps"].get<std::int64_t>());
  CHECK(result["links"][0]["utilisation"].get<double>() == Approx(1).epsilon(1e-3));

  const Printed text = test::run_orrery({"run", file});
  CHECK_THAT(text.out, Contains("36893484 TB"));
  const std::string folder = files.path("out");
  CHECK(test::run_orrery({"run", file, "-o", folder, "--quiet"}).exit_code == 0);
  std::ifstream csv(folder + "/levels.csv");
  std::string header, row;
  std::getline(csv, header);
  std::getline(csv, row);
  CHECK(row == "bytes,level 0,all_reduce,36893483749372592128");
}

// Two leaves of 64 NPUs, each simulated, on the routes of a graph. One chunk of 1,024 kB is reduced
// and at the end gathered in each leaf, by rings of 63 steps each: 16,000 B take 1 us over two
// links and 640 ns at 25 GB/s. In between each NPU exchanges its 16,000 B with the other leaf, in 2
// steps of 8,000 B: 2 us over four links and, as 64 messages share the one uplink, 64 x 320 ns. In
// all 126 x 1,640 ns + 2 x 22,480 ns = 251,600 ns.
TEST_CASE("many ranks of a graph reduce in the time of their steps", "[hostile]") {
  const Files files;
  const std::string file = files.write(
      "many.yaml",
      "platform: {topology: {leaf_spine: {leaves: 2, spines: 1, plugs: 64, bandwidth: 200 Gb/s, "
      "latency: 0.5 us}}}\n"
      "system: {injection_latency: 0 s, local_injection_latency: 0 s, algorithms: ring, chunks: "
      "1}\n" +
          operations("{all_reduce: 1024 kB}"));
  const Printed printed = test::run_orrery({"run", file, "--format", "json", "--quiet"});
  REQUIRE(printed.exit_code == 0);
  CHECK(nlohmann::json::parse(printed.out)["finish_ps"] == 251'600'000);
}

TEST_CASE("a time in a file is at most 11 days", "[hostile]") {
  const std::string too_long = "is too long: a time in a file is at most 1000000 s (11 days)";
  is_refused(run(switch_of("2", "1 GB/s", "9e6 s") + one_reduction), 2,
             "platform.topology.levels[0].latency: \"9e6 s\" " + too_long);
  is_refused(run(small_switch + "system: {endpoint: {gap: 9.2e6 s}}\n" + one_reduction), 2,
             "system.endpoint.gap: \"9.2e6 s\" " + too_long);
  is_refused(run(small_tree +
                 "network: {faults: [{at: 9223372036854775807 ps, link: leaf0 - spine0, state: "
                 "down}]}\n" +
                 one_reduction),
             2, "network.faults[0].at: \"9223372036854775807 ps\" " + too_long);
  is_refused(run(small_tree + "network: {transport: {minimum_rto: 9.2e6 s}}\n" + one_reduction), 2,
             "network.transport.minimum_rto: \"9.2e6 s\" " + too_long);
  is_refused(run(small_switch + operations("{compute: 1e30 s}")), 2, too_long);
}

TEST_CASE("the longest times that a file may have add up, or reach the end of the clock",
          "[hostile]") {
  // Two steps over two links each: 4 x 10^6 s, and 2 x 0.5 MB at 1 GB/s = 1 ms.
  const std::string far = switch_of("2", "1 GB/s", "1e6 s") +
                          "system: {injection_latency: 0 s, algorithms: ring, chunks: 1}\n";
  const Printed once = run(far + one_reduction);
  CHECK(once.exit_code == 0);
  CHECK_THAT(once.out, Contains("4000000 s"));
  is_refused(
      run(far + "workload: {iterations: 3, program: [{operations: [{all_reduce: 1 MB}]}]}\n"), 1,
      "the simulated time goes beyond 106 days (2^63 ps)");
  // A fault after the end of the run changes nothing.
  const Printed late =
      run(small_tree + "network: {faults: [{at: 1e6 s, link: leaf0 - spine0, state: down}]}\n" +
          one_reduction);
  CHECK(late.exit_code == 0);
}

TEST_CASE("what takes longer than the clock has says what and why", "[hostile]") {
  // 48 MiB of 64 leave each of 4 NPUs: 5 x 10^7 s at 1 B/s.
  is_refused(run(switch_of("4", "8 b/s", "1 us") + "system: {algorithms: auto}\n" +
                 operations("{all_gather: 64 MiB}")),
             1, "50.33 MB at 1 B/s take longer than 106 days");
  is_refused(run(switch_of("4", "8 b/s", "1 us") + operations("{all_reduce: 100 MB}")), 1,
             "the slowest rates: 1 B/s of platform.topology.levels[0]");
  // 100 ms x 10^9 = 10^8 s.
  is_refused(run("platform: {npu: {stragglers: [{ranks: 0, slowdown: 1e9}]}, topology: {levels: "
                 "[{kind: switch, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}}\n" +
                 operations("{compute: 100 ms}, {all_reduce: 1 MB}")),
             1,
             "an operation of rank 0 takes 100 ms, times 1e+09 because of platform.npu.jitter or "
             "platform.npu.stragglers: longer than 106 days");
  is_refused(run("platform: {npu: {peak: 1 FLOP/s}, topology: {levels: [{kind: switch, size: 2, "
                 "bandwidth: 1 GB/s, latency: 1 us}]}}\n" +
                 model + "  training: {global_batch: 16}\n"),
             1, ", 1 FLOP/s of platform.npu.peak");
}

TEST_CASE("on every backend", "[hostile]") {
  for (const std::string backend : {"analytical", "fluid", "queue", "credit"}) {
    INFO(backend);
    is_refused(run(switch_of("4", "8 b/s", "1 us") + "network: {backend: " + backend + "}\n" +
                   operations("{all_reduce: 100 MB}")),
               1, "106 days");
  }
}

TEST_CASE("a file in HPCC's format with a delay, or a size, beyond the range", "[hostile]") {
  const Files files;
  files.write("delay.txt", "2 0 1\n0 1 8Gbps 5e6s 0\n");
  files.write("huge.txt", "67108864 0 1\n0 1 1Gbps 1us 0\n");
  files.write("pieces.txt", "10000000 0 1\n0 1 1Gbps 1us 0\n");
  const auto with = [&](const std::string& name) {
    return test::run_orrery({"run", files.write("hpcc.yaml", "platform: {topology: {hpcc: " + name +
                                                                 "}}\n" + one_reduction)});
  };
  is_refused(with("delay.txt"), 2,
             "delay.txt:2:1: error: a delay of 5000000 s: it must be at most 1000000 s");
  is_refused(with("huge.txt"), 2,
             "huge.txt:1:1: error: 67108864 hosts: there may be 16777216 at most");
  is_refused(with("pieces.txt"), 2,
             "pieces.txt:1:1: error: 10000000 nodes and 1 links: some node has no link");
}

// The line of each key is 1 below that of the platform, where it is not of the platform itself.
TEST_CASE("a folder in the place of a file: the message has file, line and key", "[hostile]") {
  const Files files;
  std::filesystem::create_directory(files.path("folder"));
  std::filesystem::create_directory(files.path("folder.xml"));
  std::filesystem::create_directory(files.path("folder.yaml"));
  const auto refused = [&](const std::string& text, const std::string& place) {
    is_refused(test::run_orrery({"run", files.write("job.yaml", text)}), 2,
               "job.yaml:" + place + ": cannot read ");
  };
  refused("platform: {topology: {hpcc: folder}}\n" + one_reduction,
          "1:29: error: platform.topology.hpcc");
  refused(small_tree + "network: {backend: queue, routing: {routes: folder}}\n" + one_reduction,
          "2:45: error: network.routing.routes");
  refused(a100 + "system: {all_reduce: {custom: folder.xml}}\n" + one_reduction,
          "2:31: error: system.all_reduce.custom");
  refused(a100 + operations("{all_to_allv: {csv: folder}}"),
          "2:56: error: workload.program[0].operations[0].all_to_allv.csv");
  refused(a100 + "workload: {transformer: {file: folder}, training: {global_batch: 4}}\n",
          "2:32: error: workload.transformer.file");
  refused(
      "platform: {npu: {preset: h100, efficiency: {preset: folder.yaml}}, topology: {levels: "
      "[{kind: "
      "ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}]}}\n" +
          one_reduction,
      "1:53: error: platform.npu.efficiency.preset");
  is_refused(test::run_orrery({"sweep", files.write("sweep.yaml", "experiments: [folder]\n"), "-o",
                               files.path("out")}),
             2, "sweep.yaml:1:15: error: experiments: cannot read ");
}

TEST_CASE("training is checked against a model without mistakes only", "[hostile]") {
  is_refused(run(a100 + "workload:\n"
                        "  transformer: {layers: 4, hidden: 256, heads: eight, vocabulary: 1024, "
                        "sequence: 128}\n"
                        "  training: {tensor: 2, global_batch: 8}\n"),
             2, "workload.transformer.heads: \"eight\" is not a whole number");
  is_refused(run(a100 + "workload:\n"
                        "  transformer: {layers: 4, hidden: 256, vocabulary: 1024, sequence: 128}\n"
                        "  training: {tensor: 2, global_batch: 8}\n"),
             2, "workload.transformer: the key \"heads\" is missing");

  const Files files;
  const auto with_config = [&](const std::string& heads) {
    files.write("config.json",
                "{\"model_type\": \"llama\", \"num_hidden_layers\": 2, \"hidden_size\": 256," +
                    heads +
                    " \"intermediate_size\": 512, \"vocab_size\": 1000, "
                    "\"max_position_embeddings\": 128}");
    return test::run_orrery(
        {"run",
         files.write("hf.yaml", a100 + "workload: {transformer: {file: config.json}, training: "
                                       "{global_batch: 8, tensor: 2}}\n")});
  };
  is_refused(with_config(""), 2,
             "workload.transformer: the key \"num_attention_heads\" is missing");
  is_refused(with_config("\"num_attention_heads\": \"eight\","), 2,
             "workload.transformer.heads: \"eight\" is not a whole number");
  is_refused(with_config("\"num_attention_heads\": 0,"), 2,
             "workload.transformer.heads: \"0\" is out of range");
  CHECK(with_config("\"num_attention_heads\": 8,").exit_code == 0);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need address space
// With 3 GB of address space. 16,777,216 NPUs with two links each need 3.5 GB: 100 B for an NPU,
// and 56 B for a link.
TEST_CASE("what cannot fit into memory is refused with an estimate", "[hostile]") {
  const Files files;
  const std::string file = files.write("huge.yaml", small_switch + one_reduction);
  const std::string training = files.write("training.yaml", a100 + model +
                                                                "  training: {global_batch: "
                                                                "4294967296}\n");
  const AddressSpace limit(3'000'000'000);
  CHECK(memory_limit() <= 3'000'000'000);
  for (const char* command : {"validate", "run"})
    is_refused(
        test::run_orrery({command, file, "--set", "platform.topology.levels.0.size=16777216"}), 2,
        "16777216 NPUs with 33554432 links need at least");
  // 4,294,967,296 samples by 4 replicas: 1,073,741,824 micro-batches of 4 layers.
  is_refused(test::run_orrery({"validate", training}), 2,
             "workload.training.global_batch: 1073741824 micro-batches of 4 layers need at least");
  is_refused(test::run_orrery({"validate", file, "--set", "workload.iterations=2147483647"}), 2,
             "workload.iterations: the operations of 2147483647 iterations need at least");
}
#endif

// All ranks are a communicator too.
TEST_CASE("more sets of groups than there are numbers for", "[hostile]") {
  for (const int sets : {254, 255}) {
    int left = sets;
    std::string list;
    add_pairings({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, "", left, list);
    const Printed printed = run(switch_of("10", "1 GB/s", "1 us") + operations(list));
    if (sets == 254)
      CHECK(printed.exit_code == 0);
    else
      is_refused(printed, 1, "the job has 256 communicators");
  }
}

TEST_CASE("a sweep of more points than anyone can want", "[hostile]") {
  const Files files;
  std::string list = "0";
  for (int i = 1; i < 400; ++i) list += ", " + std::to_string(i);
  files.write("base.yaml", small_switch + one_reduction);
  const std::string sweep =
      files.write("sweep.yaml", "experiments: base.yaml\nvary:\n  - seed: [" + list +
                                    "]\n  - system.chunks: [" + list +
                                    "]\n  - system.queue_limit: [" + list + "]\n");
  is_refused(test::run_orrery({"sweep", sweep, "-o", files.path("out")}), 2,
             "vary: the grid has 64000000 points: a sweep has at most 1000000");
}

TEST_CASE("a number that 64 bits do not hold is compared with what the key allows", "[hostile]") {
  const std::string layers =
      "workload:\n"
      "  transformer: {layers: -99999999999999999999, hidden: 256, heads: 8, vocabulary: 1024, "
      "sequence: 128}\n"
      "  training: {global_batch: 8}\n";
  is_refused(run(a100 + layers), 2, "is out of range: it must be from 1 to 4294967296");
}
