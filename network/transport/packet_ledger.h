// What a sender knows of the packets of a flow whose receiver takes them in any order: which are to
// be sent, on their way, lost, or there. Packets are numbered from 0, in 64 bits.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "core/base/check.h"
#include "network/transport/recovery.h"

namespace orrery {

class PacketLedger {
 public:
  void add(std::uint64_t packets) { end_ += packets; }

  PacketNumber end() const { return end_; }
  PacketNumber never_sent() const { return first_ + packets_.size(); }
  std::uint64_t in_flight() const { return in_flight_; }
  std::uint64_t lost_count() const { return lost_; }
  bool all_there() const { return first_ == end_; }
  bool has_next() const { return lost_ > 0 || never_sent() < end_; }

  // What is lost goes first, in order.
  PacketNumber next() {
    if (lost_ == 0) return never_sent();
    while (entry(search_).state != State::lost) ++search_;
    return search_;
  }
  // `sending`: counts what is sent, in order.
  void sent(PacketNumber number, std::uint64_t sending) {
    ++in_flight_;
    if (number == never_sent()) return packets_.push_back({State::on_its_way, sending});
    DCHECK(entry(number).state == State::lost, "packet {} is sent again, not lost", number);
    --lost_;
    entry(number) = {State::on_its_way, sending};
  }
  // True: for the first time.
  bool arrived(PacketNumber number) {
    if (number < first_ || entry(number).state == State::there) return false;
    (entry(number).state == State::lost ? lost_ : in_flight_) -= 1;
    entry(number).state = State::there;
    while (!packets_.empty() && packets_.front().state == State::there) {
      packets_.pop_front();
      ++first_;
    }
    if (search_ < first_) search_ = first_;
    return true;
  }
  // This sending of it is, as far as is known.
  bool is_on_its_way(PacketNumber number, std::uint64_t sending) {
    return number >= first_ && entry(number).sending == sending &&
           entry(number).state == State::on_its_way;
  }
  // True: it was on its way, as far as was known.
  bool lose(PacketNumber number) {
    if (number < first_ || entry(number).state != State::on_its_way) return false;
    --in_flight_;
    ++lost_;
    entry(number).state = State::lost;
    if (number < search_) search_ = number;
    return true;
  }
  // If it was not sent again since.
  bool lose(PacketNumber number, std::uint64_t sending) {
    return number >= first_ && entry(number).sending == sending && lose(number);
  }
  void lose_all_in_flight() {
    for (PacketNumber number = first_; number < never_sent(); ++number) lose(number);
  }

 private:
  enum class State : std::uint8_t { on_its_way, lost, there };

  struct Entry {
    State state;
    std::uint64_t sending;  // the last one
  };
  Entry& entry(PacketNumber number) { return packets_[static_cast<std::size_t>(number - first_)]; }

  PacketNumber first_ = 0, end_ = 0;  // all before the first are there
  PacketNumber search_ = 0;           // none before it is lost
  std::deque<Entry> packets_;         // those that were sent, from first_
  std::uint64_t in_flight_ = 0, lost_ = 0;
};

// Which packets are there, at the receiver.
class ArrivalMap {
 public:
  // True: for the first time.
  bool came(PacketNumber number) {
    if (number < expected_) return false;
    const auto place = static_cast<std::size_t>(number - expected_);
    if (place >= there_.size()) there_.resize(place + 1);
    if (there_[place]) return false;
    there_[place] = true;
    while (!there_.empty() && there_.front()) {
      there_.pop_front();
      ++expected_;
    }
    return true;
  }
  PacketNumber expected() const { return expected_; }  // all before it are there
  bool has(PacketNumber number) const {
    if (number < expected_) return true;
    const auto place = static_cast<std::size_t>(number - expected_);
    return place < there_.size() && there_[place];
  }

 private:
  PacketNumber expected_ = 0;
  std::deque<bool> there_;  // from expected_
};

}  // namespace orrery
