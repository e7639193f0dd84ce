// Selective repeat: Mittal et al., "Revisiting network support for RDMA" (IRN), SIGCOMM 2018,
// section 3.1. Each packet behind a gap is answered with a NACK that says what is expected and what
// came. A gap is sent again once; if that is lost too, the timeout sends all gaps again.
//
// Where packets may overtake each other, a gap is no loss: each packet is acknowledged by its
// number, and one counts as lost when a packet came that is by more than a tolerance later.
#include <deque>

#include "network/transport/recovery.h"

namespace orrery {
namespace {

class SelectiveRepeat final : public Recovery {
 public:
  explicit SelectiveRepeat(PacketNumber tolerance) : tolerance_(tolerance) {}

  Verdict received(Time, PacketNumber number) override {
    if (number < expected_) return Verdict::duplicate;
    const std::size_t place = number - expected_;
    if (place >= there_.size()) there_.resize(place + 1);
    if (there_[place]) return Verdict::duplicate;
    there_[place] = true;
    ++held_;
    if (place > 0) return tolerance_ > 0 ? Verdict::kept : Verdict::gap;
    while (!there_.empty() && there_.front()) {
      there_.pop_front();
      ++expected_;
      --held_;
    }
    return Verdict::in_order;
  }
  std::uint64_t held() const override { return held_; }

  void acknowledged(PacketNumber expected) override {
    for (; unacknowledged_ < expected; ++unacknowledged_) {
      if (known_.empty()) continue;
      kept_ -= known_.front() ? 1 : 0;
      known_.pop_front();
    }
    again_ = std::max(again_, unacknowledged_);
    lost_before_ = std::max(lost_before_, unacknowledged_);
  }
  void refused(PacketNumber expected, PacketNumber seen) override {
    acknowledged(expected);
    if (seen < unacknowledged_) return;
    const std::size_t place = seen - unacknowledged_;
    if (place >= known_.size()) known_.resize(place + 1);
    kept_ += known_[place] ? 0 : 1;
    known_[place] = true;
    lost_before_ = std::max(lost_before_, seen - std::min(seen, tolerance_));
  }
  void timed_out() override {
    again_ = unacknowledged_;
    lost_before_ = never_sent_;
  }
  PacketNumber next() override {
    while (again_ < lost_before_ && is_known(again_)) ++again_;
    return again_ < lost_before_ ? again_ : never_sent_;
  }
  void sent(PacketNumber number) override {
    if (number == never_sent_)
      ++never_sent_;
    else
      again_ = number + 1;
  }
  bool replaces_a_lost_one() override { return next() < never_sent_; }
  std::uint64_t in_flight() const override { return never_sent_ - unacknowledged_ - kept_; }

 private:
  bool is_known(PacketNumber number) const {
    const std::size_t place = number - unacknowledged_;
    return place < known_.size() && known_[place];
  }

  PacketNumber tolerance_;
  // By number, from expected_ and from unacknowledged_.
  std::deque<bool> there_;                    // at the receiver
  std::deque<bool> known_;                    // to be there, by the sender
  std::uint64_t kept_ = 0;                    // of known_
  std::uint64_t held_ = 0;                    // of there_
  PacketNumber again_ = 0, lost_before_ = 0;  // gaps between the two are still to be sent again
};

}  // namespace

std::unique_ptr<Recovery> make_selective_repeat_recovery(const RoceSpec& spec) {
  return std::make_unique<SelectiveRepeat>(
      static_cast<PacketNumber>(spec.reorder_tolerance.value_or(0)));
}

}  // namespace orrery
