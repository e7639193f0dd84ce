// Chakra traces as workloads: written here, read back, run, refused; and the one public trace of a
// PyTorch job, where the samples are there.
#include "formats/chakra/trace_workload.h"

#include <fmt/format.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>

#include "core/base/config_error.h"
#include "formats/chakra/execution_trace.h"
#include "formats/chakra/rank_trace.h"
#include "formats/chakra/trace_check.h"
#include "formats/chakra/trace_dot.h"
#include "simulation/simulate.h"
#include "tests/paths.h"
#include "workload/graph/graph.h"

namespace orrery {
namespace {

using namespace chakra;

const std::string samples = "/work/shared/samples";  // data of others; tests pass without it

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string written(const std::vector<Node>& nodes) {
  const std::string path = build_folder() + "/trace_workload_test.et";
  write_trace(path, nodes);
  return file_text(path);
}

// The files of all ranks, kept as long as they are read.
struct Files {
  std::vector<std::string> texts;
  std::vector<TraceFile> all() const {
    std::vector<TraceFile> files;
    for (std::size_t rank = 0; rank < texts.size(); ++rank)
      files.push_back(
          {fmt::format("t.{}.et", rank), [&text = texts[rank]] { return bytes_of(text); }});
    return files;
  }
};

GraphWorkload read(const Files& files, const TraceSettings& settings = {},
                   const GroupRanks& groups = {}) {
  return trace_workload(settings, files.all(), groups, 1);
}

Node compute(std::uint64_t id, std::int64_t time_us, std::vector<std::uint64_t> after = {},
             std::vector<Attribute> attributes = {}) {
  return {.id = id,
          .name = fmt::format("kernel_{}", id),
          .type = NodeType::compute,
          .data_dependencies = std::move(after),
          .duration = microseconds(time_us),
          .attributes = std::move(attributes)};
}
Node collective(std::uint64_t id, std::int64_t kind, std::int64_t size,
                std::vector<std::uint64_t> after = {}, const std::string& group = "") {
  Node node{.id = id,
            .name = "collective",
            .type = NodeType::collective,
            .data_dependencies = std::move(after),
            .attributes = {{"comm_type", kind}, {"comm_size", size}}};
  if (!group.empty()) node.attributes.push_back({"pg_name", group});
  return node;
}
Node transfer(std::uint64_t id, bool sends, std::int64_t peer, std::int64_t size) {
  return {.id = id,
          .name = "transfer",
          .type = sends ? NodeType::send : NodeType::receive,
          .attributes = {{sends ? "comm_dst" : "comm_src", peer}, {"comm_size", size}}};
}

// On one switch of 25 GB/s and 1 us for each link.
RunResult run(GraphWorkload workload, bool fold = true) {
  Experiment experiment;
  experiment.name = "trace";
  experiment.topology.levels = {{"net", LevelKind::switched,
                                 static_cast<std::int32_t>(workload.graph_of_rank.size()),
                                 gigabytes_per_second(25), microseconds(1), Scope::scale_out}};
  for (CollectiveSpec& spec : experiment.system.collectives) spec.algorithms = {"ring"};
  experiment.workload.what = std::move(workload);
  SimulateOptions options;
  options.fold = fold;
  return simulate(experiment, options);
}

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const ConfigError& error) {
    const Diagnostic& diagnostic = error.diagnostics().front();
    return fmt::format("{}: {}: {}", diagnostic.file, diagnostic.what, diagnostic.remedy);
  }
  return "it was read";
}

std::string gzipped(const std::string& text) {
  const std::string path = build_folder() + "/trace_workload_test.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return file_text(path);
}

