// Sends messages on a backend and notes what comes back.
#pragma once

#include <vector>

#include "network/network_backend.h"

namespace orrery::test {

class MessageLog final : public MessageListener {
 public:
  explicit MessageLog(EventQueue& queue) : queue_(queue) {}

  // The number of the next message, as the owner of its token: index into the vectors below.
  std::size_t prepare() {
    delivered_at.push_back(Time::never());
    injected_at.push_back(Time::never());
    acknowledged_at.push_back(Time::never());
    deliveries.push_back(0);
    injections.push_back(0);
    sizes.push_back(Bytes{-1});
    return delivered_at.size() - 1;
  }

  // Returns the number of the message.
  std::size_t send(NetworkBackend& network, std::int32_t source, std::int32_t target, Bytes size) {
    const std::size_t number = prepare();
    const Time known = network.send({.source = {source},
                                     .target = {target},
                                     .size = size,
                                     .token = {.owner = static_cast<std::uint32_t>(number)}},
                                    *this);
    if (known != Time::never()) note_injected(number, known);
    return number;
  }

  std::vector<Time> delivered_at, injected_at, acknowledged_at;
  std::vector<int> deliveries, injections;
  std::vector<Bytes> sizes;                       // as reported by delivered()
  std::vector<std::size_t> in_order_of_delivery;  // numbers

 private:
  void delivered(const MessageToken& token, Bytes size) override {
    delivered_at[token.owner] = queue_.now();
    sizes[token.owner] = size;
    ++deliveries[token.owner];
    in_order_of_delivery.push_back(token.owner);
  }
  void injected(const MessageToken& token, NodeId) override {
    note_injected(token.owner, queue_.now());
  }
  void acknowledged(const MessageToken& token) override {
    acknowledged_at[token.owner] = queue_.now();
  }
  void note_injected(std::size_t number, Time when) {
    injected_at[number] = when;
    ++injections[number];
  }

  EventQueue& queue_;
};

}  // namespace orrery::test
