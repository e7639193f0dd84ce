#include "workload/graph/packed_operation.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <memory>

namespace orrery {
namespace {

Compute work_of(const Operation& operation) { return std::get<Compute>(operation.what); }

Operation there_and_back(const Operation& operation, bool fits = true) {
  PackedOperation::Others others;
  const PackedOperation packed(operation, others);
  CHECK(packed.is_other() != fits);
  CHECK(others.empty() == fits);
  CHECK(packed.label() == operation.label);
  return packed.unpacked(others);
}

TEST_CASE("work comes back from a packed operation") {
  Compute timed;
  timed.measured = Duration{std::numeric_limits<std::int64_t>::max()};
  timed.memory_traffic = bytes(std::int64_t{1} << 62);
  timed.lane = 100'000;
  const Compute one = work_of(there_and_back({0, 7, timed}));
  CHECK(one.measured == timed.measured);
  CHECK(one.memory_traffic == timed.memory_traffic);
  CHECK(one.lane == timed.lane);

  Compute sized;
  sized.flops = Flops{std::int64_t{1} << 50};
  const Compute two = work_of(there_and_back({0, -7, sized}));
  CHECK(!two.measured);
  CHECK(two.flops == sized.flops);

  // What has more to say is kept as it is.
  Compute shaped = sized;
  shaped.kernel = Kernel::attention;
  shaped.shape = {3, 4, 5};
  const Compute three = work_of(there_and_back({0, 0, shaped}, false));
  CHECK(three.kernel == Kernel::attention);
  CHECK(three.shape == shaped.shape);
}

TEST_CASE("communication comes back from a packed operation") {
  const CollectiveCall call{.kind = Collective::barrier,
                            .communicator = (1 << 25) - 1,  // 25 bits are left of 32
                            .size = bytes(12'345'678'901),
                            .priority = Priority::highest,
                            .update = {},
                            .number = 2'000'000'000};
  const Operation back = there_and_back({0, 3, call});
  const auto& one = std::get<CollectiveCall>(back.what);
  CHECK(one.kind == call.kind);
  CHECK(one.communicator == call.communicator);
  CHECK(one.size == call.size);
  CHECK(one.priority == call.priority);
  CHECK(one.number == call.number);
  CHECK(one.pair_sizes == nullptr);

  CollectiveCall rooted = call;
  rooted.root = 2;
  CHECK(std::get<CollectiveCall>(there_and_back({0, 3, rooted}, false).what).root == 2);
  CollectiveCall far = call;
  far.communicator = 1 << 25;
  CHECK(std::get<CollectiveCall>(there_and_back({0, 3, far}, false).what).communicator == 1 << 25);

  for (const Rank distance : {-(1 << 28), -1, 1, (1 << 28) - 1}) {
    const Operation sent = there_and_back({0, 0, SendCall{distance, bytes(9), -5, 70'000}});
    CHECK(std::get<SendCall>(sent.what).to == distance);
    CHECK(std::get<SendCall>(sent.what).size == bytes(9));
    CHECK(std::get<SendCall>(sent.what).tag == -5);
    CHECK(std::get<SendCall>(sent.what).number == 70'000);
    const Operation received = there_and_back({0, 0, ReceiveCall{distance, bytes(9), 5, -1}});
    CHECK(std::get<ReceiveCall>(received.what).from == distance);
    CHECK(std::get<ReceiveCall>(received.what).tag == 5);
    CHECK(std::get<ReceiveCall>(received.what).number == -1);
  }
  CHECK(std::get<SendCall>(there_and_back({0, 0, SendCall{1 << 28, bytes(9)}}, false).what).to ==
        1 << 28);
}

TEST_CASE("a packed operation takes another lane, label and call") {
  PackedOperation::Others others;
  PackedOperation work({0, 1, Compute{}}, others);
  const std::uint64_t before = work.digest_after(0);
  work.set_lane(9);
  work.set_label(2);
  CHECK(work_of(work.unpacked(others)).lane == 9);
  CHECK(work.unpacked(others).label == 2);
  CHECK(work.digest_after(0) != before);

  PackedOperation call({0, 1, CollectiveCall{Collective::all_gather, 3, bytes(8), Priority{4}, {}}},
                       others);
  call.set_call(5, 6, bytes(32));
  const Operation unpacked = call.unpacked(others);
  const auto& changed = std::get<CollectiveCall>(unpacked.what);
  CHECK(changed.kind == Collective::all_gather);
  CHECK(changed.communicator == 5);
  CHECK(changed.number == 6);
  CHECK(changed.size == bytes(32));
  CHECK(changed.priority == Priority{4});
}

}  // namespace
}  // namespace orrery
