#include "workload/graph/placed_jobs.h"

#include <catch2/catch.hpp>

#include "tests/workload/describe_job.h"
#include "workload/graph/program.h"

namespace orrery {
namespace {

Topology nodes_of_two(int nodes) {
  const auto level = [](const char* name, int size) {
    LevelSpec spec;
    spec.name = name;
    spec.size = size;
    spec.bandwidth = gigabytes_per_second(1);
    return spec;
  };
  return Topology(TopologySpec{.levels = {level("node", 2), level("fabric", nodes)}});
}

// Every rank computes, calls each communicator once and sends to the next rank.
Job job_of(std::int32_t ranks, std::vector<Grouping> groupings) {
  Job job;
  job.ranks = ranks;
  job.labels = {{.layer = "step"}};
  std::vector<Operation> operations;
  const auto append = [&](decltype(Operation::what) what) {
    const auto id = static_cast<OperationId>(operations.size());
    operations.push_back({.id = id, .label = 0, .what = std::move(what)});
  };
  append(Compute{Flops{}, Bytes{}, microseconds(1)});
  for (const Grouping& grouping : groupings) {
    CollectiveCall call{};
    call.kind = Collective::all_reduce;
    call.communicator = static_cast<std::int32_t>(job.communicators.size());
    call.size = bytes(8);
    job.communicators.push_back({"group " + std::to_string(call.communicator), grouping});
    append(call);
  }
  append(SendCall{.to = ranks - 1, .size = bytes(1)});
  job.operations = std::make_unique<ProgramSource>(ranks, Program(std::move(operations)));
  return job;
}

const RankLists& lists(const Job& job, std::size_t communicator) {
  return std::get<RankLists>(job.communicators.at(communicator).groups);
}

// NPUs 0 1 | 2 3 | 4 5 | 6 7. Red has 0, 1, 4 and 5, two whole nodes; blue has 3, 6 and 7.
TEST_CASE("groups of placed jobs are those of their own NPUs") {
  const Topology topology = nodes_of_two(4);
  std::vector<PlacedJob> jobs;
  const std::vector<int> node = {0}, fabric = {1}, all = {0, 1};
  const std::vector<Extent> pairs = {{2, 1}};
  jobs.push_back({"red", {0, 1, 4, 5}, Duration{}, job_of(4, {node, fabric, pairs})});
  jobs.push_back({"blue", {3, 6, 7}, microseconds(5), job_of(3, {all, node, fabric})});
  Job placed = place_jobs(std::move(jobs), topology);

  REQUIRE(placed.communicators.size() == 6);
  CHECK(placed.communicators[0].name == "red/group 0");
  CHECK(lists(placed, 0) == RankLists{{0, 1}, {4, 5}});  // of a node
  CHECK(lists(placed, 1) == RankLists{{0, 4}, {1, 5}});  // the same place in each node
  CHECK(lists(placed, 2) == RankLists{{0, 1}, {4, 5}});  // ranks 0, 1 and 2, 3 of the job
  CHECK(lists(placed, 3) == RankLists{{3, 6, 7}});
  CHECK(lists(placed, 4) == RankLists{{6, 7}});  // 3 is alone in its node
  CHECK(lists(placed, 5) == RankLists{{3, 7}});  // second places; 6 is alone in a first one

  CHECK(placed.labels[0].layer == "red/step");
  CHECK(placed.start[1] == Duration{});
  CHECK(placed.start[6] == microseconds(5));
  CHECK(placed.operations->operation_count(2) == 0);  // of no job
  using Lines = std::vector<std::string>;
  CHECK(test::describe(placed, 4) ==
        Lines{"compute 0 red/step", "all_reduce red/group 0 8 0 red/step",
              "all_reduce red/group 1 8 0 red/step", "all_reduce red/group 2 8 0 red/step",
              "send to 5 0 red/step"});
  CHECK(test::describe(placed, 6) == Lines{"compute 0 blue/step",
                                           "all_reduce blue/group 0 8 0 blue/step",
                                           "all_reduce blue/group 1 8 0 blue/step",
                                           "compute 0 blue/step", "send to 7 0 blue/step"});
}

// Rank 1 of the job, on NPU 6, receives from rank 0 of the job, which is on NPU 3.
TEST_CASE("a placed job receives from its own ranks") {
  Job job = job_of(2, {});
  std::vector<Operation> operations = {
      {.id = 0, .label = 0, .what = ReceiveCall{.from = 0, .size = bytes(1)}}};
  job.operations = std::make_unique<ProgramSource>(2, Program(std::move(operations)));
  std::vector<PlacedJob> jobs;
  jobs.push_back({"red", {3, 6}, Duration{}, std::move(job)});
  Job placed = place_jobs(std::move(jobs), nodes_of_two(4));
  CHECK(test::describe(placed, 6) == std::vector<std::string>{"receive from 3 0 red/step"});
}

}  // namespace
}  // namespace orrery
