#include "network/roce/queue_pair.h"

#include <algorithm>

namespace orrery {

void QueuePair::add(MessageSlot slot, Bytes size, std::uint8_t label) {
  const std::int64_t packets = std::max<std::int64_t>(1, (size.value + payload_ - 1) / payload_);
  messages_.push_back({.slot = slot,
                       .first = end_,
                       .last = end_ + static_cast<PacketNumber>(packets) - 1,
                       .start = stream_,
                       .size = size.value,
                       .label = label});
  end_ += static_cast<PacketNumber>(packets);
  stream_ += size.value;
}

PairMessage& QueuePair::message_of(PacketNumber packet) {
  if (packet <= messages_.front().last) return messages_.front();
  const auto found = std::partition_point(messages_.begin(), messages_.end(),
                                          [&](const auto& one) { return one.last < packet; });
  DCHECK(found != messages_.end() && found->first <= packet, "packet {} of no message", packet);
  return *found;
}

std::int64_t QueuePair::payload_of(const PairMessage& message, PacketNumber packet) const {
  const auto place = static_cast<std::int64_t>(packet - message.first);
  return std::min(payload_, message.size - place * payload_);
}

Bytes QueuePair::stream_before(PacketNumber packet) {
  if (packet >= end_) return bytes(stream_);
  const PairMessage& message = message_of(packet);
  return bytes(message.start + static_cast<std::int64_t>(packet - message.first) * payload_);
}

std::int64_t QueuePair::in_flight() {
  const PacketNumber first = recovery->unacknowledged();
  return (stream_before(first + recovery->in_flight()) - stream_before(first)).value;
}

std::uint64_t QueuePair::left_to_send() {
  if (is_highest) return 0;
  return static_cast<std::uint64_t>(
      (bytes(stream_) - stream_before(recovery->unacknowledged())).value);
}

std::optional<MessageSlot> QueuePair::next_acknowledged() {
  if (messages_.empty() || messages_.front().last >= recovery->unacknowledged()) return {};
  CHECK(delivered_ > 0, "a message is acknowledged and was not delivered");
  --delivered_;
  const MessageSlot slot = messages_.front().slot;
  messages_.pop_front();
  return slot;
}

const PairMessage* QueuePair::next_delivered() {
  if (delivered_ == messages_.size() || messages_[delivered_].last >= recovery->expected())
    return nullptr;
  return &messages_[delivered_++];
}

}  // namespace orrery
