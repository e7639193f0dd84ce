// Go-back-N, as RoCE NICs without selective repeat do it.
#include "network/transport/recovery.h"

namespace orrery {
namespace {

class GoBackN final : public Recovery {
 public:
  explicit GoBackN(Duration nack_interval) : nack_interval_(nack_interval) {}

  Verdict received(Time now, PacketNumber number) override {
    if (number < expected_) return Verdict::duplicate;
    if (number == expected_) {
      ++expected_;
      told_ = false;
      return Verdict::in_order;
    }
    if (told_ && now - told_at_ < nack_interval_) return Verdict::ignored;
    told_ = true;
    told_at_ = now;
    return Verdict::gap;
  }

  void acknowledged(PacketNumber expected) override {
    unacknowledged_ = std::max(unacknowledged_, expected);
    next_ = std::max(next_, unacknowledged_);
  }
  void refused(PacketNumber expected, PacketNumber) override {
    if (expected < unacknowledged_) return;  // an old one
    acknowledged(expected);
    next_ = unacknowledged_;
  }
  void timed_out() override { next_ = unacknowledged_; }
  PacketNumber next() override { return next_; }
  void sent(PacketNumber number) override {
    next_ = number + 1;
    never_sent_ = std::max(never_sent_, next_);
  }
  std::uint64_t in_flight() const override { return next_ - unacknowledged_; }

 private:
  Duration nack_interval_;
  bool told_ = false;  // of the gap at expected_
  Time told_at_;
  PacketNumber next_ = 0;
};

}  // namespace

std::unique_ptr<Recovery> make_go_back_n_recovery(const RoceSpec& spec) {
  return std::make_unique<GoBackN>(spec.nack_interval);
}

}  // namespace orrery
