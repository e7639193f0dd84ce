#include "network/ns3/tcp_flow.h"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t samples_at_most = 4'096;

}  // namespace

void TcpFlow::make_ends(ns3::Ptr<TcpEnd> sender, ns3::Ptr<TcpEnd> receiver, EndIndex first,
                        const TransportSpec& spec) {
  sender_ = std::move(sender);
  receiver_ = std::move(receiver);
  sender_->set_up(spec, first, first + 1, *this);
  receiver_->set_up(spec, first + 1, first, reader_);
}

void TcpFlow::send(MessageSlot message, Bytes size, std::uint8_t label) {
  // A message without contents still has to arrive: it is a byte on the wire.
  stream_end_ += std::max<std::int64_t>(size.value, 1);
  messages_.push_back({stream_end_, message, label});
  can_write(false);
}

// TCP gets what it can send next and no more, in pieces that complete its segments. Of more, it
// would cut segments out of pieces and glue others together, for which ns-3 makes room for their
// (absent) contents: gigabytes, where many connections wait for a port.
void TcpFlow::can_write(bool sends_next) {
  while (written_ < stream_end_ && sender_->unsent() < 2 * shared_.segment) {
    const std::int64_t piece =
        std::min(stream_end_ - written_, shared_.segment - sender_->unsent() % shared_.segment);
    if (!sender_->write(piece, sends_next)) return;
    written_ += piece;
  }
}

void TcpFlow::left_source(std::int64_t stream_end) {
  while (left_ < messages_.size() && messages_[left_].end <= stream_end)
    shared_.listener.message_left(messages_[left_++].message);
}

void TcpFlow::deliver(std::int64_t size) {
  read_ += size;
  last_change_ = shared_.queue.now();
  while (!messages_.empty() && messages_.front().end <= read_) {
    const MessageSlot message = messages_.front().message;
    left_source(messages_.front().end);
    messages_.pop_front();
    --left_;
    shared_.listener.message_delivered(message);
  }
}

bool TcpFlow::ends_message(std::int64_t stream_end) const {
  return left_ < messages_.size() && messages_[left_].end <= stream_end;
}

bool TcpFlow::idle() const { return messages_.empty() && sender_->idle(); }

std::uint8_t TcpFlow::label_at(std::int64_t stream_end) const {
  const auto found =
      std::lower_bound(messages_.begin(), messages_.end(), stream_end,
                       [](const Sent& sent, std::int64_t end) { return sent.end < end; });
  return found == messages_.end() ? messages_.back().label : found->label;
}

void TcpFlow::window_changed() {
  if (!watched_) return;
  const FlowSample now{shared_.queue.now(), bytes(sender_->congestion_window()),
                       picoseconds(sender_->smoothed_rtt().GetTimeStep())};
  if (!samples_.empty() && samples_.back().congestion_window == now.congestion_window &&
      samples_.back().smoothed_rtt == now.smoothed_rtt)
    return;
  if (changes_++ % keep_every_ != 0) return;
  if (samples_.size() == samples_at_most) {
    for (std::size_t i = 1; 2 * i < samples_.size(); ++i) samples_[i] = samples_[2 * i];
    samples_.resize(samples_at_most / 2);
    keep_every_ *= 2;
  }
  samples_.push_back(now);
}

}  // namespace orrery
