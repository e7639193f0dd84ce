// Which backend a run gets that names none, and what a named one leaves out.
#include "simulation/backend_choice.h"

#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "report/comparison_text.h"
#include "report/json_report.h"
#include "report/text_report.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

using Catch::Contains;
namespace fs = std::filesystem;

LevelSpec level(LevelKind kind, std::int32_t size) {
  return {"wires", kind, size, gigabytes_per_second(1), microseconds(1)};
}

ProgramSpec::Step step_of(decltype(Operation::what) what) {
  return {"", {.id = 0, .what = std::move(what)}, true};
}

ProgramSpec one_step(decltype(Operation::what) what, std::vector<Rank> ranks = {}) {
  ProgramSpec program;
  program.parts.push_back({std::move(ranks), {step_of(std::move(what))}});
  return program;
}

CollectiveCall call_of(Collective kind) {
  CollectiveCall call{};
  call.kind = kind;
  call.size = bytes(1'000'000);
  return call;
}

// All ranks of these levels all-reduce, by rings.
Experiment reducing_over(std::vector<LevelSpec> levels) {
  Experiment experiment;
  experiment.topology.levels = std::move(levels);
  experiment.network.backend_named = false;
  experiment.workload.what = one_step(call_of(Collective::all_reduce));
  for (CollectiveSpec& spec : experiment.system.collectives) spec.algorithms = {{"ring", nullptr}};
  return experiment;
}

std::string chosen(const Experiment& experiment) {
  return std::string(choose_backend(experiment).backend);
}

// To choose can mean to write the whole job down, so it is not done again for the result.
TEST_CASE("a result says why its backend was chosen when it was chosen") {
  Experiment experiment = reducing_over({level(LevelKind::switched, 8)});
  experiment.system = {};
  choose_open_backend(experiment);
  CHECK(experiment.network.chosen_because == "every link is the port of one NPU or NIC");
  experiment.network.chosen_because = "it is remembered";
  CHECK(simulate(experiment).backend_because == "it is remembered");
}

TEST_CASE("links that are ports of one NPU need no contention") {
  CHECK(chosen(reducing_over({level(LevelKind::switched, 64)})) == "analytical");
  CHECK(chosen(reducing_over({level(LevelKind::fully_connected, 8)})) == "analytical");
  CHECK(chosen(reducing_over({level(LevelKind::switched, 8), level(LevelKind::switched, 8)})) ==
        "analytical");
  // On a ring of three everybody is a neighbour of everybody; at the ends of a mesh of three not.
  Experiment small = reducing_over({level(LevelKind::ring, 3)});
  small.system.collectives[static_cast<int>(Collective::all_reduce)].algorithms = {
      {"direct", nullptr}};
  CHECK(chosen(small) == "analytical");
  small.topology.levels[0].kind = LevelKind::mesh;
  CHECK(chosen(small) == "fluid");
}

TEST_CASE("rings need contention where messages go beyond neighbours") {
  Experiment ring = reducing_over({level(LevelKind::ring, 8)});
  CHECK(chosen(ring) == "analytical");
  CHECK_THAT(choose_backend(ring).because, Contains("neighbours"));
  ring.system.collectives[static_cast<int>(Collective::all_reduce)].algorithms = {
      {"direct", nullptr}};
  CHECK(chosen(ring) == "fluid");
  CHECK(choose_backend(ring).because == "messages share links of wires, a ring of 8");

  // A ring algorithm over both dimensions at once leaves the rings.
  Experiment torus = reducing_over({level(LevelKind::ring, 4), level(LevelKind::ring, 4)});
  CHECK(chosen(torus) == "analytical");
  for (CollectiveSpec& spec : torus.system.collectives) spec.schedule = HierarchicalSchedule::flat;
  CHECK(chosen(torus) == "fluid");

  // 0 -> 7 is one link of a ring of 8, and seven of a mesh.
  Experiment sends = reducing_over({level(LevelKind::ring, 8)});
  sends.workload.what = one_step(SendCall{7, bytes(1)}, {0});
  CHECK(chosen(sends) == "analytical");
  sends.topology.levels[0].kind = LevelKind::mesh;
  CHECK(chosen(sends) == "fluid");
}

// 2 x 4 switches: 1 -> 4 passes node 0's NPU 0, whose port to the fabric 0 -> 4 needs too.
TEST_CASE("written sends between levels meet at the NPUs that pass them on") {
  Experiment nodes = reducing_over({level(LevelKind::switched, 4), level(LevelKind::switched, 2)});
  nodes.workload.what = one_step(SendCall{4, bytes(1)}, {0});
  CHECK(chosen(nodes) == "analytical");
  nodes.workload.what = one_step(SendCall{4, bytes(1)}, {1});
  CHECK(chosen(nodes) == "fluid");
}

