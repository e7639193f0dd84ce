#include "system/endpoint/endpoint_backend.h"

#include "core/base/check.h"

namespace orrery {
namespace {

// Event argument: the flight above the step.
constexpr int kStepBits = 2;

}  // namespace

EndpointBackend::EndpointBackend(EventQueue& queue, NetworkBackend& network,
                                 const Topology& topology, const SystemSpec& spec, TraceSink& sink)
    : queue_(queue),
      network_(network),
      topology_(topology),
      sink_(sink),
      handler_(queue.add_handler(*this)),
      endpoints_(static_cast<std::size_t>(topology.npu_count()) * 2),
      accounts_(topology.npu_count()) {
  specs_[static_cast<std::size_t>(Scope::local)] = spec.local_endpoint;
  specs_[static_cast<std::size_t>(Scope::scale_out)] = spec.endpoint;
}

// The scope of the outermost level that the message crosses.
Scope EndpointBackend::scope_of(const Message& message) const {
  Scope scope = Scope::local;
  for (int level = 0; level < static_cast<int>(topology_.levels().size()); ++level)
    if (topology_.coordinate(message.source, level) != topology_.coordinate(message.target, level))
      scope = topology_.levels()[level].scope;
  return scope;
}

Time EndpointBackend::send(const Message& message, MessageListener& listener) {
  const bool between_npus =
      message.source.value < topology_.npu_count() && message.target.value < topology_.npu_count();
  if (!between_npus) return network_.send(message, listener);
  const Scope scope = scope_of(message);
  const EndpointSpec& spec = specs_[static_cast<std::size_t>(scope)];
  if (spec.is_off()) return network_.send(message, listener);

  const std::uint32_t flight = open_flight(message, listener, scope);
  Endpoint& endpoint = endpoint_of(message.source, static_cast<std::uint8_t>(scope));
  EndpointAccount& account = accounts_[message.source.value];
  ++account.sent;
  account.overhead += spec.send_overhead;
  const Duration copied = copy(message.size, spec.send_copy, account);
  Time at = serve(endpoint.processor, queue_.now(), spec.send_overhead, account);
  at = serve(endpoint.send_copy, at, copied, account);
  at = serve(endpoint.send_port, at, spec.gap, account) - spec.gap;  // the gap follows
  schedule(at, flight, Step::post);
  return Time::never();
}

std::uint32_t EndpointBackend::open_flight(const Message& message, MessageListener& listener,
                                           Scope scope) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(flights_.size()));
    flights_.emplace_back();
  }
  const std::uint32_t flight = free_.back();
  free_.pop_back();
  flights_[flight] = {message, &listener, queue_.now(), static_cast<std::uint8_t>(scope), 2};
  return flight;
}

void EndpointBackend::close_end(std::uint32_t flight) {
  if (--flights_[flight].open_ends == 0) free_.push_back(flight);
}

Duration EndpointBackend::copy(Bytes size, const std::optional<Bandwidth>& rate,
                               EndpointAccount& account) const {
  if (!rate) return {};
  const Duration time = transfer_time(size, *rate);
  account.copy += time;
  return time;
}

// Returns when the server is done with it.
Time EndpointBackend::serve(Server& server, Time from, Duration busy, EndpointAccount& account) {
  const Time begin = server.take(from, busy);
  account.waited += begin - from;
  return begin + busy;
}

void EndpointBackend::schedule(Time when, std::uint32_t flight, Step step) {
  queue_.schedule_at(when, handler_,
                     std::uint64_t{flight} << kStepBits | static_cast<std::uint64_t>(step));
}

void EndpointBackend::on_event(std::uint64_t argument) {
  const auto flight = static_cast<std::uint32_t>(argument >> kStepBits);
  switch (static_cast<Step>(argument & ((1U << kStepBits) - 1))) {
    case Step::post:
      return post(flight);
    case Step::injected:
      return injected({.owner = flight}, flights_[flight].message.source);
    case Step::process:
      return process_arrival(flight);
    case Step::deliver:
      return hand_over(flight);
  }
}

void EndpointBackend::post(std::uint32_t flight) {
  emit(flights_[flight], false);
  Message message = flights_[flight].message;
  message.token = {.owner = flight};
  const Time sent = network_.send(message, *this);
  if (sent != Time::never()) schedule(sent, flight, Step::injected);
}

void EndpointBackend::injected(const MessageToken& token, NodeId source) {
  const Flight flight = flights_[token.owner];
  close_end(token.owner);
  flight.listener->injected(flight.message.token, source);
}

void EndpointBackend::delivered(const MessageToken& token, Bytes size) {
  Flight& flight = flights_[token.owner];
  const EndpointSpec& spec = specs_[flight.scope];
  Endpoint& endpoint = endpoint_of(flight.message.target, flight.scope);
  EndpointAccount& account = accounts_[flight.message.target.value];
  flight.begun = queue_.now();
  ++account.received;
  const Time taken = serve(endpoint.receive_port, queue_.now(), spec.gap, account) - spec.gap;
  const Duration copied = copy(size, spec.receive_copy, account);
  const Time at = serve(endpoint.receive_copy, taken, copied, account);
  if (at > queue_.now())
    schedule(at, token.owner, Step::process);
  else
    process_arrival(token.owner);
}

// The processor takes arrivals and sends in the order in which they come, so an arrival asks for it
// only now.
void EndpointBackend::process_arrival(std::uint32_t id) {
  const Flight& flight = flights_[id];
  const Duration overhead = specs_[flight.scope].receive_overhead;
  if (overhead == Duration{}) return hand_over(id);
  Endpoint& endpoint = endpoint_of(flight.message.target, flight.scope);
  EndpointAccount& account = accounts_[flight.message.target.value];
  account.overhead += overhead;
  schedule(serve(endpoint.processor, queue_.now(), overhead, account), id, Step::deliver);
}

void EndpointBackend::hand_over(std::uint32_t id) {
  const Flight flight = flights_[id];
  emit(flight, true);
  close_end(id);
  flight.listener->delivered(flight.message.token, flight.message.size);
}

void EndpointBackend::emit(const Flight& flight, bool receives) const {
  if (!sink_.wants_messages()) return;
  const Message& message = flight.message;
  sink_.on_span({.kind = SpanKind::endpoint,
                 .rank = (receives ? message.target : message.source).value,
                 .operation = (receives ? message.source : message.target).value,
                 .label = -1,
                 .detail = static_cast<std::uint8_t>(receives),
                 .begin = flight.begun,
                 .end = queue_.now(),
                 .size = message.size});
}

std::unique_ptr<EndpointBackend> make_endpoints(EventQueue& queue, NetworkBackend& network,
                                                const Topology& topology, const SystemSpec& spec,
                                                TraceSink& sink) {
  if (spec.endpoint.is_off() && spec.local_endpoint.is_off()) return nullptr;
  return std::make_unique<EndpointBackend>(queue, network, topology, spec, sink);
}

}  // namespace orrery
