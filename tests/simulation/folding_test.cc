// A folded run must be the run of all ranks, bit for bit: random jobs in which all ranks are alike,
// or those that differ in some digits of their numbers only, with round numbers, so that much
// happens at the same picosecond.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "simulation/simulate.h"

namespace orrery {
namespace {

class RandomJob {
 public:
  // With `stages`, ranks differ in what they compute, digit by digit, and groups are parts of
  // levels.
  explicit RandomJob(std::uint64_t seed, bool stages = false)
      : random_(seed, "folding"), stages_(stages) {}

  Experiment make() {
    Experiment experiment;
    experiment.name = "random";
    experiment.npu.peak = teraflops_per_second(1);
    add_levels(experiment.topology);
    fill_system(experiment.system, experiment.topology);
    fill_workload(experiment.workload, experiment.topology);
    return experiment;
  }

 private:
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[random_.uniform_int(values.size())];
  }
  std::int32_t between(std::int32_t first, std::int32_t last) {
    return first + static_cast<std::int32_t>(
                       random_.uniform_int(static_cast<std::uint64_t>(last - first + 1)));
  }

  void add_levels(TopologySpec& topology) {
    const std::int32_t levels = between(1, 3);
    for (std::int32_t level = 0; level < levels; ++level) {
      const auto kind =
          one_of<LevelKind>({LevelKind::ring, LevelKind::fully_connected, LevelKind::switched});
      topology.levels.push_back({"level " + std::to_string(level), kind,
                                 between(2, levels == 3 ? 4 : 8),
                                 gigabytes_per_second(one_of<std::int64_t>({1, 1, 2})),
                                 nanoseconds(one_of<std::int64_t>({1, 2, 12, 24})),
                                 one_of<Scope>({Scope::local, Scope::scale_out})});
      ranks_ *= topology.levels.back().size;
    }
  }

  // Only algorithms in which all ranks do the same.
  std::string algorithm_for(Collective kind, std::int32_t size) {
    if (kind == Collective::barrier) return "dissemination";
    if (kind == Collective::all_to_all) {
      const bool in_pairs = size == 4 || size == 8;
      return one_of<std::string>(
          {"ring", "ring:2", "direct", "direct:2", "bruck", in_pairs ? "direct:1" : "pairwise"});
    }
    const bool exchanges = stages_ && kind != Collective::all_to_all && (size == 4 || size == 8);
    return one_of<std::string>(
        {"ring", "ring:2", "ring:3", "direct", "direct:1", exchanges ? "halving_doubling" : "pat"});
  }

  void fill_system(SystemSpec& system, const TopologySpec& topology) {
    system.scheduling =
        one_of<SchedulingPolicy>({SchedulingPolicy::lifo, SchedulingPolicy::fifo,
                                  SchedulingPolicy::priority, SchedulingPolicy::shortest_first});
    for (int kind = 0; kind < collective_count; ++kind) {
      CollectiveSpec& spec = system.collectives[static_cast<std::size_t>(kind)];
      spec.schedule = one_of<HierarchicalSchedule>(
          {HierarchicalSchedule::baseline, HierarchicalSchedule::local_bandwidth_aware,
           HierarchicalSchedule::torus, HierarchicalSchedule::themis,
           HierarchicalSchedule::across_first});
      spec.algorithms.clear();
      for (const LevelSpec& level : topology.levels)
        spec.algorithms.emplace_back(algorithm_for(static_cast<Collective>(kind), level.size));
      spec.chunks = chunks_;
    }
    system.minimum_chunk = bytes(1);
    system.first_phase_limit = between(1, 4);
    system.queue_limit = between(1, 3);
    system.queues_per_level = between(1, 2);
    if (between(0, 2) == 0) system.overlap_limit = between(1, 3);
    if (between(0, 2) == 0) system.sm_tax = {1, between(2, 5)};
    system.injection_latency = nanoseconds(one_of<std::int64_t>({0, 0, 1, 12}));
    system.local_injection_latency = nanoseconds(one_of<std::int64_t>({0, 1, 2, 12}));
    if (between(0, 1) == 1) system.reduction_bandwidth = gigabytes_per_second(4);
  }

  CollectiveCall call(std::int32_t communicators) {
    constexpr std::int64_t most_channels = 6;  // 1, 2 and 3 divide it
    CollectiveCall call{};
    call.kind = one_of<Collective>({Collective::all_reduce, Collective::all_reduce,
                                    Collective::reduce_scatter, Collective::all_gather,
                                    Collective::all_to_all, Collective::barrier});
    call.communicator = between(0, communicators - 1);
    if (call.kind != Collective::barrier)
      call.size = bytes(between(1, 4) * ranks_ * chunks_ * most_channels);
    call.priority =
        one_of<Priority>({Priority::normal, Priority::highest, static_cast<Priority>(3)});
    call.update = nanoseconds(one_of<std::int64_t>({0, 0, 12}));
    return call;
  }

