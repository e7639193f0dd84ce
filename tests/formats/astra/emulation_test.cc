// What ASTRA-sim computes, to the cycle: by hand, and against its recorded results where these are.
#include "formats/astra/emulation.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/config_error.h"
#include "tests/paths.h"

namespace orrery::astra {
namespace {

using chakra::Node;
using chakra::NodeType;

chakra::RankTrace trace_of(std::vector<Node> nodes) {
  chakra::RankTrace trace;
  trace.file = "written.et";
  trace.nodes = std::move(nodes);
  for (std::size_t i = 0; i < trace.nodes.size(); ++i)
    trace.index_of[trace.nodes[i].id] = static_cast<std::int32_t>(i);
  return trace;
}

Node collective(std::uint64_t id, Collective kind, std::int64_t size) {
  constexpr std::int64_t numbers[] = {0, 2, 7, 6};  // of kinds, as Chakra counts
  return {.id = id,
          .type = NodeType::collective,
          .attributes = {{"comm_type", numbers[*index_of(kind)]}, {"comm_size", size}}};
}
Node computing(std::uint64_t id, std::int64_t microseconds_long) {
  return {.id = id, .type = NodeType::compute, .duration = microseconds(microseconds_long)};
}

// All NPUs have the same nodes.
EmulatedJob job_of(std::vector<Dimension> dimensions, const Algorithm& algorithm,
                   const std::vector<Node>& nodes) {
  EmulatedJob job;
  job.network.dimensions = std::move(dimensions);
  job.system.bandwidth_aware = true;
  job.system.memory_bandwidth = 1600;
  for (auto& algorithms : job.system.algorithms)
    algorithms.assign(job.network.dimensions.size(), algorithm);
  job.traces.assign(static_cast<std::size_t>(job.network.npus()), trace_of(nodes));
  return job;
}

// All NPUs end at one time.
std::int64_t cycles(const EmulatedJob& job) {
  const std::vector<EmulatedNpu> npus = emulate(job);
  for (const EmulatedNpu& npu : npus) {
    REQUIRE(npu.finished);
    CHECK(npu.finish == npus.front().finish);
  }
  return npus.front().finish.value / 1000;
}

const Algorithm ring{.kind = Algorithm::Kind::ring}, direct{.kind = Algorithm::Kind::direct},
    halving{.kind = Algorithm::Kind::halving_doubling};
const Dimension ring_of_8{.shape = Shape::ring, .size = 8, .bandwidth = 50, .latency = 500};

}  // namespace

// Its regression: 1 MiB over 8 NPUs in 4 chunks, one after the other. A message is 32,768 B: 500 ns
// and 32768 / (50 x 2^30 / 10^9) = 610.35 ns, in whole ns 1110. Adding is 3 x floor(32768 / 50) =
// 1965 ns. A chunk: 10 ns to begin, then 7 messages that are added and 7 that are not, with 10 ns
// each: 10 + 7 x (1110 + 10 + 1965) + 7 x (1110 + 10) = 29,445. Four of them: 117,780.
TEST_CASE("a ring all-reduce takes what ASTRA-sim's regression says") {
  EmulatedJob job = job_of({ring_of_8}, ring, {collective(0, Collective::all_reduce, 1 << 20)});
  job.system.splits = 4;
  job.system.memory_bandwidth = 50;
  CHECK(cycles(job) == 117'780);
  job.system.active_chunks = 4;  // at once: the network is never busy
  CHECK(cycles(job) == 29'445);
  Rules rules;
  rules.reductions = false;
  CHECK(emulate(job, rules)[0].finish == nanoseconds(29'445 - 7 * 1965));
}

// Two dimensions of 2: the network counts the first dimension in which two NPUs differ. NPU 0 to 3
// costs what 0 to 1 costs: 1000 B at 1 GB/s = 2^30 B/s are 931.3 ns, and 10 ns of latency.
TEST_CASE("a message goes through one dimension only") {
  EmulatedJob job = job_of({{Shape::ring, 2, 1, 10}, {Shape::ring, 2, 0.001, 10}}, ring, {});
  Node send{.id = 0, .type = NodeType::send};
  send.attributes = {{"comm_dst", std::int64_t{3}},
                     {"comm_tag", std::int64_t{1}},
                     {"comm_size", std::int64_t{1000}}};
  Node receive = send;
  receive.type = NodeType::receive;
  receive.attributes[0] = {"comm_src", std::int64_t{0}};
  job.traces[0] = trace_of({send});
  job.traces[3] = trace_of({receive});
  const std::vector<EmulatedNpu> npus = emulate(job);
  CHECK(npus[0].finish == nanoseconds(941));  // the sender waits until it is there
  CHECK(npus[3].finish == nanoseconds(941));
  CHECK(npus[1].finish == Duration{});
}

// A message that has another size at its other end never meets: ASTRA-sim ends in silence.
TEST_CASE("what never meets never finishes") {
  EmulatedJob job = job_of({{Shape::fully_connected, 2, 1, 10}}, ring, {});
  Node receive{.id = 0, .type = NodeType::receive};
  receive.attributes = {{"comm_src", std::int64_t{0}},
                        {"comm_tag", std::int64_t{1}},
                        {"comm_size", std::int64_t{1000}}};
  job.traces[1] = trace_of({receive});
  CHECK(emulate(job)[0].finished);
  CHECK_FALSE(emulate(job)[1].finished);
}

// 8 B to each of two: the chunk is enlarged to 2 B times 1 chunk... 1 B is a message of 1 B: 10 ns
// of latency; with 2 NPUs: 10 + 10 + 10 (endpoint) for each of two messages, 10 to begin.
TEST_CASE("a collective of nothing costs its latencies") {
  const EmulatedJob job = job_of({{Shape::fully_connected, 2, 50, 10}}, ring,
                                 {collective(0, Collective::all_reduce, 0)});
  CHECK(cycles(job) == 10 + 2 * (10 + 10));
}

// Computing and communication have a slot each: 2 us of computing hide the first collective, not
// the second, which waits for the first.
TEST_CASE("one communication at a time, beside computing") {
  std::vector<Node> nodes = {computing(0, 2), collective(1, Collective::all_to_all, 1600),
                             collective(2, Collective::all_to_all, 1600)};
  nodes[2].data_dependencies = {0};
  // 16 NPUs, 100 B to each: 10 + 510 + 1.86 + 10 in whole ns.
  const EmulatedJob job = job_of({{Shape::fully_connected, 16, 50, 510}}, direct, nodes);
  const std::vector<EmulatedNpu> npus = emulate(job);
  CHECK(npus[5].finish == nanoseconds(2000 + 10 + 511 + 10));
  CHECK(npus[5].exposed == nanoseconds(531));
}

// 8 NPUs, 131,072 B to each: 500 ns and 131072 / (50 x 2^30 / 10^9) = 2441.406 ns. ASTRA-sim passes
// each part on alone, 7 + 6 + ... + 1 = 28 of them: 10 + 28 x (2941 + 10). A ring that passes on
// all that is not home yet has messages of 7, 6, ..., 1 parts, in whole ns 17589, 15148, 12707,
// 10265, 7824, 5382 and 2941, with 10 each.
TEST_CASE("an all-to-all round a ring has a step for each part, or for each rank") {
  const EmulatedJob job =
      job_of({ring_of_8}, ring, {collective(0, Collective::all_to_all, 1 << 20)});
  CHECK(cycles(job) == 10 + 28 * (2'941 + 10));
  Rules rules;
  rules.parts_alone = false;
  for (const EmulatedNpu& npu : emulate(job, rules))
    CHECK(npu.finish == nanoseconds(10 + 71'856 + 7 * 10));
  using Catch::Contains;
  CHECK_THAT(told_differences(job, true), Contains("n(n-1)/2 steps") && !Contains("dimension"));
  CHECK_THAT(told_differences(job, false), !Contains("n(n-1)/2"));
}

// Halving and doubling of 4: messages of S/2, S/4, S/4, S/2. What is added: ASTRA-sim charges the
// first arrival for the message that follows it, and the second not at all.
TEST_CASE("halving and doubling is charged as ASTRA-sim charges it") {
  EmulatedJob job = job_of({{Shape::fully_connected, 4, 50, 500}}, halving,
                           {collective(0, Collective::all_reduce, 1 << 20)});
  // 524,288 B: 500 + 9765.6; 262,144 B: 500 + 4882.8; adding 3 x floor(262144 / 1600).
  CHECK(cycles(job) == 10 + 2 * (10'265 + 10) + 2 * (5'382 + 10) + 3 * 163);
}

TEST_CASE("what is not emulated is refused") {
  EmulatedJob job = job_of({{Shape::ring, 3, 50, 500}}, halving,
                           {collective(0, Collective::all_reduce, 1 << 20)});
  CHECK_THROWS_AS(emulate(job), ConfigError);
  job = job_of({ring_of_8, ring_of_8}, ring, {});
  job.shares_links = true;
  CHECK_THROWS_AS(emulate(job), ConfigError);
  job = job_of({ring_of_8}, ring, {collective(0, Collective::all_gather, 0)});
  CHECK_THROWS_AS(emulate(job), ConfigError);
}

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

// Where the public results lie that the project does not hold; "" = nowhere.
std::string recorded_results() {
  namespace fs = std::filesystem;
  for (fs::path folder = source_folder(); folder.has_relative_path(); folder = folder.parent_path())
    if (const fs::path file = folder / "shared/truth/astra_reference.csv"; fs::exists(file))
      return file.string();
  return "";
}

struct Row {
  std::string text;
  EmulatedJob job;
  std::int64_t cycles = 0;
};

// backend,topology,npus_count,collective,bytes,chunks,all_reduce_etc,all_to_all,bandwidth,latency,
// endpoint_delay,local_mem_bw,finish_max,finish_min
Row row_of(const std::string& line) {
  const std::vector<std::string> fields = split(line, ',');
  const std::vector<std::string> shapes = split(fields[1], '+'), sizes = split(fields[2], 'x');
  std::vector<Dimension> dimensions;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    dimensions.push_back({.shape = shapes[i] == "Ring"     ? Shape::ring
                                   : shapes[i] == "Switch" ? Shape::switched
                                                           : Shape::fully_connected,
                          .size = std::stoi(sizes[i]),
                          .bandwidth = std::stod(fields[8]),
                          .latency = std::stod(fields[9])});
  const Collective kind = fields[3] == "all_reduce"       ? Collective::all_reduce
                          : fields[3] == "all_gather"     ? Collective::all_gather
                          : fields[3] == "reduce_scatter" ? Collective::reduce_scatter
                                                          : Collective::all_to_all;
  REQUIRE(fields[6] == "ring");
  REQUIRE(fields[7] == "direct");
  Row row{.text = line,
          .job = job_of(dimensions, kind == Collective::all_to_all ? direct : ring,
                        {collective(0, kind, std::stoll(fields[4]))}),
          .cycles = std::stoll(fields[12])};
  row.job.shares_links = fields[0] == "congestion_aware";
  row.job.system.splits = std::stoll(fields[5]);
  row.job.system.endpoint_delay = std::stoll(fields[10]);
  row.job.system.memory_bandwidth = std::stod(fields[11]);
  return row;
}

}  // namespace

TEST_CASE("recorded results of ASTRA-sim are met to the cycle") {
  const std::string file = recorded_results();
  if (file.empty()) {
    WARN("skipped: ../shared/truth/astra_reference.csv is not there");
    return;
  }
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  int rows = 0;
  while (std::getline(in, line)) {
    const Row row = row_of(line);
    INFO(row.text);
    CHECK(cycles(row.job) == row.cycles);
    ++rows;
  }
  CHECK(rows == 91);
}

}  // namespace orrery::astra
