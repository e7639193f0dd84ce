// Whom the collectives of a loop join, which are issued, and what they and the computes carry.
#include "tests/workload/parallelism/three_layers.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

using test::Levels;
using test::Lines;
using test::loop;
using test::three_layers;

TEST_CASE("who takes part, by policy, on three levels") {
  struct Case {
    ParallelismPolicy policy;
    Levels dimensions;
    std::vector<Levels> communicators;
  };
  const Levels natural, outermost_first = {2, 1, 0};
  const std::vector<Case> cases = {
      {ParallelismPolicy::micro, natural, {{0, 1, 2}}},
      {ParallelismPolicy::data, natural, {{0, 1, 2}}},
      {ParallelismPolicy::model, natural, {{0, 1, 2}}},
      {ParallelismPolicy::distributed_inference, natural, {{0, 1, 2}}},
      {ParallelismPolicy::hybrid_dlrm, natural, {{0, 1, 2}}},
      {ParallelismPolicy::hybrid_data_model, natural, {{0}, {1, 2}}},
      {ParallelismPolicy::hybrid_model_data, natural, {{1, 2}, {0}}},
      // dimension 0 is level 2; levels are listed ascending whatever the dimensions' order
      {ParallelismPolicy::hybrid_data_model, outermost_first, {{2}, {0, 1}}},
      {ParallelismPolicy::hybrid_model_data, outermost_first, {{0, 1}, {2}}},
      {ParallelismPolicy::data, outermost_first, {{0, 1, 2}}},
  };
  for (const Case& c : cases) {
    LayerTable table = three_layers(c.policy);
    table.last_bottom_layer = 1;
    const Job job = make_training_job(table, 3, 8, c.dimensions, 1);
    std::vector<Levels> levels;
    for (const Communicator& communicator : job.communicators) {
      levels.push_back(std::get<Levels>(communicator.groups));
    }
    CAPTURE(static_cast<int>(c.policy), c.dimensions.size());
    CHECK(levels == c.communicators);
  }
}

TEST_CASE("a collective without anyone to talk to is not issued, nor waited for") {
  // On one level dimensions 1.. are empty: HYBRID_DATA_MODEL is MODEL, HYBRID_MODEL_DATA is the
  // MODEL loop without exchanges, but with gradients.
  const auto on_one_level = [](ParallelismPolicy policy) {
    Job job = make_training_job(three_layers(policy), 1, 4, {}, 2);
    return test::describe(job, 0);
  };
  CHECK(on_one_level(ParallelismPolicy::hybrid_data_model) ==
        on_one_level(ParallelismPolicy::model));
  for (const std::string& line : on_one_level(ParallelismPolicy::hybrid_model_data)) {
    CAPTURE(line);
    CHECK(line.find("model") == std::string::npos);
    const bool is_wait = line.starts_with("wait");
    CHECK((!is_wait || line.ends_with("wg")));
  }
}

TEST_CASE("no collective is not issued, a collective of no bytes is") {
  LayerTable table = three_layers(ParallelismPolicy::data);
  table.layers[1].weight_gradient.collective.reset();
  table.layers[2].weight_gradient.size = bytes(0);
  CHECK(loop(table, 1) == Lines{
                              "compute 0 A forward",
                              "compute 0 B forward",
                              "compute 0 C forward",
                              "compute 0 C wg",
                              "all_reduce data 0 0 C wg",
                              "compute 0 C ig",
                              "compute 0 B wg",
                              "compute 0 B ig",
                              "compute 0 A wg",
                              "all_reduce data 301 0 A wg",
                              "wait    0 A wg",
                              "wait    0 C wg",
                          });
}

TEST_CASE("a wait names the operation it waits for, under the same label") {
  LayerTable table = three_layers(ParallelismPolicy::hybrid_dlrm);
  table.last_bottom_layer = 1;
  Job job = make_training_job(table, 2, 8, {}, 3);
  const std::vector<Operation> operations = test::drain(job, 0);
  int waits = 0;
  for (const Operation& operation : operations) {
    const Wait* wait = std::get_if<Wait>(&operation.what);
    if (wait == nullptr) continue;
    ++waits;
    const Operation& target = operations[static_cast<std::size_t>(wait->operation)];
    CHECK(std::holds_alternative<CollectiveCall>(target.what));
    CHECK(target.label == operation.label);
  }
  CHECK(waits == 3 * 5);  // an iteration has 3 all-reduces and 2 all-to-alls
}

TEST_CASE("a collective carries its layer's update, a compute its pass's time") {
  Job job = make_training_job(three_layers(ParallelismPolicy::data), 2, 8, {}, 1);
  const std::vector<Operation> operations = test::drain(job, 0);
  CHECK(std::get<Compute>(operations[1].what).measured == nanoseconds(20));      // forward of B
  CHECK(std::get<Compute>(operations[3].what).measured == nanoseconds(32));      // wg of C
  CHECK(std::get<Compute>(operations[5].what).measured == nanoseconds(31));      // ig of C
  CHECK(std::get<CollectiveCall>(operations[4].what).update == nanoseconds(3));  // C
}

TEST_CASE("there is a row for what happens, in the order of iterations, layers and passes") {
  const Job job = make_training_job(three_layers(ParallelismPolicy::micro), 2, 8, {}, 2);
  Lines rows;
  for (std::int32_t label = 0; label < static_cast<std::int32_t>(job.labels.size()); ++label) {
    rows.push_back(test::row(job, label));
  }
  CHECK(rows == Lines{"0 A wg", "0 B wg", "0 C wg", "1 A wg", "1 B wg", "1 C wg"});
  // DATA: forward and wg of all layers, ig of all but the first
  CHECK(make_training_job(three_layers(ParallelismPolicy::data), 2, 8, {}, 2).labels.size() == 16);
}

}  // namespace
}  // namespace orrery