  void fill_workload(WorkloadSpec& workload, const TopologySpec& topology) {
    ProgramSpec program;
    const int levels = static_cast<int>(topology.levels.size());
    std::vector<int> all;
    for (int level = 0; level < levels; ++level) all.push_back(level);
    program.communicators.emplace_back(all);
    for (const int level : all) program.communicators.emplace_back(std::vector<int>{level});
    if (stages_)
      for (int level = 0; level < levels; ++level) add_part_of(topology, level, program);
    const auto communicators = static_cast<std::int32_t>(program.communicators.size());

    ProgramSpec::Part part;
    std::vector<std::int64_t> calls;
    const std::int32_t steps = between(2, 9);
    for (std::int32_t i = 0; i < steps; ++i) {
      ProgramSpec::Step step;
      const std::int32_t what = between(0, 5);
      if (what == 0) {
        step.operation.what = compute();
      } else if (what == 1 && !calls.empty()) {
        step.operation.what = Wait{one_of(calls)};
      } else {
        step.operation.what = call(communicators);
        step.wait = between(0, 3) == 0;
        calls.push_back(i);
      }
      part.steps.push_back(step);
    }
    if (stages_)
      add_stages(program, part);
    else
      program.parts.push_back(part);
    workload.what = program;
    workload.iterations = between(1, 3);
  }

  Compute compute() {
    return Compute{{}, {}, nanoseconds(one_of<std::int64_t>({0, 1, 24, 100, 500}))};
  }

  std::int32_t divisor_of(std::int32_t number) {
    std::int32_t divisor = between(1, number);
    while (number % divisor != 0) --divisor;
    return divisor;
  }

  // Groups of some neighbours on a level, or of ranks that are so far apart.
  void add_part_of(const TopologySpec& topology, int level, ProgramSpec& program) {
    std::int32_t stride = 1;
    for (int below = 0; below < level; ++below) stride *= topology.levels[below].size;
    const std::int32_t size = topology.levels[level].size, apart = divisor_of(size);
    const std::int32_t count = divisor_of(size / apart);
    if (count > 1) program.communicators.emplace_back(std::vector<Extent>{{count, stride * apart}});
  }

  // Ranks with another number / stride compute for other times.
  void add_stages(ProgramSpec& program, const ProgramSpec::Part& part) {
    const std::int32_t count = divisor_of(ranks_), stride = ranks_ / count;
    for (std::int32_t stage = 0; stage < count; ++stage) {
      ProgramSpec::Part own = part;
      for (ProgramSpec::Step& step : own.steps)
        if (std::holds_alternative<Compute>(step.operation.what)) step.operation.what = compute();
      for (std::int32_t rank = 0; rank < stride; ++rank) own.ranks.push_back(stage * stride + rank);
      program.parts.push_back(own);
    }
  }

  RandomStream random_;
  bool stages_;
  std::int32_t ranks_ = 1, chunks_ = between(1, 5);
};

std::vector<std::vector<std::int64_t>> rows_of(const std::vector<LayerRow>& layers) {
  std::vector<std::vector<std::int64_t>> rows;
  for (const LayerRow& row : layers)
    rows.push_back({row.bytes.value, row.compute.value, row.raw.value, row.raw_max.value,
                    row.raw_bound.value, row.exposed.value});
  return rows;
}

std::map<std::string, std::int64_t> bytes_of(const std::vector<LinkRow>& links) {
  std::map<std::string, std::int64_t> bytes;
  for (const LinkRow& link : links) bytes[link.level + ": " + link.name()] = link.bytes.value;
  return bytes;
}

std::map<std::string, std::int64_t> bytes_of(const std::vector<LevelRow>& levels) {
  std::map<std::string, std::int64_t> bytes;
  for (const LevelRow& row : levels) bytes[row.name + ": " + row.collective] = row.bytes.value;
  return bytes;
}

std::vector<std::int64_t> times_of(const RankRow& rank) {
  return {rank.finish.value, rank.compute.value, rank.exposed.value, rank.idle.value};
}

void check_equal(const RunResult& folded, const RunResult& full) {
  CHECK(folded.fingerprint == full.fingerprint);
  CHECK(folded.finish == full.finish);
  CHECK(folded.compute == full.compute);
  CHECK(folded.exposed == full.exposed);
  CHECK(folded.idle == full.idle);
  CHECK(folded.bound == full.bound);
  CHECK(folded.messages == full.messages);
  CHECK(rows_of(folded.layers) == rows_of(full.layers));
  CHECK(bytes_of(folded.levels) == bytes_of(full.levels));
  CHECK(bytes_of(folded.links) == bytes_of(full.links));
  std::map<std::vector<std::int64_t>, std::int32_t> of_folded, of_all;  // ranks, by their times
  for (const RankRow& rank : folded.ranks) of_folded[times_of(rank)] += rank.multiplicity;
  for (const RankRow& rank : full.ranks) ++of_all[times_of(rank)];
  CHECK(of_folded == of_all);
}

RunResult run(const Experiment& experiment, bool fold) {
  SimulateOptions options;
  options.fold = fold;
  return simulate(experiment, options);
}

TEST_CASE("a folded run is the run of all ranks") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    INFO("seed " << seed);
    const Experiment experiment = RandomJob(seed).make();
    const RunResult folded = run(experiment, true), full = run(experiment, false);
    CHECK(folded.unfolded_because == "");
    CHECK_FALSE(full.folded);
    CHECK(folded.ranks.size() == 1);
    check_equal(folded, full);
  }
}

