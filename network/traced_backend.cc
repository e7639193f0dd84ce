#include "network/traced_backend.h"

#include <utility>

namespace orrery {

TracedBackend::TracedBackend(EventQueue& queue, std::unique_ptr<NetworkBackend> backend,
                             TraceSink& sink)
    : queue_(queue), backend_(std::move(backend)), sink_(sink) {}

Time TracedBackend::send(const Message& message, MessageListener& listener) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(flights_.size()));
    flights_.emplace_back();
  }
  const std::uint32_t flight = free_.back();
  free_.pop_back();
  flights_[flight] = {message, &listener, queue_.now(), 2};
  Message tagged = message;
  tagged.token.owner = flight;
  const Time sent = backend_->send(tagged, *this);
  if (sent != Time::never()) close_end(flight);
  return sent;
}

void TracedBackend::delivered(const MessageToken& token, Bytes size) {
  const Flight flight = flights_[token.owner];
  sink_.on_span({.kind = SpanKind::message,
                 .rank = flight.message.source.value,
                 .operation = flight.message.target.value,
                 .label = -1,
                 .detail = flight.message.label,
                 .begin = flight.sent,
                 .end = queue_.now(),
                 .size = size,
                 .group = flight.message.group});
  close_end(token.owner);
  flight.listener->delivered(flight.message.token, size);
}

void TracedBackend::injected(const MessageToken& token, NodeId source) {
  const Flight flight = flights_[token.owner];
  close_end(token.owner);
  flight.listener->injected(flight.message.token, source);
}

void TracedBackend::close_end(std::uint32_t flight) {
  if (--flights_[flight].open_ends == 0) free_.push_back(flight);
}

}  // namespace orrery
