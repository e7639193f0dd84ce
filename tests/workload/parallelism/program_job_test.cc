#include <catch2/catch.hpp>
#include <stdexcept>

#include "tests/workload/describe_job.h"
#include "workload/workload.h"

namespace orrery {
namespace {

using Lines = std::vector<std::string>;
using Step = ProgramSpec::Step;

Operation operation(decltype(Operation::what) what) {
  return {.id = -1, .label = -1, .what = what};
}

Operation all_reduce(std::int64_t size, std::int32_t communicator = 0) {
  return operation(
      CollectiveCall{Collective::all_reduce, communicator, bytes(size), Priority::normal, {}});
}

TEST_CASE("one part for all ranks, repeated") {
  ProgramSpec spec;
  spec.parts.push_back(
      {.ranks = {},
       .steps = {Step{"gradients", all_reduce(8), false}, Step{"work", operation(Compute{}), true},
                 Step{"", all_reduce(9), true}, Step{"", operation(Wait{0}), false}}});
  Job job = make_program_job(spec, 1, 4, 2);
  CHECK(test::describe(job, 3) == Lines{
                                      "all_reduce world 8 0 gradients",
                                      "compute 0 work",  // holds the rank by itself
                                      "all_reduce world 9 0 step 2",
                                      "wait    0 step 2",
                                      "wait    0 gradients",
                                      "all_reduce world 8 1 gradients",
                                      "compute 1 work",
                                      "all_reduce world 9 1 step 2",
                                      "wait    1 step 2",
                                      "wait    1 gradients",
                                  });
  CHECK(job.ranks == 4);
  CHECK(job.labels.size() == 2 * 3);  // a wait has no row of its own

  // Step 3 waits for step 0, whatever implicit waits stand between: operation 0, and 5 later on.
  const std::vector<Operation> operations = [&] {
    Job again = make_program_job(spec, 1, 4, 2);
    return test::drain(again, 0);
  }();
  CHECK(std::get<Wait>(operations[4].what).operation == 0);
  CHECK(std::get<Wait>(operations[9].what).operation == 5);
}

TEST_CASE("parts name their ranks; a rank in none does nothing") {
  ProgramSpec spec;
  spec.parts.push_back(
      {.ranks = {2}, .steps = {Step{"ping", operation(SendCall{0, bytes(5)}), true}}});
  spec.parts.push_back(
      {.ranks = {0}, .steps = {Step{"ping", operation(ReceiveCall{2, bytes(5)}), true}}});
  Job job = make_program_job(spec, 1, 3, 1);
  CHECK(test::describe(job, 0) == Lines{"receive from 2 0 ping", "wait    0 ping"});
  CHECK(test::describe(job, 1).empty());
  CHECK(job.operations->operation_count(1) == 0);
  CHECK(test::describe(job, 2) == Lines{"send to 0 0 ping", "wait    0 ping"});
  CHECK(job.labels.size() == 2);  // steps of one name share a row if they do the same
}

TEST_CASE("communicators: all levels first, then those of the specification") {
  ProgramSpec spec;
  spec.parts.push_back({.ranks = {}, .steps = {Step{"", all_reduce(8, 1), true}}});
  spec.communicators = {std::vector{0, 1}, std::vector{1}};
  Job job = make_program_job(spec, 2, 4, 1);
  REQUIRE(job.communicators.size() == 2);
  CHECK(job.communicators[0].groups == Grouping(std::vector{0, 1}));
  CHECK(job.communicators[1].groups == Grouping(std::vector{1}));
  CHECK(test::describe(job, 0)[0] == "all_reduce communicator 1 8 0 step 0");

  spec.communicators.clear();
  CHECK(make_program_job(spec, 2, 4, 1).communicators.size() == 1);
}

TEST_CASE("a hand-written job that contradicts itself is refused") {
  ProgramSpec spec;
  spec.parts.push_back({.ranks = {}, .steps = {Step{"", operation(Wait{0}), false}}});
  CHECK_THROWS_AS(make_program_job(spec, 1, 2, 1), std::logic_error);  // waits for itself

  spec.parts = {{.ranks = {0}, .steps = {}}, {.ranks = {}, .steps = {}}};
  CHECK_THROWS_AS(make_program_job(spec, 1, 2, 1), std::logic_error);  // rank 0 twice

  spec.parts = {{.ranks = {2}, .steps = {}}};
  CHECK_THROWS_AS(make_program_job(spec, 1, 2, 1), std::logic_error);  // ranks are 0 and 1
}

}  // namespace
}  // namespace orrery