TEST_CASE("a run of which some ranks stand for others is the run of all ranks") {
  int partly = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    INFO("seed " << seed);
    const Experiment experiment = RandomJob(seed, true).make();
    const RunResult folded = run(experiment, true), full = run(experiment, false);
    check_equal(folded, full);
    partly += folded.folded && folded.ranks.size() > 1;
  }
  CHECK(partly > 100);
}

TEST_CASE("with flows that share links too") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Experiment experiment = RandomJob(seed, seed % 2 == 1).make();
    experiment.network.backend = "fluid";
    const RunResult folded = run(experiment, true), full = run(experiment, false);
    if (seed % 2 == 0) CHECK(folded.unfolded_because == "");
    check_equal(folded, full);
  }
}

TEST_CASE("a folded run is the run of all ranks, many of them", "[slow]") {
  for (std::uint64_t seed = 1'000; seed < 6'000; ++seed) {
    INFO("seed " << seed);
    const Experiment experiment = RandomJob(seed).make();
    const RunResult folded = run(experiment, true);
    REQUIRE(folded.folded);
    const RunResult full = run(experiment, false);
    REQUIRE(folded.fingerprint == full.fingerprint);
    REQUIRE(bytes_of(folded.links) == bytes_of(full.links));
  }
  for (std::uint64_t seed = 1'000; seed < 6'000; ++seed) {
    INFO("stages, seed " << seed);
    const Experiment experiment = RandomJob(seed, true).make();
    const RunResult folded = run(experiment, true), full = run(experiment, false);
    REQUIRE(folded.fingerprint == full.fingerprint);
    REQUIRE(bytes_of(folded.links) == bytes_of(full.links));
  }
}

// One all-reduce of 96 B in 2 chunks on 2 x 3 ranks, of which one thing at a time is changed.
Experiment plain() {
  Experiment experiment;
  experiment.npu.peak = teraflops_per_second(1);
  for (const std::int32_t size : {2, 3})
    experiment.topology.levels.push_back({"level " + std::to_string(size), LevelKind::switched,
                                          size, gigabytes_per_second(1), nanoseconds(1),
                                          Scope::local});
  experiment.system.minimum_chunk = bytes(1);
  for (CollectiveSpec& spec : experiment.system.collectives) spec.chunks = 2;
  ProgramSpec program;
  CollectiveCall call{};
  call.kind = Collective::all_reduce;
  call.size = bytes(96);
  program.parts.push_back({{}, {{"", {0, -1, call}, true}}});
  experiment.workload.what = program;
  return experiment;
}
ProgramSpec& program_of(Experiment& experiment) {
  return std::get<ProgramSpec>(experiment.workload.what);
}
CollectiveCall& call_of(Experiment& experiment) {
  return std::get<CollectiveCall>(program_of(experiment).parts[0].steps[0].operation.what);
}

