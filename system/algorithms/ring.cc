// Ring: every rank sends to the next one only.
//
//   reduce_scatter  stage s: part r-1-s goes on, having been summed over s+1 ranks     n-1 stages
//   all_gather      stage s: part r-s goes on                                          n-1 stages
//   all_reduce      the one, then the other                                         2(n-1) stages
//   all_to_all      stage s: what came from rank r-s and is not home yet goes on:      n-1 stages
//                   the parts with more than s steps to go
//   broadcast       from the root, part by part: a rank passes a part on while the next comes in,
//                   and the last rank has it all 2(n-1) part times after the beginning
//   reduce          the same towards the root, summing
//
// ring:c has c channels, rings that run side by side, each with a c-th of every part.
//
// Among ranks that are equally far from each other (one node, or one rank in each) the first
// channel forwards, the second backwards (a full-duplex ring uses both directions of its links),
// the others with steps of 3, -3, 5, ..., or whatever steps have no factor in common with n and so
// meet everyone. Where every pair of ranks has its own link they add up; at one port they share it.
//
// In a group that spans nodes every channel walks node by node, so that it crosses each node's
// boundary once in and once out. Channels go in pairs, one forwards, one backwards; each pair
// enters and leaves the nodes at another place, and so through other NICs: of c channels, pair k
// begins k L / ceil(c/2) local ranks up. Every other node is walked the other way round, so that
// the hop between two nodes joins ranks of equal number (one rail):
//
//   {4, 2}, pair 0:   0 1 2 3 | 7 6 5 4 |      pair 1 of 2:   2 3 0 1 | 5 4 7 6 |
//
// An all-to-all has no more than the two directions there.
//
// P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
// JPDC 69(2), 2009. Channels, their entry points and the turn at every other node are those of NCCL
// (its rings alternate between nodes "to avoid crossing rails").
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "system/collective_algorithm.h"

namespace orrery {
namespace {

// A ring that steps from r to r + step: after u hops from position 0 it is at u * step.
class StepOrder {
 public:
  StepOrder(std::int32_t size, std::int32_t step) : size_(size), step_(step) {
    while (std::int64_t{inverse_} * step % size != 1) ++inverse_;
  }

  Position next(Position rank) const { return wrap(rank + step_); }
  // The rank so many hops before. REQUIRES: 0 <= hops < size.
  Position before(Position rank, std::int32_t hops) const {
    return wrap(rank - std::int64_t{hops} * step_);
  }
  std::int32_t hops_from_root(Position rank) const {
    return static_cast<std::int32_t>(rank * std::int64_t{inverse_} % size_);
  }
  std::int32_t step() const { return step_; }

 private:
  Position wrap(std::int64_t number) const {
    if (number < -size_ || number >= 2 * size_) number %= size_;  // never on the first channel
    if (number < 0) number += size_;
    return static_cast<Position>(number >= size_ ? number - size_ : number);
  }

  std::int32_t size_, step_;
  std::int32_t inverse_ = 1;  // of step, modulo size
};

// A ring that goes node by node, see above.
class NodeOrder {
 public:
  NodeOrder(const GroupShape& group, int channel, int channels)
      : group_(group),
        backwards_(channel % 2 == 1),
        pair_(channel / 2),
        pairs_((channels + 1) / 2),
        even_start_(group.even() ? start_among(group.members(0)) : 0),
        root_(hop_of(0)) {}

  Position next(Position rank) const { return at(hop_of(rank) + 1); }
  Position before(Position rank, std::int32_t hops) const { return at(hop_of(rank) - hops); }
  std::int32_t hops_from_root(Position rank) const {
    const std::int32_t hops = hop_of(rank) - root_;
    return hops < 0 ? hops + group_.size() : hops;
  }

 private:
  // Hops are counted from the beginning of the first node; backwards, to it.
  std::int32_t hop_of(Position rank) const {
    const std::int32_t node = group_.node_of(rank), first = group_.first(node);
    const std::int32_t hop = first + turned(node, rank - first);
    return backwards_ && hop > 0 ? group_.size() - hop : hop;
  }
  Position at(std::int32_t hop) const {
    if (hop < 0) hop += group_.size();
    if (hop >= group_.size()) hop -= group_.size();
    if (backwards_ && hop > 0) hop = group_.size() - hop;
    const std::int32_t node = group_.node_of(hop), first = group_.first(node);
    return first + unturned(node, hop - first);
  }
  // Between the number of a rank in its node and its place on the way through the node.
  std::int32_t turned(std::int32_t node, std::int32_t local) const {
    const std::int32_t members = group_.members(node), start = start_of(members);
    const std::int32_t way = node % 2 == 0 ? local - start : start - 1 - local;
    return way < 0 ? way + members : way;
  }
  std::int32_t unturned(std::int32_t node, std::int32_t way) const {
    const std::int32_t members = group_.members(node), start = start_of(members);
    const std::int32_t local = node % 2 == 0 ? start + way : start - 1 - way;
    if (local < 0) return local + members;
    return local >= members ? local - members : local;
  }
  std::int32_t start_of(std::int32_t members) const {
    return group_.even() ? even_start_ : start_among(members);  // saves a division
  }
  std::int32_t start_among(std::int32_t members) const {
    return static_cast<std::int32_t>(std::int64_t{members} * pair_ / pairs_);
  }

