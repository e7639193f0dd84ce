#include "formats/astra/emulation/exchange.h"

#include <algorithm>
#include <bit>

namespace orrery::astra {

using Kind = Algorithm::Kind;

Exchange::Exchange(Collective kind, const Algorithm& algorithm, const Peers& line,
                   std::int64_t size, bool parts_alone)
    : kind_(kind), algorithm_(algorithm.kind), line_(line) {
  const std::int32_t n = line.size();
  const bool gathers = kind == Collective::all_gather;
  final_size_ = gathers ? size * n : kind == Collective::reduce_scatter ? size / n : size;
  message_ = gathers ? size : size / n;
  const std::int32_t halves = kind == Collective::all_reduce ? 2 : 1;
  to_send_ = std::int64_t{halves} * (n - 1);
  others_ = n - 1;
  if (algorithm_ == Kind::ring && kind == Collective::all_to_all) {
    if (parts_alone) {
      to_send_ = std::int64_t{n} * (n - 1) / 2;
    } else {
      less_ = message_;
      message_ *= n - 1;
    }
  }
  if (algorithm_ == Kind::direct) {
    lanes_ = algorithm.window == 0 ? n - 1 : std::min(algorithm.window, n - 1);
    others_ = line.is_group ? (n - 1) * lanes_ : lanes_;
  }
  if (algorithm_ != Kind::halving_doubling) return;
  const std::int32_t steps = std::countr_zero(static_cast<std::uint32_t>(n));
  to_send_ = std::int64_t{halves} * steps;
  others_ = steps - 1;
  message_ = gathers ? size : size / 2;
  distance_ = gathers ? n / 2 : 1;
  factor_ = gathers ? 0.5 : 2;
}

// The peers of the packet that is made next; then those of the one after it.
Packet Exchange::next_peers() {
  const std::int64_t here = line_.place;
  Packet packet{.size = message_};
  if (algorithm_ == Kind::halving_doubling) {
    const auto distance = static_cast<std::int64_t>(distance_);
    const bool up = distance == 0 || here / distance % 2 == 0;
    packet.target = packet.source = line_.at(up ? here + distance : here - distance);
    turn_halving();
    return packet;
  }
  packet.target = line_.at(here + turn_);
  packet.source = line_.at(here - turn_);
  message_ = std::max<std::int64_t>(0, message_ - less_);
  if (algorithm_ == Kind::direct) turn_ = turn_ % (line_.size() - 1) + 1;
  return packet;
}

void Exchange::turn_halving() {
  distance_ *= factor_;
  message_ = static_cast<std::int64_t>(static_cast<double>(message_) / factor_);
  if (distance_ != line_.size() || kind_ != Collective::all_reduce) return;
  factor_ = 0.5;
  distance_ *= factor_;
  message_ = static_cast<std::int64_t>(static_cast<double>(message_) / factor_);
}

Packet Exchange::make_packet() {
  if (first_left_ == 0 && others_left_ == 0) {
    first_left_ = lanes_;
    others_left_ = others_;
    even_round_ = !even_round_;
  }
  Packet packet = next_peers();
  packet.is_first = first_left_ > 0;
  if (packet.is_first) {
    --first_left_;
  } else {
    --others_left_;
    packet.adds =
        kind_ == Collective::reduce_scatter || (kind_ == Collective::all_reduce && even_round_);
  }
  packets_.push_back(packet);
  return packet;
}

void Exchange::take(std::vector<Packet>& sent) {
  if (packets_.empty() || to_send_ == 0 || free_ == 0) return;
  sent.push_back(packets_.front());
  packets_.pop_front();
  --free_;
  --to_send_;
}

std::vector<Packet> Exchange::ready() {
  ++free_;
  std::vector<Packet> sent;
  const std::int32_t peers = line_.size() - 1;
  if (algorithm_ != Kind::direct || kind_ != Collective::all_reduce || to_send_ > peers) {
    take(sent);
    return sent;
  }
  // The second half of a direct all-reduce begins when everything of the first has arrived.
  if (arrivals_ < peers) return sent;
  for (std::int32_t i = 0; i < lanes_; ++i) take(sent);
  return sent;
}

}  // namespace orrery::astra
