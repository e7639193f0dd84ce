// A folded run must be the run of all ranks, bit for bit: random jobs in which all ranks are alike,
// with round numbers, so that much happens at the same picosecond.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "frontends/simulate.h"

namespace orrery {
namespace {

class RandomJob {
 public:
  explicit RandomJob(std::uint64_t seed) : random_(seed, "folding") {}

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
    return one_of<std::string>({"ring", "ring:2", "ring:3", "direct", "direct:1", "pat"});
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
    const auto communicators = static_cast<std::int32_t>(program.communicators.size());

    ProgramSpec::Part part;
    std::vector<std::int64_t> calls;
    const std::int32_t steps = between(2, 9);
    for (std::int32_t i = 0; i < steps; ++i) {
      ProgramSpec::Step step;
      const std::int32_t what = between(0, 5);
      if (what == 0) {
        step.operation.what =
            Compute{{}, {}, nanoseconds(one_of<std::int64_t>({0, 1, 24, 100, 500}))};
      } else if (what == 1 && !calls.empty()) {
        step.operation.what = Wait{one_of(calls)};
      } else {
        step.operation.what = call(communicators);
        step.wait = between(0, 3) == 0;
        calls.push_back(i);
      }
      part.steps.push_back(step);
    }
    program.parts.push_back(part);
    workload.what = program;
    workload.iterations = between(1, 3);
  }

  RandomStream random_;
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
  for (const LinkRow& link : links) bytes[link.level + ": " + link.name] = link.bytes.value;
  return bytes;
}

std::map<std::string, std::int64_t> bytes_of(const std::vector<LevelRow>& levels) {
  std::map<std::string, std::int64_t> bytes;
  for (const LevelRow& row : levels) bytes[row.name + ": " + row.collective] = row.bytes.value;
  return bytes;
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
  REQUIRE(folded.ranks.size() == 1);
  CHECK(folded.ranks[0].multiplicity == static_cast<std::int32_t>(full.ranks.size()));
  for (const RankRow& rank : full.ranks) {
    CHECK(rank.finish == folded.ranks[0].finish);
    CHECK(rank.compute == folded.ranks[0].compute);
    CHECK(rank.exposed == folded.ranks[0].exposed);
    CHECK(rank.idle == folded.ranks[0].idle);
  }
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

TEST_CASE("what makes ranks differ is said, and every rank is simulated") {
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
  SECTION("no latency") {
    experiment.topology.levels[1].latency = Duration{};
    CHECK(reason() == "level 3 has no latency");
  }
  SECTION("a mesh") {
    experiment.topology.levels[1].kind = LevelKind::mesh;
    CHECK(reason() == "level 3 is a mesh, which has ends");
  }
  SECTION("groups that are listed") {
    program_of(experiment).communicators = {std::vector<int>{0, 1}, RankLists{{0, 1, 2, 3, 4, 5}}};
    call_of(experiment).communicator = 1;
    CHECK(reason() == "the groups of communicator 1 are lists");
  }
  SECTION("settings by size") {
    for (CollectiveSpec& spec : experiment.system.collectives) {
      CollectiveSpec range = spec;
      range.chunks = 3;
      spec.ranges = {{bytes(1'000), range}};
    }
    CHECK(reason() == "how the all_reduce is done is selected call by call");
  }
  SECTION("two programs") {
    auto& parts = program_of(experiment).parts;
    parts.push_back(parts[0]);
    parts[0].ranks = {0, 1, 2, 3};
    parts[1].ranks = {4, 5};
    CHECK(reason() == "rank 4 runs another program than rank 0");
  }
  SECTION("half of a level") {
    experiment.topology.levels.pop_back();
    experiment.topology.levels[0].size = 6;
    program_of(experiment).communicators = {std::vector<int>{0}, std::vector<Extent>{{3, 1}}};
    call_of(experiment).communicator = 1;
    CHECK(reason() == "a group of the all_reduce does not consist of whole levels");
  }
}

}  // namespace
}  // namespace orrery
