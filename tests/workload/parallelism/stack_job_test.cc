#include "workload/parallelism/stack_job.h"

#include <catch2/catch.hpp>

#include "tests/workload/describe_job.h"
#include "workload/parallelism/parameter_server.h"
#include "workload/workload.h"

namespace orrery {
namespace {

using Lines = std::vector<std::string>;

// Three layers of 10, 20 and 30 parameters, 2 B each.
StackTraining three_layers(std::int64_t bucket) {
  StackTraining training;
  for (int i = 0; i < 3; ++i)
    training.layers.push_back({.name = std::string(1, static_cast<char>('a' + i)),
                               .parameters = 10 * (i + 1),
                               .multiply_adds = 100,
                               .inputs = 4,
                               .outputs = 4});
  training.gradient_element = bytes(2);
  training.bucket = bytes(bucket);
  return training;
}

// Backwards 30 parameters are 60 B, enough for 50; 20 and 10 together 60 B.
TEST_CASE("gradients fill buckets in the order of the backward pass") {
  const auto buckets = buckets_of(three_layers(50));
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].first_layer == 2);
  CHECK(buckets[0].last_layer == 2);
  CHECK(buckets[0].parameters == 30);
  CHECK(buckets[1].first_layer == 0);
  CHECK(buckets[1].last_layer == 1);
  CHECK(buckets[1].parameters == 30);
  CHECK(buckets_of(three_layers(1'000)).size() == 1);  // what is left
}

TEST_CASE("a data-parallel step overlaps its exchange with the backward pass") {
  Job job = make_stack_job(three_layers(50), 1, 4, 1);
  CHECK(test::describe(job, 3) ==
        Lines{"compute 0 a forward", "compute 0 b forward", "compute 0 c forward", "compute 0 c wg",
              "all_reduce data 60 0 bucket 0", "compute 0 c ig", "compute 0 b wg", "compute 0 b ig",
              "compute 0 a wg", "all_reduce data 60 0 bucket 1", "wait    0 bucket 0",
              "wait    0 bucket 1", "compute 0 optimizer"});
  StackTraining alone = three_layers(50);
  alone.overlap = false;
  Job blocking = make_stack_job(alone, 1, 4, 1);
  const Lines lines = test::describe(blocking, 0);
  CHECK(lines[5] == "wait    0 bucket 0");
}

// Of a sample 2 x 100 operations; 4 + 4 elements and, once for the batch of 3, 10 parameters: 34
// elements of 2 B. With batch norm 8 elements more per sample.
TEST_CASE("a layer's work follows from its shape") {
  StackTraining training = three_layers(50);
  training.batch = 3;
  training.layers[1].normalised = true;
  Job job = make_stack_job(training, 1, 4, 1);
  const std::vector<Operation> operations = test::drain(job, 0);
  const Compute& plain = std::get<Compute>(operations[0].what);
  CHECK(plain.flops == flops(600));
  CHECK(plain.memory_traffic == bytes(2 * (3 * 8 + 10)));
  const Compute& normalised = std::get<Compute>(operations[1].what);
  CHECK(normalised.memory_traffic == bytes(2 * (3 * 8 + 20 + 3 * 2 * 4)));
}

// Rank 2 of 3 serves; the worker sends it the bucket and takes it back before the next iteration.
TEST_CASE("workers push to every server and pull from it") {
  StackTraining training = three_layers(1'000);
  training.servers = {1, 2};
  Job job = make_stack_job(training, 1, 3, 2);
  const Lines lines = test::describe(job, 0);
  CHECK(lines[8] == "send to 1 0 bucket 0");  // after three forward and five backward passes
  CHECK(lines[9] == "receive from 1 0 bucket 0");
  CHECK(lines[10] == "send to 2 0 bucket 0");
  CHECK(lines[12] == "wait    0 bucket 0");
  CHECK(lines[14] == "compute 1 a forward");
}

// One server, two workers, one bucket; ids count receive, update, reply of each worker's iteration.
class Server {
 public:
  explicit Server(std::optional<std::int32_t> staleness) {
    StackTraining training = three_layers(1'000);
    training.servers = {0};
    training.staleness = staleness;
    source_ = make_parameter_server_operations(training, 3, iterations);
    std::vector<Operation> ready;
    source_->start(0, ready);
    CHECK(ready.size() == 2);  // a receive of each worker
  }

  // To whom replies go when the update of a worker's iteration is done.
  std::vector<Rank> replies(std::int32_t worker, std::int32_t iteration) {
    std::vector<Operation> ready;
    const OperationId receive = (worker * iterations + iteration) * 3;
    source_->finish(0, receive, ready);
    CHECK(std::holds_alternative<Compute>(ready.at(0).what));
    ready.clear();
    source_->finish(0, receive + 1, ready);
    std::vector<Rank> targets;
    for (const Operation& operation : ready)
      targets.push_back(std::get<SendCall>(operation.what).to);
    return targets;
  }

 private:
  static constexpr std::int32_t iterations = 4;
  std::unique_ptr<OperationSource> source_;
};

TEST_CASE("staleness bounds how far a worker runs ahead") {
  using Ranks = std::vector<Rank>;
  Server synchronous(0);
  CHECK(synchronous.replies(0, 0).empty());
  CHECK(synchronous.replies(1, 0) == Ranks{1, 2});

  Server bounded(1);
  CHECK(bounded.replies(0, 0) == Ranks{1});  // one ahead
  CHECK(bounded.replies(0, 1).empty());      // two ahead
  CHECK(bounded.replies(1, 0) == Ranks{1, 2});

  Server unbounded(std::nullopt);
  CHECK(unbounded.replies(0, 0) == Ranks{1});
  CHECK(unbounded.replies(0, 1) == Ranks{1});
  CHECK(unbounded.replies(0, 2) == Ranks{1});
}

}  // namespace
}  // namespace orrery
