// What is wrong with workloads that are no transformers, without a file.
#include <catch2/catch.hpp>
#include <string>

#include "tests/problem_keys.h"
#include "workload/problems.h"

using namespace orrery;
using orrery::test::keys;

namespace {

// Four NPUs.
PlatformFacts four() {
  LevelSpec level;
  level.size = 2;
  return facts_of({{level, level}});
}

DlrmSpec small_dlrm() {
  DlrmSpec spec;
  spec.global_batch = 8;
  spec.sparse_features = 2;
  spec.embedding_dimension = 4;
  spec.pooling = 1;
  spec.dense_features = 3;
  spec.bottom_mlp = {5, 4};
  spec.top_mlp = {6, 1};
  spec.element = Bytes{2};
  return spec;
}

ProgramSpec::Step step(decltype(Operation::what) what) {
  ProgramSpec::Step step{};
  step.operation.what = std::move(what);
  return step;
}

WorkloadSpec workload_of(decltype(WorkloadSpec::what) what) {
  WorkloadSpec workload;
  workload.what = std::move(what);
  return workload;
}

std::string wrong(decltype(WorkloadSpec::what) what, std::int32_t iterations = 1) {
  WorkloadSpec workload = workload_of(std::move(what));
  workload.iterations = iterations;
  return keys(problems_of(workload, four()));
}

}  // namespace

TEST_CASE("a recommendation model") {
  DlrmSpec spec = small_dlrm();
  CHECK(wrong(spec) == "");
  spec.global_batch = 6;  // on four NPUs
  spec.bottom_mlp.back() = 5;
  CHECK(wrong(spec) == "model.bottom_mlp model.global_batch");
  spec.bottom_mlp.clear();
  CHECK(wrong(spec) == "model.bottom_mlp");
  CHECK(keys(idle_settings(spec)) == "cross_layers");
}

TEST_CASE("servers are ranks of the job and leave some that train") {
  StackTraining training;
  training.servers = {0, 3};
  CHECK(wrong(training) == "");
  training.servers = {0, 4};
  CHECK(wrong(training) == "data_parallel.servers");
  training.servers = {0, 1, 2, 3};
  CHECK(wrong(training) == "data_parallel.servers");
  training = {};
  training.batch = std::int64_t{1} << 32;
  training.layers = {{"wide", 1, std::int64_t{1} << 40}};  // 2^72 multiply-adds
  CHECK(wrong(training) == "data_parallel.batch");
}

TEST_CASE("the dimensions of a layer table are the levels in some order") {
  LayerTableWorkload table;
  table.dimensions = {1, 0};
  CHECK(wrong(table) == "");
  table.dimensions = {1};
  CHECK(wrong(table) == "dimensions");
  table.dimensions = {1, 1};
  CHECK(wrong(table) == "dimensions");
}

TEST_CASE("a program exchanges messages with others, and no rank is in two parts") {
  ProgramSpec program;
  program.parts = {{{0}, {step(SendCall{1, bytes(8), 0})}},
                   {{1}, {step(ReceiveCall{0, bytes(8), 0}), step(Wait{0})}}};
  CHECK(wrong(program) == "");
  std::get<SendCall>(program.parts[0].steps[0].operation.what).to = 0;
  CHECK(wrong(program) == "program[0].operations[0].to");
  std::get<SendCall>(program.parts[0].steps[0].operation.what).to = 4;
  std::get<Wait>(program.parts[1].steps[1].operation.what).operation = 1;
  CHECK(wrong(program) == "program[0].operations[0].to program[1].operations[1].wait");
  program.parts[1].ranks = {0};
  CHECK(wrong(program) == "program[1].ranks");
}

TEST_CASE("the root of a collective is among those that take part") {
  ProgramSpec program;
  program.communicators = {std::vector<int>{0, 1}, std::vector<int>{0}};
  CollectiveCall call{Collective::broadcast, 1, bytes(8), {}, {}};
  call.root = 1;
  program.parts = {{{}, {step(call)}}};
  CHECK(wrong(program) == "");
  call.root = 2;  // of two ranks
  program.parts = {{{}, {step(call)}}};
  CHECK(wrong(program) == "program[0].operations[0].root");
  program.communicators = {std::vector<int>{0, 1}, std::vector<Extent>{{3, 1}}};
  CHECK(wrong(program) == "program.count");
}

TEST_CASE("jobs have names and NPUs of their own") {
  DlrmSpec model = small_dlrm();
  const PlacedWorkload first{"a", {0, 1}, {}, workload_of(model)},
      second{"b", {2, 3}, {}, workload_of(model)};
  CHECK(wrong(JobsSpec{{first, second}}) == "");
  PlacedWorkload other = second;
  other.name = first.name;
  other.npus = {1, 2};
  CHECK(wrong(JobsSpec{{first, other}}) == "jobs[1] jobs[1].npus");
  other = second;
  std::get<DlrmSpec>(other.workload.what).global_batch = 7;
  CHECK(wrong(JobsSpec{{first, other}}) == "jobs[1].model.global_batch");
}

TEST_CASE("a workload is repeated once at least") { CHECK(wrong(small_dlrm(), 0) == "iterations"); }
