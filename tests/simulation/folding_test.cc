// A folded run must be the run of all ranks, bit for bit: random jobs in which all ranks are alike,
// or those that differ in some digits of their numbers only.
#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/simulation/equal_runs.h"
#include "tests/simulation/random_job.h"

namespace orrery {
namespace {

using test::bytes_of;
using test::check_equal;
using test::RandomJob;
using test::run;

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

TEST_CASE("with flows that share links too, many of them", "[slow]") {
  for (std::uint64_t seed = 1'000; seed < 5'000; ++seed) {
    INFO("seed " << seed);
    Experiment experiment = RandomJob(seed, seed % 2 == 1).make();
    experiment.network.backend = "fluid";
    const RunResult folded = run(experiment, true), full = run(experiment, false);
    REQUIRE(folded.fingerprint == full.fingerprint);
    REQUIRE(bytes_of(folded.links) == bytes_of(full.links));
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
  SECTION("no latency") {
    experiment.topology.levels[1].latency = Duration{};
    CHECK(reason() == "level 3 has no latency");
  }
  SECTION("meshes") {
    for (LevelSpec& level : experiment.topology.levels) level.kind = LevelKind::mesh;
    CHECK(reason() == "level 2 is a mesh, which has ends; level 3 is a mesh, which has ends");
  }
  SECTION("lists that do not step evenly") {
    program_of(experiment).communicators = {std::vector<int>{0, 1},
                                            RankLists{{0, 1, 2}, {3, 4, 5}}};
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
  SECTION("a byte too many") {  // 97 = 49 + 48; a ring cuts into as many parts as it has ranks
    call_of(experiment).size = bytes(97);
    represented_by = 1;
  }
  SECTION("a list that steps evenly") {
    program_of(experiment).communicators = {std::vector<int>{0, 1}, RankLists{{0, 1, 2, 3, 4, 5}}};
    call_of(experiment).communicator = 1;
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