// Two kernels of one stream, 10 and 20 us, that do not depend on each other, and 5 us of the host
// before the second: 30 with streams and with two lanes, 25 with none.
TEST_CASE("streams hold kernels that have no edge between them") {
  const std::vector<Attribute> stream = {{"stream", std::int64_t{7}}};
  const std::vector<Attribute> host = {{"is_cpu_op", std::int64_t{1}}, {"tid", std::int64_t{1}}};
  const Files files{{written(
      {compute(0, 10, {}, stream), compute(1, 5, {}, host), compute(2, 20, {1}, stream)})}};
  const auto finish = [&](TraceLanes lanes) {
    TraceSettings settings;
    settings.lanes = lanes;
    settings.replicate = 2;
    return run(read(files, settings)).finish;
  };
  CHECK(finish(TraceLanes::automatic) == microseconds(30));
  CHECK(finish(TraceLanes::streams) == microseconds(30));
  CHECK(finish(TraceLanes::two) == microseconds(30));
  CHECK(finish(TraceLanes::free) == microseconds(25));
}

// The third kernel comes last in the file and first by its dependencies.
TEST_CASE("an order of the file that contradicts dependencies is refused with the way") {
  const std::vector<Attribute> stream = {{"stream", std::int64_t{7}}};
  const Files files{{written({compute(4, 10, {5}, stream), compute(5, 20, {}, stream)})}};
  CHECK(refusal([&] { read(files); }) ==
        "t.0.et: node 4 (kernel_4): the order of the file within streams contradicts dependencies: "
        "4 -> 5 -> 4: write \"lanes: two\", which does not look at streams");
  TraceSettings settings;
  settings.lanes = TraceLanes::two;
  CHECK(read(files, settings).graphs.size() == 1);
}

// Control dependencies: 1 on itself, 2 on nodes that are not there, and a cycle of nodes 0 and 1
// with the data dependency.
TEST_CASE("control dependencies with cycles are left out and counted") {
  std::vector<Node> nodes = {compute(0, 10), compute(1, 20, {0})};
  nodes[0].control_dependencies = {1, 0, 77};
  nodes[1].control_dependencies = {78};
  const Files files{{written(nodes)}};
  const GraphWorkload workload = read(files);
  REQUIRE(workload.notices.size() == 1);
  CHECK(workload.notices[0].ends_with(
      "of the control dependencies all are left out: 1 name their own node and 2 name nodes that "
      "are not there, and with data dependencies they put 2 nodes into 1 cycles"));
  TraceSettings settings;
  settings.dependencies = TraceDependencies::data;
  CHECK(read(files, settings).notices.empty());
  settings.dependencies = TraceDependencies::all;
  CHECK(refusal([&] { read(files, settings); }) ==
        "t.0.et: node 0 (kernel_0): its control dependency is the node itself: write "
        "\"dependencies: auto\"");
}

// As ASTRA-sim's text converter writes: ids count on from file to file, and id 0 is not on the
// wire. Rank 0 has ids 0, 1, 2; rank 1 has 3, 4, 5; ...
TEST_CASE("ranks whose files differ in ids only are one, and fold") {
  Files files;
  for (std::uint64_t rank = 0; rank < 32; ++rank) {
    std::vector<Node> nodes = {compute(3 * rank, 100),
                               collective(3 * rank + 1, 0, 1 << 20, {3 * rank}),
                               compute(3 * rank + 2, 50, {3 * rank + 1})};
    for (Node& node : nodes) node.name = "node";
    files.texts.push_back(written(nodes));
  }
  REQUIRE(std::set<std::string>(files.texts.begin(), files.texts.end()).size() == 32);
  const GraphWorkload workload = read(files);
  CHECK(workload.graph_of_rank == std::vector<std::int32_t>(32));
  CHECK(workload.graphs.size() == 1);
  const RunResult folded = run(workload), whole = run(workload, false);
  CHECK(folded.folded);
  CHECK_FALSE(whole.folded);
  CHECK(folded.fingerprint == whole.fingerprint);
  CHECK(folded.finish == whole.finish);
}

