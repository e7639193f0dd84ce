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
// ring:c has c channels, rings that run side by side, each with a c-th of every part: the first
// forwards, the second backwards (a full-duplex ring uses both directions of its links), the others
// with steps of 3, -3, 5, ..., or whatever steps have no factor in common with n and so meet
// everyone. Where every pair of ranks has its own link they add up; at one port they share it.
//
// P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations",
// JPDC 69(2), 2009. Channels are those of NCCL.
#include <cstdint>
#include <numeric>
#include <vector>

#include "system/collective_algorithm.h"

namespace orrery {
namespace {

// A ring over n ranks that steps from r to r + step: after u hops from rank 0 it is at u * step.
struct Channel {
  std::int64_t step = 1;
  std::int64_t inverse = 1;  // of step, modulo n: rank r is r * inverse hops from rank 0
};

// 1, -1, and on through the numbers below n/2 without a factor in common with n; again from the
// start when they run out.
std::vector<Channel> make_channels(int count, int size) {
  std::vector<Channel> channels;
  while (true) {
    for (int step = 1; step == 1 || step <= size / 2; ++step) {
      if (std::gcd(step, size) != 1) continue;
      std::int64_t inverse = 1;
      while (inverse * step % size != 1) ++inverse;
      channels.push_back({step, inverse});
      if (static_cast<int>(channels.size()) == count) return channels;
      channels.push_back({size - step, size - inverse});
      if (static_cast<int>(channels.size()) == count) return channels;
    }
  }
}

class RingPlan final : public Plan {
 public:
  RingPlan(Collective kind, int size, int channels)
      : kind_(kind), size_(size), channels_(make_channels(channels, size)) {}

  int pieces() const override { return size_ * lanes(); }
  int lanes() const override { return static_cast<int>(channels_.size()); }

  Stage stage(Position rank, int lane, int index) const override {
    switch (kind_) {
      case Collective::broadcast:
        return relay_stage(hops_from_root(rank, lane), index);
      case Collective::reduce:
        return relay_stage(size_ - 1 - hops_to_root(rank, lane), index);
      case Collective::all_reduce:
        return {.sends = 1, .receives = 1, .last = index == 2 * (size_ - 1) - 1};
      default:
        return {.sends = 1, .receives = 1, .last = index == size_ - 2};
    }
  }

  Send send(Position rank, int lane, int stage, int) const override {
    const std::int64_t step = channels_[lane].step;
    const auto pass_on = [&](std::int64_t part, bool reduce) {
      return Send{.to = wrap(rank + step),
                  .stage = stage,
                  .pieces = {piece(part, lane), 1},
                  .reduce = reduce};
    };
    const int half = size_ - 1;
    switch (kind_) {
      case Collective::reduce_scatter:
        return pass_on(rank - (1 + stage) * step, true);
      case Collective::all_gather:
        return pass_on(rank - stage * step, false);
      case Collective::all_reduce:
        return stage < half ? pass_on(rank - (1 + stage) * step, true)
                            : pass_on(rank - (stage - half) * step, false);
      case Collective::all_to_all: {
        const int stride = static_cast<int>(step) * lanes();
        return {.to = wrap(rank + step),
                .stage = stage,
                .pieces = {.first = piece((1 + stage) * step, lane),
                           .count = half - stage,
                           .run = stride == 1 ? 0 : 1,
                           .stride = stride},
                .reduce = false};
      }
      default:
        break;
    }
    const bool is_source =
        kind_ == Collective::broadcast ? rank == 0 : hops_to_root(rank, lane) == size_ - 1;
    const int part = is_source ? stage : stage - 1;
    return {.to = wrap(rank + step),
            .stage = part,
            .pieces = {piece(part, lane), 1},
            .reduce = kind_ == Collective::reduce};
  }

 private:
  // A rank `hops` from where the parts start: in stage s it takes part s and passes part s-1 on.
  Stage relay_stage(int hops, int index) const {
    if (hops == 0) return {.sends = 1, .receives = 0, .last = index == size_ - 1};
    const bool is_end = hops == size_ - 1;
    return {.sends = index > 0 && !is_end ? 1 : 0,
            .receives = index < size_ ? 1 : 0,
            .last = index == (is_end ? size_ - 1 : size_)};
  }
  int hops_from_root(Position rank, int lane) const {
    return static_cast<int>(rank * channels_[lane].inverse % size_);
  }
  int hops_to_root(Position rank, int lane) const {
    return (size_ - hops_from_root(rank, lane)) % size_;
  }

  // The channel's share of a part.
  std::int32_t piece(std::int64_t part, int lane) const { return wrap(part) * lanes() + lane; }
  std::int32_t wrap(std::int64_t number) const {
    if (number < -size_ || number >= 2 * size_) number %= size_;  // never on the first channel
    if (number < 0) number += size_;
    return static_cast<std::int32_t>(number >= size_ ? number - size_ : number);
  }

  Collective kind_;
  int size_;
  std::vector<Channel> channels_;
};

class Ring final : public CollectiveAlgorithm {
 public:
  static constexpr int kMostChannels = 64;  // a channel costs memory for every rank
  explicit Ring(int channels) : channels_(channels) {}

  bool supports(Collective kind, int group_size) const override {
    return group_size >= 2 && kind <= Collective::reduce;
  }
  std::unique_ptr<Plan> plan(Collective kind, const GroupShape& group, int) const override {
    return std::make_unique<RingPlan>(kind, group.size(), channels_);
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