  GroupShape group_;
  bool backwards_;
  std::int32_t pair_, pairs_, even_start_, root_;
};

// 1, -1, and on through the numbers below n/2 without a factor in common with n; again from the
// start when they run out.
std::vector<StepOrder> step_orders(int count, int size) {
  std::vector<StepOrder> orders;
  while (true) {
    for (int step = 1; step == 1 || step <= size / 2; ++step) {
      if (std::gcd(step, size) != 1) continue;
      for (const int way : {step, size - step}) {
        orders.emplace_back(size, way);
        if (static_cast<int>(orders.size()) == count) return orders;
      }
    }
  }
}

std::vector<StepOrder> both_ways(int count, int size) {
  std::vector<StepOrder> orders;
  for (int channel = 0; channel < count; ++channel)
    orders.emplace_back(size, channel % 2 == 0 ? 1 : size - 1);
  return orders;
}

std::vector<NodeOrder> node_orders(int count, const GroupShape& group) {
  std::vector<NodeOrder> orders;
  for (int channel = 0; channel < count; ++channel) orders.emplace_back(group, channel, count);
  return orders;
}

template <class Order>
class RingPlan final : public Plan {
 public:
  RingPlan(Collective kind, int size, std::vector<Order> channels)
      : kind_(kind), size_(size), channels_(std::move(channels)) {}

  int pieces() const override { return size_ * lanes(); }
  int lanes() const override { return static_cast<int>(channels_.size()); }
  Symmetry symmetry() const override {
    const bool alike = std::is_same_v<Order, StepOrder> && !has_root(kind_);
    return alike ? Symmetry::rotation : Symmetry::none;
  }

  Stage stage(Position rank, int lane, int index) const override {
    switch (kind_) {
      case Collective::broadcast:
        return relay_stage(channels_[lane].hops_from_root(rank), index);
      case Collective::reduce:
        return relay_stage(size_ - 1 - hops_to_root(rank, lane), index);
      case Collective::all_reduce:
        return {.sends = 1, .receives = 1, .last = index == 2 * (size_ - 1) - 1};
      default:
        return {.sends = 1, .receives = 1, .last = index == size_ - 2};
    }
  }

  Send send(Position rank, int lane, int stage, int) const override {
    const Order& order = channels_[lane];
    // The part that a rank so many hops before owns.
    const auto pass_on = [&](std::int32_t hops, bool reduce) {
      const Position part = order.before(rank, hops);
      return Send{.to = order.next(rank),
                  .stage = stage,
                  .pieces = {piece(part, lane), 1},
                  .reduce = reduce};
    };
    const int half = size_ - 1;
    switch (kind_) {
      case Collective::reduce_scatter:
        return pass_on(1 + stage, true);
      case Collective::all_gather:
        return pass_on(stage, false);
      case Collective::all_reduce:
        return stage < half ? pass_on(1 + stage, true) : pass_on(stage - half, false);
      case Collective::all_to_all:
        return pass_on_all(rank, lane, stage);
      default:
        break;
    }
    const bool is_source =
        kind_ == Collective::broadcast ? rank == 0 : hops_to_root(rank, lane) == size_ - 1;
    const int part = is_source ? stage : stage - 1;
    return {.to = order.next(rank),
            .stage = part,
            .pieces = {piece(part, lane), 1},
            .reduce = kind_ == Collective::reduce};
  }

  Position travelled(int lane, int stage, int) const override {
    if constexpr (std::is_same_v<Order, StepOrder>)
      return static_cast<Position>(std::int64_t{stage} * channels_[lane].step() % size_);
    return 0;
  }

 private:
  // What has more than `stage` steps to go.
  Send pass_on_all(Position rank, int lane, int stage) const {
    if constexpr (std::is_same_v<Order, StepOrder>) {
      const StepOrder& order = channels_[lane];
      const int stride = order.step() * lanes(), left = size_ - 1 - stage;
      return {.to = order.next(rank),
              .stage = stage,
              .pieces = {.first = piece(order.before(0, left), lane),
                         .count = left,
                         .run = stride == 1 ? 0 : 1,
                         .stride = stride},
              .reduce = false};
    }
    CHECK(false, "an all-to-all has its ways as multiples of a step");
    return {};
  }

  // A rank `hops` from where the parts start: in stage s it takes part s and passes part s-1 on.
  Stage relay_stage(int hops, int index) const {
    if (hops == 0) return {.sends = 1, .receives = 0, .last = index == size_ - 1};
    const bool is_end = hops == size_ - 1;
    return {.sends = index > 0 && !is_end ? 1 : 0,
            .receives = index < size_ ? 1 : 0,
            .last = index == (is_end ? size_ - 1 : size_)};
  }
  int hops_to_root(Position rank, int lane) const {
    return (size_ - channels_[lane].hops_from_root(rank)) % size_;
  }

  // The channel's share of a part.
  std::int32_t piece(std::int32_t part, int lane) const { return part * lanes() + lane; }

  Collective kind_;
  int size_;
  std::vector<Order> channels_;
};

class Ring final : public CollectiveAlgorithm {
 public:
  static constexpr int kMostChannels = 64;  // a channel costs memory for every rank
  explicit Ring(int channels) : channels_(channels) {}

  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && kind <= Collective::reduce;
  }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int) const override {
    const int size = group.size();
    if (!group.spans_nodes())
      return std::make_unique<RingPlan<StepOrder>>(kind, size, step_orders(channels_, size));
    if (kind == Collective::all_to_all)
      return std::make_unique<RingPlan<StepOrder>>(kind, size, both_ways(channels_, size));
    return std::make_unique<RingPlan<NodeOrder>>(kind, size, node_orders(channels_, group));
  }
  std::unique_ptr<const CollectiveAlgorithm> with(int channels) const override {
    if (channels > kMostChannels) return nullptr;
    return std::make_unique<Ring>(channels);
  }

 private:
  int channels_;
};

}  // namespace

const CollectiveAlgorithm& ring_algorithm() {
  static const Ring algorithm(1);
  return algorithm;
}

}  // namespace orrery
