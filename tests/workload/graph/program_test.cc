#include "workload/graph/program.h"

#include <catch2/catch.hpp>
#include <stdexcept>

namespace orrery {
namespace {

Operation compute(OperationId id) { return {.id = id, .label = 0, .what = Compute{}}; }
Operation collective(OperationId id) {
  return {.id = id,
          .label = 0,
          .what = CollectiveCall{Collective::all_reduce, 0, bytes(8), Priority::normal, {}}};
}
Operation wait(OperationId id, OperationId target) {
  return {.id = id, .label = 0, .what = Wait{target}};
}

std::vector<OperationId> ids(const std::vector<Operation>& operations) {
  std::vector<OperationId> result;
  for (const Operation& operation : operations) result.push_back(operation.id);
  return result;
}

using Ids = std::vector<OperationId>;

Ids started(ProgramSource& source, Rank rank) {
  std::vector<Operation> ready;
  source.start(rank, ready);
  return ids(ready);
}

Ids released(ProgramSource& source, Rank rank, OperationId id) {
  std::vector<Operation> ready;
  source.finish(rank, id, ready);
  return ids(ready);
}

TEST_CASE("a program is handed out up to and with what holds the rank") {
  // 0 collective, 1 collective, 2 compute | 3 collective, 4 wait for 0 | 5 compute | 6 collective
  ProgramSource source(1, Program({collective(0), collective(1), compute(2), collective(3),
                                   wait(4, 0), compute(5), collective(6)}));
  CHECK(source.operation_count(0) == 7);
  CHECK(started(source, 0) == Ids{0, 1, 2});
  CHECK(released(source, 0, 1).empty());  // a collective's end releases nothing
  CHECK(released(source, 0, 2) == Ids{3, 4});
  CHECK(released(source, 0, 0).empty());
  CHECK(released(source, 0, 4) == Ids{5});
  CHECK(released(source, 0, 3).empty());  // issued before the compute that holds the rank now
  CHECK(released(source, 0, 5) == Ids{6});
  CHECK(released(source, 0, 6).empty());  // handed out last, but it holds nothing
}

TEST_CASE("ranks that share a program have cursors of their own") {
  ProgramSource source(3, Program({compute(0), compute(1)}));
  CHECK(started(source, 0) == Ids{0});
  CHECK(started(source, 2) == Ids{0});
  CHECK(released(source, 2, 0) == Ids{1});
  CHECK(started(source, 1) == Ids{0});
  CHECK(released(source, 0, 0) == Ids{1});
  CHECK(&source.program_of(0) == &source.program_of(2));
}

TEST_CASE("ranks can run different programs, also none at all") {
  std::vector<Program> programs;
  programs.push_back(Program({compute(0), collective(1)}));
  programs.push_back(Program({}));
  ProgramSource source(std::move(programs), {1, 0});
  CHECK(source.operation_count(0) == 0);
  CHECK(started(source, 0).empty());
  CHECK(source.operation_count(1) == 2);
  CHECK(started(source, 1) == Ids{0});
}

// Operations 0 and 1 are nowhere, 2 to 4 belong to micro-batch 7.
TEST_CASE("an operation is where the last place before it says") {
  Program program({compute(0), compute(1), compute(2), compute(3), compute(4)});
  CHECK(program.place_of(3) == OperationPlace{});
  OperationPlace seventh;
  seventh.micro_batch = 7;
  program.set_places(std::make_shared<const Program::Places>(
      Program::Places{{0, OperationPlace{}}, {2, seventh}}));
  const ProgramSource source(2, std::move(program));
  CHECK(source.place_of(0, 1) == OperationPlace{});
  CHECK(source.place_of(0, 2) == seventh);
  CHECK(source.place_of(1, 4) == seventh);
  CHECK(source.find(1, 4)->id == 4);
}

TEST_CASE("a program that contradicts itself is refused") {
  CHECK_THROWS_AS(Program({compute(1)}), std::logic_error);
  CHECK_THROWS_AS(Program({wait(0, 0)}), std::logic_error);
  CHECK_THROWS_AS(Program({collective(0), wait(1, 2)}), std::logic_error);
  CHECK_THROWS_AS(ProgramSource(std::vector<Program>{}, {0}), std::logic_error);
}

}  // namespace
}  // namespace orrery