// Four ranks in two pairs: {0, 1} and {2, 3} under names of their own, and {0, 2}, {1, 3}. Pairs
// that cut alike are one communicator.
TEST_CASE("groups that cut the ranks alike are one communicator") {
  const GroupRanks groups = {{"1", {0, 1}}, {"2", {2, 3}}, {"3", {0, 2}}, {"4", {1, 3}}};
  Files files;
  for (int rank = 0; rank < 4; ++rank)
    files.texts.push_back(written({collective(0, 0, 1000, {}, rank < 2 ? "1" : "2"),
                                   collective(1, 2, 1000, {}, rank % 2 == 0 ? "3" : "4")}));
  const GraphWorkload workload = read(files, {}, groups);
  REQUIRE(workload.communicators.size() == 2);
  CHECK(workload.graphs.size() == 1);
  CHECK(workload.communicators[0].groups == Grouping{std::vector<Extent>{{2, 1}}});
  CHECK(workload.communicators[1].groups == Grouping{std::vector<Extent>{{2, 2}}});
  // An all-gather says what one rank gives: 1000 B of each of two.
  const auto gather = std::get<CollectiveCall>(workload.graphs[0]->operations()[1].what);
  CHECK(gather.size == bytes(2000));
  CHECK(contradictions_in(workload).empty());
  CHECK(run(workload).finish > Duration{});
}

TEST_CASE("a collective has the priority and the whole size that its node says") {
  Node gather = collective(1, 2, 3);  // of 2 ranks: 6 B, but for "buffer_size"
  gather.attributes.push_back({"comm_priority", std::int64_t{5}});
  gather.attributes.push_back({"buffer_size", std::int64_t{7}});
  const GraphWorkload workload = read({{written({gather}), written({gather})}});
  const auto call = std::get<CollectiveCall>(workload.graphs[0]->operations()[0].what);
  CHECK(static_cast<std::int32_t>(call.priority) == 5);
  CHECK(call.size == bytes(7));
}

TEST_CASE("a file may be packed, and may be JSON, whatever its name") {
  const std::string plain = written({compute(0, 10), compute(1, 20, {0})});
  const std::string json =
      R"({"workload_graph": [{"Id": 0, "Name": "kernel_0", "NodeType": 4, "runtime": 10},
          {"Id": 1, "Name": "kernel_1", "NodeType": 4, "runtime": 20, "data_deps": [0]}]})";
  for (const std::string& text : {plain, gzipped(plain), json, gzipped(json)}) {
    const GraphWorkload workload = read(Files{{text}});
    CHECK(*workload.graphs[0] == *read(Files{{plain}}).graphs[0]);
  }
}

TEST_CASE("a trace that is written as JSON is read again") {
  std::vector<Node> nodes = {compute(0, 10, {}, {{"is_cpu_op", std::int64_t{1}}}),
                             collective(1, 3, 800, {0})};
  nodes[1].control_dependencies = {0};
  nodes[0].name = "a \"name\"";
  const std::string wire = written(nodes);
  const std::string json = json_text(read_rank_trace("t.et", bytes_of(wire)));
  TraceSettings settings;
  settings.replicate = 2;
  CHECK(*read(Files{{json}}, settings).graphs[0] == *read(Files{{wire}}, settings).graphs[0]);
}

TEST_CASE("a node that has operations and no time is timed by them, and 0 is 0") {
  const Files files{
      {written({compute(0, 0, {}, {{"num_ops", std::int64_t{1000}}}),
                compute(1, 5, {}, {{"num_ops", std::int64_t{1000}}}), compute(2, 0)})}};
  const auto time_of = [&](TraceDurations durations, std::size_t node) {
    TraceSettings settings;
    settings.durations = durations;
    return std::get<Compute>(read(files, settings).graphs[0]->operations()[node].what).measured;
  };
  CHECK(time_of(TraceDurations::automatic, 0) == std::nullopt);
  CHECK(time_of(TraceDurations::automatic, 1) == microseconds(5));
  CHECK(time_of(TraceDurations::automatic, 2) == Duration{});
  CHECK(time_of(TraceDurations::recorded, 0) == Duration{});
  CHECK(time_of(TraceDurations::roofline, 1) == std::nullopt);
}

