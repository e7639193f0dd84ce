// An operation of a graph in 24 bytes, a quarter of what Operation takes: a trace of many ranks has
// ten million of them. What does not fit is in a list beside it.
#pragma once

#include <cstdint>
#include <vector>

#include "system/operation.h"

namespace orrery {

class PackedOperation {
 public:
  // Operations that have more to say than a packed one can: an update, a shape, ...
  using Others = std::vector<Operation>;

  // REQUIRES: no Wait. Appends to `others` what does not fit.
  PackedOperation(const Operation& operation, Others& others);

  // With the id 0.
  Operation unpacked(const Others& others) const;

  std::int32_t label() const { return label_; }
  void set_label(std::int32_t label) { label_ = label; }

  bool is_other() const { return type() == Type::other; }
  bool is_compute() const {
    return type() == Type::timed || type() == Type::recorded || type() == Type::sized;
  }
  bool is_call() const { return type() == Type::call; }
  // REQUIRES: of a Compute, or a CollectiveCall.
  std::int32_t lane() const { return rest(); }
  void set_lane(std::int32_t lane);
  std::int32_t communicator() const {
    return static_cast<std::int32_t>(head_ >> (kTypeBits + kKindBits));
  }
  void set_communicator(std::int32_t communicator);
  Collective kind() const {
    return static_cast<Collective>(head_ >> kTypeBits & ((1U << kKindBits) - 1));
  }
  // In bytes.
  std::int64_t size() const { return first_; }
  // REQUIRES: of a CollectiveCall, whose kind and priority stay.
  void set_call(std::int32_t communicator, std::int32_t number, Bytes size);

  bool operator==(const PackedOperation&) const = default;
  // Equal operations have equal ones.
  std::uint64_t digest_after(std::uint64_t digest) const;

 private:
  // Of work: a time alone, a time beside communication, or its size.
  enum class Type : std::uint32_t { timed, recorded, sized, call, send, receive, other };
  static constexpr std::uint32_t kTypeBits = 3, kKindBits = 4;

  Type type() const { return static_cast<Type>(head_ & ((1U << kTypeBits) - 1)); }
  std::int32_t rest() const { return static_cast<std::int32_t>(head_ >> kTypeBits); }
  bool pack(const Compute& work);
  bool pack(const CollectiveCall& call);
  bool pack(const SendCall& call);
  bool pack(const ReceiveCall& call);
  bool pack(const Wait& wait);  // never
  bool pack_transfer(Type type, Rank peer, Bytes size, std::int32_t tag, std::int32_t number);
  // `value` behind so many bits of the head; false if it does not fit.
  bool set_head(Type type, std::uint32_t between, std::uint32_t bits, std::int64_t value);

  std::int32_t label_;
  std::uint32_t head_ = 0;   // the type, then a lane, a kind and a communicator, or a peer
  std::int64_t first_ = 0;   // time in ps, work, or size
  std::int64_t second_ = 0;  // bytes of memory; or tag and number, or number and priority
};
static_assert(sizeof(PackedOperation) == 24);

}  // namespace orrery