TEST_CASE("what makes all ranks differ is said") {
  Experiment experiment = plain();
  const auto reason = [&] {
    const RunResult result = run(experiment, true);
    CHECK(result.ranks.size() == 6);
    CHECK(result.fingerprint == run(experiment, false).fingerprint);
    CHECK(why_not_folded(experiment) == result.unfolded_because);
    return result.unfolded_because;
  };
  CHECK(why_not_folded(experiment) == "");
  SECTION("a root") {
    call_of(experiment).kind = Collective::broadcast;
    CHECK(reason() == "the broadcast has a root");
  }
  SECTION("trees") {
    for (CollectiveSpec& spec : experiment.system.collectives) spec.algorithms = {"binary_tree"};
    CHECK(reason() == "the all_reduce goes by an algorithm in which ranks have different roles");
  }
  SECTION("one ring over both levels") {
    for (CollectiveSpec& spec : experiment.system.collectives)
      spec.schedule = HierarchicalSchedule::flat;
    CHECK(reason() == "the all_reduce goes over several levels at once");
  }
  SECTION("a byte too many") {  // 97 = 49 + 48; a ring cuts into as many parts as it has ranks
    call_of(experiment).size = bytes(97);
    CHECK(reason() == "a chunk of the all_reduce, 49 B, does not divide into 2 equal parts");
  }
  SECTION(
      "settings by size that do not divide either") {  // 96 B in 3 chunks; 32 = 2 x 16, not by 3
    for (CollectiveSpec& spec : experiment.system.collectives) {
      CollectiveSpec range = spec;
      range.chunks = 3;
      spec.ranges = {{bytes(1'000), range}};
    }
    CHECK(reason() == "a chunk of the all_reduce, 32 B, does not divide into 3 equal parts");
  }
  SECTION("no latency") {
    experiment.topology.levels[1].latency = Duration{};
    CHECK(reason() == "level 3 has no latency");
  }
  SECTION("meshes") {
    for (LevelSpec& level : experiment.topology.levels) level.kind = LevelKind::mesh;
    CHECK(reason() == "level 2 is a mesh, which has ends; level 3 is a mesh, which has ends");
  }
  SECTION("groups that are listed") {
    program_of(experiment).communicators = {std::vector<int>{0, 1}, RankLists{{0, 1, 2, 3, 4, 5}}};
    call_of(experiment).communicator = 1;
    CHECK(reason() == "the groups of communicator 1 are lists");
  }
  SECTION("two programs") {
    auto& parts = program_of(experiment).parts;
    parts.push_back(parts[0]);
    parts[0].ranks = {0, 1, 2};
    parts[1].ranks = {3, 4, 5};
    CHECK(reason() ==
          "rank 3 runs another program than rank 2; rank 3 runs another program than rank 1");
  }
  SECTION("a third of a ring") {
    experiment.topology.levels = {experiment.topology.levels[0]};
    experiment.topology.levels[0].kind = LevelKind::ring;
    experiment.topology.levels[0].size = 6;
    program_of(experiment).communicators = {std::vector<int>{0}, std::vector<Extent>{{2, 1}}};
    auto& parts = program_of(experiment).parts;
    parts.push_back(parts[0]);
    parts[0].ranks = {0, 1};
    parts[1].ranks = {2, 3, 4, 5};
    call_of(experiment).communicator = 1;
    std::get<CollectiveCall>(parts[1].steps[0].operation.what).communicator = 1;
    CHECK(reason() ==
          "rank 2 runs another program than rank 0; not all ranks along level 2 are alike");
  }
}

TEST_CASE("what makes some ranks differ leaves others alike") {
  Experiment experiment = plain();
  std::size_t represented_by = 3;
  SECTION("a mesh between nodes") { experiment.topology.levels[1].kind = LevelKind::mesh; }
  SECTION("two programs, one for the last node") {
    auto& parts = program_of(experiment).parts;
    parts.push_back(parts[0]);
    parts[0].ranks = {0, 1, 2, 3};
    parts[1].ranks = {4, 5};
  }
  SECTION("settings by size") {  // 96 B in 4 chunks of 24 = 2 x 3 x 4
    for (CollectiveSpec& spec : experiment.system.collectives) {
      CollectiveSpec range = spec;
      range.chunks = 4;
      spec.ranges = {{bytes(1'000), range}};
    }
    represented_by = 1;
  }
  SECTION("flags of a protocol, in each message") {  // 8 B and 16 B become 9 B and 18 B
    for (CollectiveSpec& spec : experiment.system.collectives) spec.protocol = Protocol::ll128;
    experiment.system.protocols = {{Protocol::ll128, "", {}, {}, {120, 128}}};
    represented_by = 1;
  }
  SECTION("groups that are half of a switch") {
    experiment.topology.levels = {experiment.topology.levels[0]};
    experiment.topology.levels[0].size = 6;
    program_of(experiment).communicators = {std::vector<int>{0}, std::vector<Extent>{{3, 1}}};
    call_of(experiment).communicator = 1;
    represented_by = 1;
  }
  const RunResult folded = run(experiment, true), full = run(experiment, false);
  CHECK(folded.unfolded_because == "");
  CHECK(folded.ranks.size() == represented_by);
  CHECK(full.ranks.size() == 6);
  check_equal(folded, full);
}

}  // namespace
}  // namespace orrery
