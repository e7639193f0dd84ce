#include "network/queue/store_and_forward.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/memory_limit.h"
#include "core/trace/byte_bins.h"
#include "core/units/unit_text.h"
#include "network/network_error.h"

namespace orrery {
StoreAndForward::StoreAndForward(EventQueue& queue, const Topology& topology,
                                 const NetworkSpec& network, std::optional<Bytes> segment,
                                 std::initializer_list<SettingGroup> honoured)
    : queue_(queue),
      topology_(topology),
      router_(topology, network.routing),
      links_(topology.links().size()),
      segment_(segment),
      counters_(topology),
      unused_settings_(settings_outside(network, honoured)) {
  handler_ = queue.add_handler(*this);
  router_.schedule_changes(queue, *this);
}

// Of a message; at least 1. All of them are there from the beginning.
std::int64_t StoreAndForward::segment_count(Bytes whole, Bytes piece) {
  if (piece == Bytes{}) return 1;
  const std::int64_t count = whole.value / piece.value + (whole.value % piece.value > 0 ? 1 : 0);
  constexpr std::int64_t many = 1'000'000;
  if (count <= many) [[likely]]
    return count;
  const std::string why = why_no_memory(static_cast<double>(count) * sizeof(Segment));
  if (!why.empty())
    throw NetworkError(
        fmt::format("the {} segments of a message of {} {}: make the segments larger", count,
                    to_text(whole), why));
  return count;
}

Time StoreAndForward::send(const Message& message, MessageListener& listener) {
  DCHECK(message.source != message.target && message.size.value >= 0, "{} B from {} to {}",
         message.size.value, message.source.value, message.target.value);
  counters_.add_message();
  const std::uint32_t slot = take(flights_, free_flights_);
  const Bytes whole = message.size;
  const Bytes piece = segment_ ? std::min(*segment_, whole) : whole;
  const std::int64_t count = segment_count(whole, piece);
  flights_[slot] = {message, &listener, count, 0, 0};

  Time last = queue_.now();  // byte of those that do not wait
  Bytes left = whole;
  for (std::int64_t i = 0; i < count; ++i) {
    const SegmentNumber number = take(segments_, free_segments_);
    Segment& segment = segments_[number];
    segment.flight = slot;
    segment.size = std::min(piece, left);
    segment.number = router_.next_flow(message.source);
    segment.hop = 0;
    segment.sent = true;
    segment.path.clear();
    left -= segment.size;
    const std::optional<Time> out = enter(number);
    if (out) {
      last = std::max(last, *out);
      continue;
    }
    segments_[number].sent = false;  // waits: nobody knows until when
    ++flights_[slot].to_leave;
  }
  if (flights_[slot].to_leave == 0) return last;
  ++flights_[slot].to_leave;  // for those that do not wait
  schedule(last, leave_step, slot);
  return Time::never();
}

// From where the segment is. Where nothing leads on from there its node has failed, or is cut off:
// the segment is lost, and its source sends it again. False if there is no way now, but there may
// be one later.
bool StoreAndForward::find_path(SegmentNumber number) {
  Segment& segment = segments_[number];
  const Message& message = flights_[segment.flight].message;
  const auto leads_from = [&](NodeId from) {
    segment.path.resize(segment.hop);
    return router_.path(from, message.target, segment.number, segment.path);
  };
  if (leads_from(place_of(segment))) return true;
  if (segment.hop > 0) {
    lost(number);
    segment.hop = 0;
    if (leads_from(message.source)) return true;
  }
  if (!router_.changes_to_come()) router_.give_up(message.source, message.target, queue_);
  return false;
}

// Hands the segment to the backend at its next link, or lets it wait for a way. A way that a fault
// cut is kept until the routers have learnt of that, and then looked for again. Returns when its
// last byte will be on the link, if that is known.
std::optional<Time> StoreAndForward::enter(SegmentNumber number) {
  Segment& segment = segments_[number];
  const bool has_way = segment.hop < segment.path.size() && router_.believed_up(next_link(segment));
  if ((has_way || find_path(number)) && router_.bandwidth(next_link(segment)) > Bandwidth{})
    return join(number);
  waiting_.push_back(number);
  return std::nullopt;
}

Time StoreAndForward::put_on_link(SegmentNumber number, Time begin) {
  Segment& segment = segments_[number];
  const LinkIndex index = next_link(segment);
  LinkState& link = links_[index];
  const Duration duration = link.transfer.duration_of(segment.size, router_.bandwidth(index));
  link.free = begin + duration;
  link.busy += duration;
  counters_.add_to_link(index, segment.size);
  if (watched_ != nullptr) watched_->add(index, begin, link.free, segment.size);
  Flight& flight = flights_[segment.flight];
  const std::uint64_t level = counters_.level_bit(index);
  if ((flight.levels & level) == 0) {
    flight.levels |= level;
    counters_.add_to_levels(level, flight.message.label, flight.message.size);
  }
  if (!std::exchange(segment.sent, true)) schedule(link.free, leave_step, segment.flight);
  schedule(link.free + topology_.links()[index].latency, arrive_step, number);
  return link.free;
}

void StoreAndForward::on_event(std::uint64_t argument) {
  const auto number = static_cast<std::uint32_t>(argument);
  const auto step = static_cast<std::uint32_t>(argument >> number_bits);
  if (step == arrive_step)
    arrive(number);
  else if (step == leave_step)
    leave(number);
  else
    on_own_event(step - own_steps, number);
}

void StoreAndForward::on_own_event(std::uint32_t step, std::uint32_t number) {
  CHECK(false, "step {} of {} at {} ps", step, number, queue_.now().since_start.value);
}

void StoreAndForward::arrive(SegmentNumber number) {
  reached_node(number);
  Segment& segment = segments_[number];
  ++segment.hop;
  if (place_of(segment) != flights_[segment.flight].message.target) {
    enter(number);
    return;
  }
  const std::uint32_t slot = segment.flight;
  free_segments_.push_back(number);
  if (--flights_[slot].to_arrive > 0) return;
  const Flight flight = flights_[slot];
  free_flights_.push_back(slot);
  flight.listener->delivered(flight.message.token, flight.message.size);
}

// A segment that had to wait at its source has left it, or all that had not.
void StoreAndForward::leave(std::uint32_t slot) {
  Flight& flight = flights_[slot];
  if (--flight.to_leave > 0) return;
  const MessageToken token = flight.message.token;
  flight.listener->injected(token, flight.message.source);
}

// What waits looks for a way from where it is. What has a time on a link that went down keeps it.
void StoreAndForward::retry() {
  const std::vector<SegmentNumber> waiting = std::exchange(waiting_, {});
  for (const SegmentNumber number : waiting) enter(number);
}

NetworkStatistics StoreAndForward::statistics() const {
  NetworkStatistics statistics = counters_.statistics();
  for (const LinkState& link : links_) statistics.busy.push_back(link.busy);
  return statistics;
}

}  // namespace orrery
