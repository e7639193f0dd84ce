#include "frontends/yaml/load_experiment.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "tests/paths.h"

namespace orrery {
namespace {

const std::string folder_of_experiments = source_folder() + "/tests/frontends/yaml/good/";

Experiment load(const std::string& file, const std::vector<Override>& overrides = {}) {
  return load_experiment(folder_of_experiments + file, overrides);
}

// "value <- origin" of a path, the origin without its folder.
std::string resolved(const Experiment& experiment, const std::string& path) {
  for (const ResolvedValue& value : experiment.resolved) {
    if (value.path != path) continue;
    std::string origin = value.origin;
    if (const auto at = origin.find(folder_of_experiments); at == 0)
      origin.erase(0, folder_of_experiments.size());
    return value.value + " <- " + origin;
  }
  return "nothing";
}

const CollectiveSpec& of(const Experiment& experiment, Collective kind) {
  return experiment.system.collectives[static_cast<std::size_t>(kind)];
}

std::string first_problem(const std::string& file, const std::string& option) {
  try {
    load(file, {{option}});
  } catch (const ConfigError& error) {
    return format_diagnostic(error.diagnostics().front());
  }
  return "no problem";
}

// Automatic, with its chunks if these are not written.
bool is_open(const CollectiveSpec& spec, bool chunks) {
  return is_automatic(spec.algorithms) && spec.any_chunks == chunks;
}

TEST_CASE("every key of an experiment arrives in its field") {
  const Experiment e = load("all_features.yaml");
  CHECK(e.name == "Hier");
  CHECK(e.seed == 42);
  CHECK(e.npu.preset == "v100");
  CHECK(e.npu.peak == teraflops_per_second(60));
  CHECK(e.npu.memory_bandwidth == gigabytes_per_second(800));

  REQUIRE(e.topology.levels.size() == 3);
  const LevelSpec& node = e.topology.levels[0];
  CHECK(node.name == "node");
  CHECK(node.kind == LevelKind::fully_connected);
  CHECK(node.size == 16);
  CHECK(node.bandwidth == gigabytes_per_second(150));
  CHECK(node.latency == nanoseconds(500));
  CHECK(node.scope == Scope::local);  // the innermost of several
  const LevelSpec& rack = e.topology.levels[1];
  CHECK(rack.kind == LevelKind::switched);
  CHECK(rack.bandwidth == gigabits_per_second(100));
  CHECK(rack.scope == Scope::scale_out);
  CHECK(e.topology.levels[2].kind == LevelKind::ring);
  CHECK(e.topology.levels[2].latency == Duration{});

  const SystemSpec& s = e.system;
  CHECK(s.scheduling == SchedulingPolicy::fifo);
  CHECK(of(e, Collective::all_reduce).schedule == HierarchicalSchedule::baseline);
  CHECK(of(e, Collective::all_reduce).algorithms ==
        std::vector<NamedAlgorithm>{"direct", "double_binary_tree", "ring"});
  CHECK(of(e, Collective::all_reduce).chunks == 64);
  CHECK(of(e, Collective::all_gather).schedule == HierarchicalSchedule::local_bandwidth_aware);
  CHECK(of(e, Collective::all_gather).algorithms == std::vector<NamedAlgorithm>{"ring"});
  CHECK(of(e, Collective::all_gather).chunks == 128);
  CHECK(of(e, Collective::all_to_all).algorithms == std::vector<NamedAlgorithm>{"direct"});
  CHECK(s.minimum_chunk == kibibytes(8));
  CHECK(s.first_phase_limit == 10);
  CHECK(s.queue_limit == 11);
  CHECK(s.queues_per_level == 2);
  CHECK(s.injection_latency == nanoseconds(10));
  CHECK(s.local_injection_latency == Duration{});
  CHECK(s.reduction_bandwidth == gigabytes_per_second(450));

  CHECK(e.network.backend == "analytical");
  CHECK(settings_outside(e.network, {SettingGroup::transport}) ==
        std::vector<std::string>{"platform.topology.levels[1].buffer", "network.switch.buffer"});
  CHECK(settings_outside(e.network, {SettingGroup::switch_buffer}) ==
        std::vector<std::string>{"network.transport.kind", "network.transport.congestion_control",
                                 "network.transport.mtu", "network.transport.window",
                                 "network.transport.ecn"});
  CHECK(e.network.transport.congestion_control == "newreno");
  CHECK(e.network.transport.mtu == bytes(1'500));
  CHECK(e.network.transport.window == bytes(500'000));
  CHECK(e.network.transport.ecn);
  CHECK(e.network.switches.buffer == mebibytes(64));
  REQUIRE(e.network.levels.size() == 3);
  CHECK(e.network.levels[1].buffer == bytes(1'000'000'000));
  CHECK(!e.network.levels[0].buffer);
  CHECK(e.network.seed == 42);

  const auto& dlrm = std::get<DlrmSpec>(e.workload.what);
  CHECK(dlrm.global_batch == 131'072);
  CHECK(dlrm.sparse_features == 32);
  CHECK(dlrm.embedding_dimension == 128);
  CHECK(dlrm.pooling == 10);
  CHECK(dlrm.dense_features == 13);
  CHECK(dlrm.bottom_mlp == std::vector<std::int64_t>{512, 128});
  CHECK(dlrm.top_mlp == std::vector<std::int64_t>{1024, 1});
  CHECK(dlrm.interaction == Interaction::dot);
  CHECK(dlrm.element == bytes(4));
  CHECK(dlrm.embedding_lookup_time == microseconds(280));
  CHECK(dlrm.embedding_update_time == microseconds(560));
  CHECK(e.workload.iterations == 2);
}

TEST_CASE("a minimal experiment takes the documented defaults") {
  const Experiment e = load("minimal.yaml");
  CHECK(e.name == "minimal");  // the file's stem
  CHECK(e.seed == 1);
  CHECK(e.topology.levels[0].scope == Scope::scale_out);  // a single level
  CHECK(e.network.backend == "analytical");
  CHECK(e.network.given.empty());
  CHECK(e.workload.iterations == 1);
  const SystemSpec defaults;
  CHECK(e.system.scheduling == SchedulingPolicy::lifo);
  CHECK(e.system.queue_limit == defaults.queue_limit);
  CHECK(of(e, Collective::all_reduce).chunks == 16);
  for (const CollectiveSpec& spec : e.system.collectives) CHECK(is_open(spec, true));
}

// The latencies are what the bundled platforms estimate: 0.2 us in a server, 0.5 us of a link
// between them (platforms/dgx-h100.yaml, dgx-h100-rail.yaml).
TEST_CASE("a level that says its size and bandwidth is a switch with the usual latency") {
  const Experiment e =
      load("minimal.yaml", {{"platform.topology.levels=[{size: 8, bandwidth: 450 GB/s}, "
                             "{size: 16, bandwidth: 400 Gb/s}]"}});
  REQUIRE(e.topology.levels.size() == 2);
  for (const LevelSpec& level : e.topology.levels) CHECK(level.kind == LevelKind::switched);
  CHECK(e.topology.levels[0].latency == nanoseconds(200));
  CHECK(e.topology.levels[1].latency == nanoseconds(500));
  const Experiment one =
      load("minimal.yaml", {{"platform.topology.levels=[{size: 8, bandwidth: 450 GB/s}]"}});
  CHECK(one.topology.levels[0].latency == nanoseconds(500));
}

TEST_CASE("what is not written about a collective is chosen") {
  const Override chunks{"system.chunks=4"}, schedule{"system.schedule=local_bandwidth_aware"};
  CHECK(is_open(of(load("minimal.yaml", {chunks}), Collective::all_reduce), false));
  CHECK(of(load("minimal.yaml", {chunks}), Collective::all_reduce).chunks == 4);
  CHECK_FALSE(of(load("minimal.yaml", {schedule}), Collective::all_reduce).any_schedule);
  const Experiment one = load("minimal.yaml", {{"system.all_reduce.algorithms=ring"}});
  CHECK(of(one, Collective::all_reduce).algorithms == std::vector<NamedAlgorithm>{"ring"});
  CHECK(is_open(of(one, Collective::all_gather), true));
}

TEST_CASE("a flat schedule is a ring, or direct, unless it says otherwise") {
  const Experiment e = load("program.yaml", {{"system.schedule=flat"}});
  CHECK(of(e, Collective::all_reduce).algorithms == std::vector<NamedAlgorithm>{"ring"});
  CHECK(of(e, Collective::all_to_all).algorithms == std::vector<NamedAlgorithm>{"direct"});
}

TEST_CASE("a ring for all kinds leaves all-to-alls direct") {
  const Override rings{"system.algorithms=ring"};
  const Experiment e = load("minimal.yaml", {rings});
  CHECK(of(e, Collective::all_gather).algorithms == std::vector<NamedAlgorithm>{"ring"});
  for (const Collective kind : {Collective::all_to_all, Collective::all_to_allv})
    CHECK(of(e, kind).algorithms == std::vector<NamedAlgorithm>{"direct"});
  CHECK(resolved(e, "system.all_to_all.algorithms") == "direct <- default (ring does not suit it)");
  const Experiment named = load("minimal.yaml", {rings, {"system.all_to_all.algorithms=ring"}});
  CHECK(of(named, Collective::all_to_all).algorithms == std::vector<NamedAlgorithm>{"ring"});
}

TEST_CASE("presets give the values that the file leaves out") {
  const Experiment e = load("hoti20.yaml");
  CHECK(e.npu.peak == teraflops_per_second(989));
  CHECK(e.npu.memory_bandwidth == gigabytes_per_second(3350));
  const auto& dlrm = std::get<DlrmSpec>(e.workload.what);
  CHECK(dlrm.global_batch == 65'536);
  CHECK(dlrm.sparse_features == 64);
  CHECK(dlrm.pooling == 60);
  CHECK(dlrm.dense_features == 1'600);
  // The deck's "5+2" and "10+2" layers, from the 1,600 inputs down to 64, and to one click rate.
  CHECK(dlrm.bottom_mlp == std::vector<std::int64_t>{1024, 1024, 1024, 1024, 1024, 1024, 64});
  CHECK(dlrm.top_mlp.size() == 12);
  CHECK(dlrm.top_mlp.front() == 2048);
  CHECK(dlrm.top_mlp.back() == 1);
  CHECK(dlrm.element == bytes(2));
  CHECK_FALSE(dlrm.embedding_lookup_time.has_value());
}

TEST_CASE("a system-wide algorithm that cannot do a kind leaves that kind its default") {
  const Experiment e = load("hoti20.yaml");
  // Trees on the last level; below, where the schedule asks for a reduce-scatter, what suits.
  CHECK(of(e, Collective::all_reduce).algorithms ==
        std::vector<NamedAlgorithm>{"ring", "double_binary_tree"});
  CHECK(of(e, Collective::reduce_scatter).algorithms ==
        std::vector<NamedAlgorithm>{"ring", "ring"});
  CHECK(of(e, Collective::all_to_all).algorithms ==
        std::vector<NamedAlgorithm>{"direct", "direct"});
  CHECK(resolved(e, "system.all_reduce.algorithms") == "double_binary_tree <- hoti20.yaml:8");
  CHECK(resolved(e, "system.all_gather.algorithms") ==
        "[ring, ring] <- default (double_binary_tree cannot do it)");
}

TEST_CASE("the local-bandwidth-aware schedule asks a lower level for other kinds") {
  // Below the top an all-reduce becomes a reduce-scatter and an all-gather, which the tree lacks.
  const Override aware{"system.schedule=local_bandwidth_aware"};
  const Override whole{"system.schedule=baseline"};
  CHECK(of(load("hoti20.yaml", {aware}), Collective::all_reduce).algorithms ==
        std::vector<NamedAlgorithm>{"ring", "double_binary_tree"});
  CHECK(of(load("hoti20.yaml", {whole}), Collective::all_reduce).algorithms ==
        std::vector<NamedAlgorithm>{"double_binary_tree"});
  const Experiment top =
      load("hoti20.yaml", {aware, {"system.all_reduce.algorithms=[ring, double_binary_tree]"}});
  CHECK(of(top, Collective::all_reduce).algorithms ==
        std::vector<NamedAlgorithm>{"ring", "double_binary_tree"});
}

TEST_CASE("a text workload is found beside the file that names it") {
  const Experiment e = load("text.yaml");
  const auto& text = std::get<LayerTableWorkload>(e.workload.what);
  CHECK(text.file == folder_of_experiments + "inputs/DLRM_HybridParallel.txt");
  CHECK(text.dimensions == std::vector<int>{1, 0});
  CHECK(text.table.layers.size() == 2);
  CHECK_THROWS_WITH(load("text.yaml", {{"workload.text=here.txt"}}),  // the working directory
                    Catch::Contains("cannot read here.txt: No such file"));
}

TEST_CASE("a program becomes parts, steps and communicators") {
  const Experiment e = load("program.yaml");
  const auto& program = std::get<ProgramSpec>(e.workload.what);
  REQUIRE(program.parts.size() == 3);
  // Entry 0 is all levels; {rack, node} is that one, too.
  CHECK(program.communicators ==
        std::vector<Grouping>{std::vector{0, 1}, std::vector{1}, std::vector{0}});

  const ProgramSpec::Part& first = program.parts[0];
  CHECK(first.ranks == std::vector<Rank>{0});
  REQUIRE(first.steps.size() == 4);
  CHECK(first.steps[0].name == "gradient");
  CHECK_FALSE(first.steps[0].wait);
  const auto& gradient = std::get<CollectiveCall>(first.steps[0].operation.what);
  CHECK(gradient.kind == Collective::all_reduce);
  CHECK(gradient.communicator == 1);
  CHECK(gradient.size == mebibytes(1));
  CHECK(gradient.priority == Priority::highest);
  CHECK(first.steps[1].wait);
  CHECK(std::get<Compute>(first.steps[1].operation.what).measured == microseconds(5));
  const auto& send = std::get<SendCall>(first.steps[2].operation.what);
  CHECK(send.to == 1);
  CHECK(send.size == kibibytes(64));
  CHECK(send.tag == 7);
  CHECK(std::get<Wait>(first.steps[3].operation.what).operation == 0);

  const ProgramSpec::Part& second = program.parts[1];
  CHECK(second.ranks == std::vector<Rank>{1, 2, 3, 5});
  CHECK(std::get<ReceiveCall>(second.steps[0].operation.what).from == 0);
  CHECK(std::get<CollectiveCall>(second.steps[1].operation.what).kind == Collective::all_to_all);
  CHECK(std::get<CollectiveCall>(second.steps[2].operation.what).communicator == 0);
  CHECK(std::get<CollectiveCall>(second.steps[3].operation.what).communicator == 2);
  const auto& broadcast = std::get<CollectiveCall>(second.steps[4].operation.what);
  CHECK(broadcast.kind == Collective::broadcast);
  CHECK(broadcast.root == 3);
  const auto& barrier = std::get<CollectiveCall>(second.steps[5].operation.what);
  CHECK(barrier.kind == Collective::barrier);
  CHECK(barrier.size == Bytes{});
  CHECK(e.workload.iterations == 3);
}

TEST_CASE("groups of a program are extents or lists of ranks") {
  const Experiment e = load("groups.yaml");
  const auto& program = std::get<ProgramSpec>(e.workload.what);
  std::vector<Rank> twelve(12);
  std::iota(twelve.begin(), twelve.end(), 0);
  CHECK(program.communicators ==
        std::vector<Grouping>{std::vector{0, 1}, std::vector<Extent>{{4, 1}},
                              std::vector<Extent>{{2, 8}}, std::vector<Extent>{{2, 1}, {2, 8}},
                              RankLists{twelve},
                              RankLists{{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}}});
  // Written the other way round it is the same communicator.
  const auto call = [&](int step) {
    return std::get<CollectiveCall>(program.parts[0].steps[step].operation.what);
  };
  CHECK(call(5).communicator == call(0).communicator);
  for (const CollectiveSpec& spec : e.system.collectives) {
    CHECK(spec.schedule == HierarchicalSchedule::flat);
    CHECK(spec.algorithms.size() == 1);
  }
  CHECK(e.system.collectives[0].algorithms[0].name == "ring:4");
}

TEST_CASE("a part of all ranks lists none") {
  CHECK(std::get<ProgramSpec>(load("minimal.yaml").workload.what).parts[0].ranks.empty());
  const Experiment all = load("minimal.yaml", {{"workload.program[0].ranks='0-1,2-3'"}});
  CHECK(std::get<ProgramSpec>(all.workload.what).parts[0].ranks.empty());
}

TEST_CASE("a section from a file, with keys beside the reference") {
  const Experiment e = load("references.yaml");
  CHECK(e.npu.peak == teraflops_per_second(1));
  REQUIRE(e.topology.levels.size() == 1);  // a list is replaced as a whole
  CHECK(e.topology.levels[0].size == 8);
  CHECK(e.system.scheduling == SchedulingPolicy::fifo);  // from the file that the file refers to
  CHECK(e.system.queue_limit == 7);
  const CollectiveSpec& all_reduce = of(e, Collective::all_reduce);
  CHECK(all_reduce.chunks == 5);  // base 4, overridden beside the reference
  CHECK(all_reduce.schedule == HierarchicalSchedule::local_bandwidth_aware);
  CHECK(all_reduce.algorithms == std::vector<NamedAlgorithm>{"direct"});
  CHECK(of(e, Collective::all_gather).chunks == 3);
  CHECK(std::get<LayerTableWorkload>(e.workload.what).file ==
        folder_of_experiments + "parts/jobs/one.txt");
  CHECK(resolved(e, "system.queue_limit") == "7 <- parts/base_system.yaml:2");
  CHECK(resolved(e, "system.chunks") == "3 <- references.yaml:4");

  const Experiment set = load(
      "references.yaml", {{"system.file=" + folder_of_experiments + "parts/base_system.yaml"}});
  CHECK(of(set, Collective::all_gather).chunks == 3);  // still beside the reference
  CHECK(is_open(of(set, Collective::all_reduce), false));
}

TEST_CASE("an alias is a copy") { CHECK(load("anchors.yaml").topology.levels.size() == 2); }

TEST_CASE("explain: every value knows where it is from") {
  const Experiment e = load("hoti20.yaml", {{"platform.topology.levels.1.bandwidth=400 Gb/s"},
                                            {"system.all_gather.chunks=5"},
                                            {"system.chunks=4"}});
  CHECK(e.topology.levels[1].bandwidth == gigabits_per_second(400));
  CHECK(resolved(e, "name") == "hoti20 <- default");
  CHECK(resolved(e, "seed") == "1 <- default");
  CHECK(resolved(e, "platform.npu.preset") == "h100 <- hoti20.yaml:2");
  CHECK(resolved(e, "platform.npu.peak") == "989 TFLOP/s <- preset h100");
  CHECK(resolved(e, "platform.topology.levels[0].bandwidth") == "150 GB/s <- hoti20.yaml:5");
  CHECK(resolved(e, "platform.topology.levels[0].scope") == "local <- default");
  CHECK(resolved(e, "platform.topology.levels[1].bandwidth") == "50 GB/s <- --set");
  CHECK(resolved(e, "system.all_gather.chunks") == "5 <- --set");
  CHECK(resolved(e, "system.all_reduce.chunks") == "4 <- --set");
  CHECK(resolved(e, "system.minimum_chunk") == "1 KiB <- default");
  CHECK(resolved(e, "workload.model.global_batch") == "65536 <- preset dlrm-hoti20");
  CHECK(resolved(e, "workload.model.bottom_mlp") ==
        "[1024, 1024, 1024, 1024, 1024, 1024, 64] <- preset dlrm-hoti20");
  CHECK(resolved(e, "workload.parallelism.mlp") == "data <- default");
  CHECK(resolved(e, "workload.iterations") == "1 <- default");
  CHECK(resolved(e, "system.reduction_bandwidth") == "none <- default");
  for (const ResolvedValue& value : e.resolved) {
    INFO(value.path);
    CHECK_FALSE(value.help.empty());
    CHECK_FALSE(value.origin.empty());
  }
}

TEST_CASE("--set: later ones win, whole maps and new keys work") {
  const Experiment e = load("minimal.yaml", {{"system.chunks=3"},
                                             {"system.chunks=4"},
                                             {"network.transport={kind: ideal, ecn: false}"},
                                             {"system={queue_limit: 2}"},
                                             {"system.all_reduce.chunks=9"}});
  CHECK(of(e, Collective::all_gather).chunks == 16);  // `system` was replaced after that
  CHECK(of(e, Collective::all_reduce).chunks == 9);
  CHECK(e.system.queue_limit == 2);
  CHECK(e.network.given.size() == 2);
}

TEST_CASE("a transport preset replaces the defaults, and keys replace the preset's") {
  const Experiment e = load("minimal.yaml", {{"network.transport={preset: hoti20, mtu: 9000 B}"}});
  CHECK(e.network.transport.congestion_control == "newreno");
  CHECK(e.network.transport.window == bytes(500'000));
  CHECK(e.network.transport.minimum_rto == milliseconds(1'000));
  CHECK(e.network.transport.mtu == bytes(9'000));
}

TEST_CASE("a window or a buffer that can carry nothing is said before the run") {
  CHECK(first_problem("minimal.yaml", "network.transport.window=1000 B") ==
        "--set network.transport.window=1000 B: error: network.transport.window: a window of "
        "1 kB cannot hold a segment of 8960 B, so nothing would ever be sent: make it larger, or "
        "network.transport.mtu smaller");
  CHECK(first_problem("minimal.yaml", "network.switch.buffer=2 kB") ==
        "--set network.switch.buffer=2 kB: error: network.switch.buffer: a buffer of 2 kB cannot "
        "hold a packet of 4194 B: make it larger, or packets smaller (network.transport.mtu of "
        "TCP, payload of others)");
  CHECK(first_problem("minimal.yaml", "network.switch.loss=1.5") ==
        "--set network.switch.loss=1.5: error: network.switch.loss: \"1.5\" is more than the "
        "whole: it must be at most 1; 1.5 per cent are \"1.5 %\"");
  CHECK(first_problem("minimal.yaml", "network.transport.congestion_control=cubik") ==
        "--set network.transport.congestion_control=cubik: error: "
        "network.transport.congestion_control: \"cubik\" is unknown here: did you mean "
        "\"cubic\"?");
}

TEST_CASE("names of other tools and of reports are answered with what can be written") {
  CHECK(first_problem("minimal.yaml", "system.algorithms=ring+pat") ==
        "--set system.algorithms=ring+pat: error: system.algorithms: \"ring+pat\" is one for each "
        "phase: write [ring, pat]");
  CHECK_THAT(first_problem("minimal.yaml", "network.oversubscription=2"),
             Catch::Contains("platform: {nodes: 16, server: hgx-h100, oversubscription: 2}"));
  CHECK_THAT(first_problem("minimal.yaml", "workload.allreduce=1 GB"),
             Catch::Contains("did you mean \"all_reduce\"?"));
}

TEST_CASE("--set: what is wrong is said with the option") {
  CHECK(first_problem("minimal.yaml", "system.chunks=0") ==
        "--set system.chunks=0: error: system.chunks: \"0\" is out of range: "
        "it must be at least 1");
  CHECK(first_problem("minimal.yaml", "sytem.chunks=1") ==
        "--set sytem.chunks=1: error: unknown key \"sytem\": did you mean \"system\"?");
  CHECK(first_problem("minimal.yaml", "platform.topology.levels[1].size=2") ==
        "--set platform.topology.levels[1].size=2: error: platform.topology.levels: "
        "there is no element \"1\": this list has 1, numbered from 0");
  CHECK(first_problem("minimal.yaml", "platform.topology.levels.0.size.x=2") ==
        "--set platform.topology.levels.0.size.x=2: error: platform.topology.levels[0].size: "
        "this is a single value, it has no key \"x\": set the value itself");
  CHECK(first_problem("minimal.yaml", "platform.topology.levels.0.bandwidth=400") ==
        "--set platform.topology.levels.0.bandwidth=400: error: "
        "platform.topology.levels[0].bandwidth: \"400\" has no unit: "
        "write for example \"400 Gb/s\" or \"400 GB/s\"");
  CHECK(first_problem("minimal.yaml", "chunks") ==
        "--set chunks: error: there is no `=`: write KEY=VALUE, for example system.chunks=64");
  CHECK(first_problem("minimal.yaml", "a..b=1") ==
        "--set a..b=1: error: \"a..b\" is not a path of keys: "
        "write for example platform.topology.levels[1].bandwidth");
  CHECK(first_problem("minimal.yaml", "system=[1") ==
        "--set system=[1: error: system: a `[` is not closed: add the missing `]` or `,`");
}

TEST_CASE("a file that cannot be read is an IoError") {
  CHECK_THROWS_AS(load("does_not_exist.yaml"), IoError);
  CHECK_THROWS_AS(load("parts"), IoError);  // a directory
}

}  // namespace
}  // namespace orrery