TEST_CASE("what is wrong with a trace is said with file and node") {
  const auto of = [](const std::vector<Node>& nodes, const TraceSettings& settings = {},
                     const GroupRanks& groups = {}) {
    return refusal([&] { read(Files{{written(nodes), written(nodes)}}, settings, groups); });
  };
  CHECK(of({compute(3, 1, {9})}) ==
        "t.0.et: node 3 (kernel_3): its data dependency 9 is not in the file: write the trace "
        "again, with nodes that are there");
  CHECK(of({compute(3, 1, {4}), compute(4, 1, {3})}) ==
        "t.0.et: node 3 (kernel_3): nodes wait for each other: 3 -> 4 -> 3: write the trace again, "
        "without one of these dependencies");
  CHECK(of({compute(3, 1), compute(3, 1)}) ==
        "t.0.et: node 3 (kernel_3): another node has the same id: give each node of a file an id "
        "of its own");
  CHECK(of({collective(1, 12, 8)}) ==
        "t.0.et: node 1 (collective): its comm_type is 12: write 0 to 9, as Chakra numbers them");
  CHECK(of({collective(1, 0, -8)}) ==
        "t.0.et: node 1 (collective): its comm_size is -8: write a size of 0 or more");
  CHECK(of({collective(1, 0, 8, {}, "6")}) ==
        "t.0.et: node 1 (collective): its group \"6\" is not known: give the groups in JSON: "
        "\"groups: FILE\"");
  CHECK(of({collective(1, 0, 8, {}, "6")}, {}, {{"6", {1, 0, 5}}}) ==
        "t.0.et: node 1 (collective): its group \"6\" holds rank 5 of 2 ranks: give the files of "
        "all ranks, or other groups: \"groups: FILE\"");
  CHECK(of({transfer(1, true, 2, 8)}) ==
        "t.0.et: node 1 (transfer): its comm_dst is 2, on rank 0 of 2: name another rank of the "
        "trace");
  const std::string cut = gzipped(written({compute(0, 10)}));
  CHECK(refusal([&] { read(Files{{cut.substr(0, cut.size() - 12)}}); }) ==
        "t.0.et: the packed file ends too early: pack it again with gzip");
}

TEST_CASE("ranks that contradict each other are found over all files") {
  const Files files{
      {written({collective(0, 0, 8), transfer(1, true, 1, 100), transfer(2, true, 1, 50)}),
       written({collective(0, 0, 16), collective(3, 0, 16), transfer(1, false, 0, 90)})}};
  const std::vector<std::string> lines = contradictions_in(read(files));
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] ==
        "message 1 from rank 0 to rank 1 with tag 0 is sent with 100 B and received with 90 B");
  CHECK(lines[1] == "message 2 from rank 0 to rank 1 with tag 0 is sent and never received");
  CHECK(lines[2] == "rank 0 calls 1 collectives in all ranks, rank 1 calls 2");
  CHECK(lines[3] ==
        "call 1 in all ranks is all_reduce of 8 B on rank 0 and all_reduce of 16 B on rank 1");
}

// 1 -> 2 -> 3 -> 4 by data, 2 -> 5 by control; 6 stands alone.
TEST_CASE("the neighbours of a node are drawn") {
  std::vector<Node> nodes = {compute(1, 10),     compute(2, 20, {1}), compute(3, 0, {2}),
                             compute(4, 0, {3}), compute(5, 0),       compute(6, 0)};
  nodes[1].name = "a \"name\"";
  nodes[4].control_dependencies = {2, 99};
  const std::string bytes = written(nodes);
  const RankTrace trace = read_rank_trace("t.et", bytes_of(bytes));
  CHECK(dot_text(trace, {.around = 2, .steps = 1}) ==
        R"(digraph trace {
  node [shape=box, style=filled, fontname="sans-serif"];
  n1 [label="1 kernel_1\ncompute 10 us", fillcolor=lightblue];
  n2 [label="2 a \"name\"\ncompute 20 us", fillcolor=lightblue, penwidth=3];
  n3 [label="3 kernel_3\ncompute", fillcolor=lightblue];
  n5 [label="5 kernel_5\ncompute", fillcolor=lightblue];
  n1 -> n2;
  n2 -> n3;
  n2 -> n5 [style=dashed];
  "99 is not there" -> n5 [style=dashed];
}
)");
  const auto shown = [&](const DotOptions& options) {
    const std::string text = dot_text(trace, options);
    std::string numbers;
    for (int id = 1; id <= 6; ++id)
      if (text.find(fmt::format("n{} [label", id)) != std::string::npos)
        numbers += std::to_string(id);
    return numbers;
  };
  CHECK(shown({}) == "123456");
  CHECK(shown({.around = 2, .steps = 2}) == "12345");
  CHECK(shown({.around = 6}) == "6");
  CHECK(shown({.around = 1, .steps = 0}) == "1");
  CHECK(shown({.around = 1, .steps = 9, .most = 2}) == "12");  // the nearest
  CHECK(refusal([&] { dot_text(trace, {.around = 7}); }) ==
        "t.et: no node has the id 7: orrery trace json lists nodes with their ids");
  CHECK(refusal([&] { dot_text(trace, {.most = 5}); }) ==
        "t.et: the trace has 6 nodes, a picture 5 at most: name one, of which the neighbours are "
        "drawn: --around NODE");
}