// A ring of 8 ranks sends 2 x 7 times the buffer, in packets of 4,096 B over two links each, of
// 0.8 us: a minute is 11.0 GB.
TEST_CASE("settings of a transport or of switches need packets, in jobs that are not large") {
  using enum SettingGroup;
  Experiment job = reducing_over({level(LevelKind::switched, 8)});
  for (CollectiveSpec& spec : job.system.collectives) spec.algorithms = {"ring"};
  const auto all_reduce = [&](std::int64_t size) {
    CollectiveCall call = call_of(Collective::all_reduce);
    call.size = bytes(size);
    job.workload.what = one_step(call);
  };
  for (const GivenSetting& setting : {GivenSetting{"network.transport.kind", transport},
                                      GivenSetting{"network.switch.buffer", switch_buffer}}) {
    job.network.given = {setting};
    all_reduce(10'500'000'000);
    CHECK(chosen(job) == "packet");
    CHECK(choose_backend(job).because == setting.path + " is given");
    all_reduce(11'500'000'000);
    CHECK(chosen(job) == "analytical");
    CHECK(choose_backend(job, PacketsOf::any_size).backend == "packet");
  }
  all_reduce(1'000'000);
  job.network.given = {{"platform.topology.levels[0].buffer", switch_buffer}};
  CHECK(chosen(job) == "analytical");
}

TEST_CASE("jobs, faults and routing need contention") {
  Experiment jobs = reducing_over({level(LevelKind::switched, 4), level(LevelKind::switched, 2)});
  const WorkloadSpec alone = jobs.workload;
  jobs.workload.what = JobsSpec{{{"red", {0, 1}, {}, alone}, {"blue", {2, 5}, {}, alone}}};
  CHECK(choose_backend(jobs).because == "several jobs share the network");
  CHECK(chosen(jobs) == "fluid");
  jobs.topology.levels.resize(1);  // one switch: every link is somebody's own
  CHECK(chosen(jobs) == "analytical");

  Experiment faults = reducing_over({level(LevelKind::switched, 8)});
  faults.network.routing.faults.emplace_back();
  CHECK(chosen(faults) == "fluid");
  Experiment spread = reducing_over({level(LevelKind::switched, 8)});
  spread.network.routing.policy = RoutingPolicy::valiant;
  CHECK(chosen(spread) == "fluid");
}

// Nodes of 8 GPUs, each with a NIC of 50 GB/s, that fill leaves of `plugs` NICs. With as many
// spines as plugs the fabric does not taper; with a fourth of them it does, 4:1.
class TaperedCluster {
 public:
  TaperedCluster(int leaves, int plugs) : leaves_(leaves), plugs_(plugs) {
    fs::create_directories(folder_);
  }
  ~TaperedCluster() { fs::remove_all(folder_); }
  TaperedCluster(const TaperedCluster&) = delete;
  TaperedCluster& operator=(const TaperedCluster&) = delete;

  RunResult run(int taper, const std::string& network, const std::string& program) const {
    const fs::path file = folder_ / fmt::format("taper-{}.yaml", taper);
    std::ofstream(file) << fmt::format(
        "platform: {{topology: {{leaf_spine: {{leaves: {}, plugs: {}, spines: {}, "
        "bandwidth: 50 GB/s, latency: 0 us, node: {{npus: 8, inside: switch, "
        "bandwidth: 400 GB/s, latency: 0 us, nics: 8, bus_bandwidth: 100 GB/s, "
        "bus_latency: 0 us}}}}}}}}\n"
        "system: {{algorithms: ring, chunks: 1, injection_latency: 0 us, "
        "local_injection_latency: 0 us}}\n"
        "{}workload: {{program: {}}}\n",
        leaves_, plugs_, plugs_ / taper, network, program);
    return simulate(load_experiment(file, {}));
  }

  // Every GPU sends to the one at its place on the next leaf, and receives from the one before.
  std::string shift(const std::string& size) const {
    std::string program;
    const int npus = leaves_ * plugs_;
    for (int npu = 0; npu < npus; ++npu)
      program += fmt::format(
          "{}{{ranks: {}, operations: [{{send: {}, to: {}, async: true}}, "
          "{{receive: {}, from: {}}}]}}",
          npu == 0 ? "" : ", ", npu, size, (npu + plugs_) % npus, size,
          (npu + npus - plugs_) % npus);
    return "[" + program + "]";
  }

 private:
  int leaves_, plugs_;
  fs::path folder_ =
      fs::temp_directory_path() / ("orrery_backend_choice_test." + std::to_string(getpid()));
};

const std::string spray = "network: {routing: {policy: spray}}\n";

// A leaf of p plugs sends p messages of 50 MB over p / t uplinks of 50 GB/s, all of them equally by
// spraying: p x 50 MB / (p / t x 50 GB/s) = t ms. 0 us of latency; a message of a part of the bytes
// of 50 MB / spines ends with the others.
void check_permutation(int leaves, int plugs) {
  const TaperedCluster cluster(leaves, plugs);
  for (const int taper : {1, 2, 4, 8}) {
    INFO("taper " << taper);
    const RunResult result = cluster.run(taper, spray, cluster.shift("50 MB"));
    CHECK(result.backend == "fluid");
    CHECK(result.finish == milliseconds(taper));
    CHECK(result.backend_because ==
          (taper == 1 ? std::string("messages share links between switches")
                      : fmt::format("messages share links between switches (taper {}:1 at spine)",
                                    taper)));
    CHECK(result.ignored.empty());
  }
}

TEST_CASE("a permutation over the spine of 64 GPUs has the bandwidth of the taper") {
  check_permutation(4, 16);
}

TEST_CASE("a permutation over the spine of 1,024 GPUs has the bandwidth of the taper") {
  check_permutation(32, 32);
}

// By ECMP flows meet by chance, so a time is that of the taper at least.
TEST_CASE("times are in the order of the tapers, by ECMP too") {
  for (const auto& [leaves, plugs] : {std::pair(4, 16), std::pair(32, 32)}) {
    const TaperedCluster cluster(leaves, plugs);
    Duration before{};
    for (const int taper : {1, 2, 4, 8}) {
      const Duration finish = cluster.run(taper, "", cluster.shift("50 MB")).finish;
      INFO(leaves * plugs << " GPUs, taper " << taper);
      CHECK(finish >= milliseconds(taper));
      CHECK(finish > before);
      before = finish;
    }
  }
}

// 31 servers of 8 NICs of 50 GB/s do not fill leaves equally. A ring over them sends 2 x 30/31 x
// 125 MB over each NIC, 4.84 ms, and one message of each rail leaves a leaf: the taper of 3:1
// hardly counts, only uplinks that two of them share. What jumps, such as pat, takes 12.3 ms. 32
// servers take 5.6 ms.
TEST_CASE("one server less does not double the time of an all-reduce over a taper") {
  const fs::path file =
      fs::temp_directory_path() / ("orrery_uneven_test." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform: {nodes: 31, server: hgx-h100, oversubscription: 3}\n"
                         "workload: {all_reduce: 1 GB}\n";
  const Duration chosen = simulate(load_experiment(file, {})).finish;
  const Duration ring = simulate(load_experiment(file, {{"system.algorithms=ring"}})).finish;
  fs::remove(file);
  CHECK(chosen * 10 <= ring * 11);
  CHECK(chosen <= microseconds(8'000));
}

// A ring of 8 GPUs inside a node sends 2 x 7/8 x 32 MB = 56 MB over each port of 400 GB/s: 140 us,
// whatever the spine.
TEST_CASE("tensor parallelism inside a node does not see the taper") {
  for (const auto& [leaves, plugs] : {std::pair(4, 16), std::pair(32, 32)}) {
    const TaperedCluster cluster(leaves, plugs);
    for (const int taper : {1, 2, 4, 8}) {
      const RunResult result =
          cluster.run(taper, "", "[{operations: [{all_reduce: 32 MB, over: {count: 8}}]}]");
      CHECK(result.backend == "fluid");
      CHECK(result.finish == microseconds(140));
    }
  }
}

// Ports alone: 50 MB at 50 GB/s, whatever the taper.
TEST_CASE("a report says by the system's name that analytical ignores the taper") {
  const TaperedCluster cluster(4, 16);
  std::vector<RunResult> results;
  for (const int taper : {1, 8}) {
    results.push_back(cluster.run(taper, "network: {backend: analytical, switch: {buffer: 1 MB}}\n",
                                  cluster.shift("50 MB")));
    CHECK(results.back().finish == milliseconds(1));
    CHECK(results.back().backend_because.empty());
  }
  CHECK(results[1].ignored ==
        std::vector<std::string>{"messages share links between switches (taper 8:1 at spine)",
                                 "network.switch.buffer"});
  CHECK_THAT(text_report(results[1], {}),
             Contains("\nIGNORED by the analytical backend in taper-8:\n"
                      "  messages share links between switches (taper 8:1 at spine);\n"
                      "  network.switch.buffer (in packets: see below)\niteration") &&
                 Contains("\nIn packets (--set network.backend=packet, chosen up to 60 CPU s): 6.4 "
                          "GB "
                          "would take"));
  results.push_back(cluster.run(8, spray, cluster.shift("50 MB")));
  results.back().name = "honest";
  const std::string text = comparison_text(results);
  CHECK_THAT(text, Contains("\n* IGNORED by the analytical backend in taper-1: messages share"));
  CHECK_THAT(text, Contains("\n* IGNORED by the analytical backend in taper-8:\n"));
  CHECK_THAT(text, !Contains("in honest:"));
  CHECK_THAT(text,
             Contains("in taper-1; 6.4 GB would take") && Contains("fewer layers or samples"));
  CHECK_THAT(text, Contains("1.000 *") && Contains("8.000\n"));
  CHECK_THAT(comparison_json(results, {}),
             Contains("\"messages share links between switches (taper 8:1 at spine)\""));
}

}  // namespace
}  // namespace orrery
