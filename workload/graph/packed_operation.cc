#include "workload/graph/packed_operation.h"

#include <variant>

#include "core/base/check.h"
#include "core/base/hash.h"

namespace orrery {

namespace {

std::int64_t both(std::int32_t high, std::int32_t low) {
  return static_cast<std::int64_t>(std::uint64_t{static_cast<std::uint32_t>(high)} << 32U |
                                   static_cast<std::uint32_t>(low));
}
std::int32_t high_of(std::int64_t both) { return static_cast<std::int32_t>(both >> 32); }
std::int32_t low_of(std::int64_t both) { return static_cast<std::int32_t>(both & 0xFFFF'FFFF); }

}  // namespace

PackedOperation::PackedOperation(const Operation& operation, Others& others)
    : label_(operation.label) {
  if (std::visit([&](const auto& what) { return pack(what); }, operation.what)) return;
  head_ = static_cast<std::uint32_t>(Type::other);
  first_ = static_cast<std::int64_t>(others.size());
  second_ = 0;
  others.push_back(operation);
  others.back().id = 0;
}

bool PackedOperation::set_head(Type type, std::uint32_t between, std::uint32_t bits,
                               std::int64_t value) {
  const std::uint32_t shift = kTypeBits + bits;
  if (value < 0 || value >= std::int64_t{1} << (32 - shift)) return false;
  head_ = static_cast<std::uint32_t>(type) | between << kTypeBits |
          static_cast<std::uint32_t>(value) << shift;
  return true;
}

bool PackedOperation::pack(const Compute& work) {
  const bool is_timed = work.measured.has_value();
  if (work.kernel != Kernel::matrix || work.shape != MatrixShape{} || work.result != Bytes{})
    return false;
  if (is_timed ? work.flops != Flops{} : work.beside_communication) return false;
  first_ = is_timed ? work.measured->value : work.flops.value;
  second_ = work.memory_traffic.value;
  const Type timed = work.beside_communication ? Type::recorded : Type::timed;
  return set_head(is_timed ? timed : Type::sized, 0, 0, work.lane);
}

bool PackedOperation::pack(const CollectiveCall& call) {
  if (call.update != Duration{} || call.root != 0 || call.pair_sizes != nullptr ||
      call.tensor != TensorPart{})
    return false;
  first_ = call.size.value;
  second_ = both(call.number, static_cast<std::int32_t>(call.priority));
  return set_head(Type::call, static_cast<std::uint32_t>(call.kind), kKindBits, call.communicator);
}

bool PackedOperation::pack(const SendCall& call) {
  return call.tensor == TensorPart{} &&
         pack_transfer(Type::send, call.to, call.size, call.tag, call.number);
}

bool PackedOperation::pack(const ReceiveCall& call) {
  return pack_transfer(Type::receive, call.from, call.size, call.tag, call.number);
}

bool PackedOperation::pack(const Wait& wait) {
  CHECK(false, "a graph waits for operation {}", wait.operation);
  return false;
}

namespace {

constexpr std::int32_t kFarthest = 1 << 28;  // of the distances that fit

}  // namespace

bool PackedOperation::pack_transfer(Type type, Rank peer, Bytes size, std::int32_t tag,
                                    std::int32_t number) {
  first_ = size.value;
  second_ = both(tag, number);
  return set_head(type, 0, 0, std::int64_t{peer} + kFarthest);
}

Operation PackedOperation::unpacked(const Others& others) const {
  Operation result{0, label_, Compute{}};
  switch (type()) {
    case Type::timed:
    case Type::recorded:
    case Type::sized: {
      Compute& work = std::get<Compute>(result.what);
      if (type() == Type::sized)
        work.flops = Flops{first_};
      else
        work.measured = Duration{first_};
      work.beside_communication = type() == Type::recorded;
      work.memory_traffic = bytes(second_);
      work.lane = lane();
      break;
    }
    case Type::call:
      result.what = CollectiveCall{.kind = kind(),
                                   .communicator = communicator(),
                                   .size = bytes(first_),
                                   .priority = static_cast<Priority>(low_of(second_)),
                                   .update = {},
                                   .number = high_of(second_)};
      break;
    case Type::send:
      result.what = SendCall{rest() - kFarthest, bytes(first_), high_of(second_), low_of(second_)};
      break;
    case Type::receive:
      result.what =
          ReceiveCall{rest() - kFarthest, bytes(first_), high_of(second_), low_of(second_)};
      break;
    case Type::other:
      result = others[static_cast<std::size_t>(first_)];
      result.label = label_;
      break;
  }
  return result;
}

void PackedOperation::set_lane(std::int32_t lane) {
  const bool fits = set_head(type(), 0, 0, lane);
  CHECK(fits, "a graph has the lane {}", lane);
}

void PackedOperation::set_communicator(std::int32_t communicator) {
  const bool fits = set_head(type(), static_cast<std::uint32_t>(kind()), kKindBits, communicator);
  CHECK(fits, "a graph has the communicator {}", communicator);
}

void PackedOperation::set_call(std::int32_t communicator, std::int32_t number, Bytes size) {
  set_communicator(communicator);
  first_ = size.value;
  second_ = both(number, low_of(second_));
}

std::uint64_t PackedOperation::digest_after(std::uint64_t digest) const {
  digest = mixed(digest, std::uint64_t{static_cast<std::uint32_t>(label_)} << 32U | head_);
  digest = mixed(digest, static_cast<std::uint64_t>(first_));
  return mixed(digest, static_cast<std::uint64_t>(second_));
}

}  // namespace orrery