// ---- the public trace ---------------------------------------------------------------------------

// 3,664 nodes of one rank of eight. The longest chain of data dependencies is 46.140 ms; with the
// order of its two threads and two streams it is 297.046 ms (both by a script of 20 lines over the
// file). The busiest lane has 292.828 ms, the two threads 33.026 and 19.226 ms.
TEST_CASE("a trace of ResNet-50 takes what its nodes say") {
  const std::string path = samples + "/chakra/resnet50_rank0.et.gz";
  if (!std::filesystem::exists(path)) {
    WARN(path << " is not there");
    return;
  }
  const Files files{{file_text(path)}};
  TraceSettings settings;
  settings.collectives = TraceCollectives::recorded;
  const auto finish = [&](TraceLanes lanes) {
    settings.lanes = lanes;
    settings.replicate = 2;
    return run(read(files, settings)).finish;
  };
  CHECK(finish(TraceLanes::free) == microseconds(46'140));
  CHECK(finish(TraceLanes::streams) == microseconds(297'046));
  const Duration two = finish(TraceLanes::two);
  CHECK(two >= microseconds(292'828));
  CHECK(two <= microseconds(345'080));

  const GraphWorkload simulated = read(files, {.replicate = 8});
  REQUIRE(simulated.notices.size() == 2);
  CHECK(simulated.notices[0].find(
            "383 name their own node and 1277 name nodes that are not there, "
            "and with data dependencies they put 971 nodes into 417 cycles") != std::string::npos);
  std::int64_t bytes = 0;
  for (const Operation& operation : simulated.graphs[0]->operations())
    if (const auto* call = std::get_if<CollectiveCall>(&operation.what))
      if (call->kind == Collective::all_reduce) bytes += call->size.value;
  CHECK(bytes == std::int64_t{4} * 25'557'032);
  const RunResult folded = run(simulated), whole = run(simulated, false);
  CHECK(folded.finish == whole.finish);
  CHECK(folded.fingerprint == whole.fingerprint);
}

TEST_CASE("the microbenchmarks of ASTRA-sim are of one distinct rank each") {
  const std::string folder = samples + "/astra-sim/examples/workload/microbenchmarks";
  if (!std::filesystem::exists(folder)) {
    WARN(folder << " is not there");
    return;
  }
  int sets = 0;
  for (const auto& kind : std::filesystem::directory_iterator(folder))
    for (const auto& set : std::filesystem::directory_iterator(kind)) {
      Files files;
      for (int rank = 0;; ++rank) {
        const std::string name =
            fmt::format("{}/{}.{}.et", set.path().string(), kind.path().filename().string(), rank);
        if (!std::filesystem::exists(name)) break;
        files.texts.push_back(file_text(name));
      }
      CAPTURE(set.path().string());
      REQUIRE(files.texts.size() >= 4);
      const GraphWorkload workload = read(files);
      CHECK(workload.graphs.size() == 1);
      const RunResult folded = run(workload);
      CHECK(folded.folded);
      CHECK(folded.fingerprint == run(workload, false).fingerprint);
      ++sets;
    }
  CHECK(sets == 12);
}

}  // namespace
}  // namespace orrery
