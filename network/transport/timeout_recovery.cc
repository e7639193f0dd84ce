#include "network/transport/timeout_recovery.h"

#include <deque>

namespace orrery {
namespace {

// Each packet is acknowledged by its number. After a timeout nothing counts as on its way, and what
// is not known to be there is sent again, in order, as the window allows.
class TimeoutRecovery final : public Recovery {
 public:
  // --- The receiver ---
  Verdict received(Time, PacketNumber number) override {
    if (number < expected_) return Verdict::duplicate;
    const std::size_t place = number - expected_;
    if (place >= there_.size()) there_.resize(place + 1);
    if (there_[place]) return Verdict::kept;
    there_[place] = true;
    ++held_;
    if (place > 0) return Verdict::kept;
    while (!there_.empty() && there_.front()) {
      there_.pop_front();
      ++expected_;
      --held_;
    }
    return Verdict::in_order;
  }
  std::uint64_t held() const override { return held_; }

  // --- The sender ---
  void acknowledged(PacketNumber expected) override {
    for (; unacknowledged_ < expected; ++unacknowledged_) {
      note_there(unacknowledged_);
      states_.pop_front();
    }
    again_ = std::max(again_, unacknowledged_);
  }
  void refused(PacketNumber expected, PacketNumber seen) override {
    acknowledged(expected);
    if (seen >= unacknowledged_) note_there(seen);
  }
  void timed_out() override {
    for (State& state : states_)
      if (state == State::on_its_way) state = State::lost;
    on_their_way_ = 0;
    again_ = unacknowledged_;
  }
  PacketNumber next() override {
    while (again_ < never_sent_ && states_[again_ - unacknowledged_] != State::lost) ++again_;
    return again_;
  }
  void sent(PacketNumber number) override {
    if (number == never_sent_) {
      ++never_sent_;
      states_.push_back(State::on_its_way);
    } else {
      states_[number - unacknowledged_] = State::on_its_way;
    }
    ++on_their_way_;
  }
  std::uint64_t in_flight() const override { return on_their_way_; }

 private:
  enum class State : std::uint8_t { on_its_way, lost, there };

  void note_there(PacketNumber number) {
    State& state = states_[number - unacknowledged_];
    on_their_way_ -= state == State::on_its_way ? 1 : 0;
    state = State::there;
  }

  std::deque<bool> there_;    // at the receiver, from expected_
  std::uint64_t held_ = 0;    // of these
  std::deque<State> states_;  // from unacknowledged_ to never_sent_
  PacketNumber again_ = 0;    // none before it is lost
  std::uint64_t on_their_way_ = 0;
};

}  // namespace

std::unique_ptr<Recovery> make_timeout_recovery() { return std::make_unique<TimeoutRecovery>(); }

}  // namespace orrery
