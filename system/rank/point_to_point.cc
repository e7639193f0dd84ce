#include "system/rank/point_to_point.h"

#include <fmt/format.h>

#include "system/job.h"

namespace orrery {

PointToPoint::PointToPoint(EventQueue& queue, NetworkBackend& network, const Topology& topology,
                           const SystemSpec& spec, PointToPointListener& listener)
    : queue_(queue), network_(network), topology_(topology), spec_(spec), listener_(listener) {}

std::uint32_t PointToPoint::channel_of(Rank source, Rank target, std::int32_t tag,
                                       std::int32_t number) {
  const auto next = static_cast<std::uint32_t>(channels_.size());
  const auto [found, inserted] = channel_ids_.try_emplace({source, target, tag, number}, next);
  if (inserted) {
    Channel& channel = channels_.emplace_back();
    channel.source = source;
    channel.target = target;
    channel.tag = tag;
    channel.number = number;
  }
  return found->second;
}

// The delay on the outermost level that the message crosses.
Duration PointToPoint::endpoint_delay(Rank a, Rank b) const {
  Scope scope = Scope::local;
  for (int level = 0; level < static_cast<int>(topology_.levels().size()); ++level)
    if (topology_.coordinate({a}, level) != topology_.coordinate({b}, level))
      scope = topology_.levels()[level].scope;
  return scope == Scope::scale_out ? spec_.injection_latency : spec_.local_injection_latency;
}

void PointToPoint::send(Rank rank, OperationId operation, const SendCall& call) {
  auto flight = static_cast<std::uint32_t>(flights_.size());
  if (free_flights_.empty()) {
    flights_.emplace_back();
  } else {
    flight = free_flights_.back();
    free_flights_.pop_back();
  }
  const std::uint32_t channel = channel_of(rank, call.to, call.tag, call.number);
  flights_[flight] = {channel, operation, channels_[channel].sent++, queue_.now(), 2};
  queue_.schedule(
      endpoint_delay(rank, call.to),
      [this, flight, size = call.size, tensor = call.tensor] { post(flight, size, tensor); });
}

void PointToPoint::post(std::uint32_t flight, Bytes size, const TensorPart& tensor) {
  const Channel& channel = channels_[flights_[flight].channel];
  const Time sent = network_.send({.source = {channel.source},
                                   .target = {channel.target},
                                   .size = size,
                                   .token = {.owner = flight},
                                   .label = kPointToPointLabel,
                                   .tensor = tensor},
                                  *this);
  if (sent == Time::never()) return;
  queue_.schedule(sent - queue_.now(), [this, flight] { injected({.owner = flight}, NodeId{}); });
}

void PointToPoint::injected(const MessageToken& token, NodeId) {
  const Flight flight = flights_[token.owner];
  close_end(token.owner);
  listener_.transfer_finished(channels_[flight.channel].source, flight.send, flight.sent);
}

void PointToPoint::close_end(std::uint32_t flight) {
  if (--flights_[flight].open_ends == 0) free_flights_.push_back(flight);
}

void PointToPoint::delivered(const MessageToken& token, Bytes size) {
  const std::uint32_t id = flights_[token.owner].channel;
  const std::int64_t number = flights_[token.owner].number;
  const Channel::Arrived message{size, flights_[token.owner].sent};
  const Channel& channel = channels_[id];
  close_end(token.owner);
  queue_.schedule(endpoint_delay(channel.source, channel.target), [this, id, number, message] {
    channels_[id].arrived.emplace(number, message);
    match(id);
  });
}

void PointToPoint::receive(Rank rank, OperationId operation, const ReceiveCall& call) {
  const std::uint32_t id = channel_of(call.from, rank, call.tag, call.number);
  channels_[id].receives.push_back({operation, call.size});
  if (!channels_[id].arrived.empty()) queue_.schedule(Duration{}, [this, id] { match(id); });
}

// The n-th receive takes the n-th send, also if a later one overtook it on the way.
void PointToPoint::match(std::uint32_t id) {
  while (true) {
    Channel& channel = channels_[id];  // anew: who is told may open channels
    const auto next = channel.arrived.find(channel.matched);
    if (next == channel.arrived.end() || channel.receives.empty()) return;
    const Channel::Pending pending = channel.receives.front();
    const auto [size, sent] = next->second;
    if (pending.size != size)
      throw JobError(fmt::format("rank {} receives {} B from rank {} (tag {}), which sent {} B",
                                 channel.target, pending.size.value, channel.source, channel.tag,
                                 size.value));
    channel.receives.pop_front();
    channel.arrived.erase(next);
    ++channel.matched;
    listener_.transfer_finished(channel.target, pending.operation, sent);
  }
}

std::vector<std::string> PointToPoint::unreceived() const {
  std::vector<std::string> texts;
  for (const Channel& channel : channels_)
    if (!channel.arrived.empty())
      texts.push_back(fmt::format("{} message{} from rank {} to rank {} with tag {}",
                                  channel.arrived.size(), channel.arrived.size() == 1 ? "" : "s",
                                  channel.source, channel.target, channel.tag));
  return texts;
}

bool PointToPoint::all_received() const {
  return std::all_of(channels_.begin(), channels_.end(),
                     [](const Channel& channel) { return channel.sent == channel.matched; });
}

std::string PointToPoint::describe_receive(Rank rank, const ReceiveCall& call) const {
  std::int64_t sent = 0, other_tags = 0;
  for (const Channel& channel : channels_) {
    if (channel.source != call.from || channel.target != rank) continue;
    (channel.tag == call.tag && channel.number == call.number ? sent : other_tags) += channel.sent;
  }
  const auto messages = [](std::int64_t count) {
    return fmt::format("{} message{}", count, count == 1 ? "" : "s");
  };
  std::string text =
      fmt::format("rank {} has sent it {} with tag {}", call.from, messages(sent), call.tag);
  if (other_tags > 0) text += fmt::format(", and {} with other tags", messages(other_tags));
  return text;
}

}  // namespace orrery
