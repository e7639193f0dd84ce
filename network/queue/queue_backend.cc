#include "network/queue/queue_backend.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/trace/byte_bins.h"
#include "network/routing/router.h"
#include "network/traffic_counters.h"

namespace orrery {
namespace {

// The sending end of a link. No queue is stored: what waits has its time already.
struct LinkQueue {
  Time free;
  Duration busy;
  // transfer_time() is a 128-bit division; the sizes of a collective repeat.
  Bytes last_size{-1};
  Bandwidth last_bandwidth;
  Duration last_duration;

  Duration duration_of(Bytes size, Bandwidth bandwidth) {
    if (size != last_size || bandwidth != last_bandwidth) {
      last_size = size;
      last_bandwidth = bandwidth;
      last_duration = transfer_time(size, bandwidth);
    }
    return last_duration;
  }
};

class QueueBackend final : public NetworkBackend, private EventHandler, private RouteListener {
 public:
  QueueBackend(EventQueue& queue, const Topology& topology, const NetworkSpec& network)
      : queue_(queue),
        topology_(topology),
        segment_(network.queue.segment),
        router_(topology, network.routing),
        counters_(topology),
        links_(topology.links().size()),
        unused_settings_(settings_outside(network, {SettingGroup::routing, SettingGroup::queue})) {
    handler_ = queue.add_handler(*this);
    router_.schedule_changes(queue, *this);
  }

  std::optional<Time> send(const Message& message, MessageListener& listener) override;
  NetworkStatistics statistics() const override;
  void watch_links(ByteBins& bins) override { watched_ = &bins; }
  std::span<const std::string> unused_settings() const override { return unused_settings_; }

 private:
  enum class Step : std::uint64_t { arrive, leave };  // above the number of a segment
  static constexpr int number_bits = 40;

  struct Flight {  // a message on its way
    Message message;
    MessageListener* listener = nullptr;
    std::int64_t to_arrive = 0;  // segments
    std::int64_t to_leave = 0;   // segments that have not left the source, unless send() knew
    std::uint64_t levels = 0;    // crossed, a bit for each
  };
  struct Segment {
    std::uint32_t flight = 0;
    Bytes size;
    std::uint64_t number = 0;  // tells its path from others between the same two
    std::size_t hop = 0;       // of the path, that it is on or waits for
    bool sent = false;         // has a time to leave its source
    std::vector<LinkIndex> path;
  };

  void on_event(std::uint64_t argument) override;
  void links_changed(std::span<const LinkIndex>) override { retry(); }
  void routes_changed() override { retry(); }
  void retry();
  void schedule(Time when, Step step, std::uint32_t number) {
    queue_.schedule_at(when, handler_, static_cast<std::uint64_t>(step) << number_bits | number);
  }

  template <class Slots>
  static std::uint32_t take(Slots& slots, std::vector<std::uint32_t>& free) {
    if (free.empty()) {
      free.push_back(static_cast<std::uint32_t>(slots.size()));
      slots.emplace_back();
    }
    const std::uint32_t slot = free.back();
    free.pop_back();
    return slot;
  }

  NodeId place_of(const Segment& segment) const {
    return segment.hop == 0 ? flights_[segment.flight].message.source
                            : topology_.links()[segment.path[segment.hop - 1]].to;
  }
  bool find_path(Segment& segment);
  std::optional<Time> enter(std::uint32_t number);
  void arrive(std::uint32_t number);
  void leave(std::uint32_t number);

  EventQueue& queue_;
  const Topology& topology_;
  const std::optional<Bytes> segment_;
  Router router_;
  TrafficCounters counters_;
  ByteBins* watched_ = nullptr;  // watch_links()
  std::vector<LinkQueue> links_;
  std::vector<std::string> unused_settings_;
  EventQueue::HandlerId handler_;
  std::vector<Flight> flights_;
  std::vector<Segment> segments_;
  std::vector<std::uint32_t> free_flights_, free_segments_;
  std::vector<std::uint32_t> waiting_;  // segments without a way on
};

std::optional<Time> QueueBackend::send(const Message& message, MessageListener& listener) {
  DCHECK(message.source != message.target && message.size.value >= 0, "{} B from {} to {}",
         message.size.value, message.source.value, message.target.value);
  counters_.add_message();
  const std::uint32_t slot = take(flights_, free_flights_);
  const Bytes whole = message.size;
  const Bytes piece = segment_ ? std::min(*segment_, whole) : whole;
  const std::int64_t count = piece > Bytes{} ? (whole.value + piece.value - 1) / piece.value : 1;
  flights_[slot] = {message, &listener, count, 0, 0};

  Time last = queue_.now();  // byte of those that do not wait
  Bytes left = whole;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t number = take(segments_, free_segments_);
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
  schedule(last, Step::leave, slot);
  return std::nullopt;
}

// From where the segment is. False if there is no way now, but there may be one later.
bool QueueBackend::find_path(Segment& segment) {
  const NodeId from = place_of(segment), to = flights_[segment.flight].message.target;
  segment.path.resize(segment.hop);
  if (router_.path(from, to, segment.number, segment.path)) return true;
  if (!router_.changes_to_come()) throw router_.no_route(from, to, queue_.now());
  return false;
}

// Queues the segment at its next link. Returns when its last byte will be on it; nothing if the
// segment has to wait for a way.
std::optional<Time> QueueBackend::enter(std::uint32_t number) {
  Segment& segment = segments_[number];
  const bool has_way = segment.hop < segment.path.size() || find_path(segment);
  const Bandwidth bandwidth = has_way ? router_.bandwidth(segment.path[segment.hop]) : Bandwidth{};
  if (bandwidth == Bandwidth{}) {
    segment.path.resize(segment.hop);
    waiting_.push_back(number);
    return std::nullopt;
  }
  const LinkIndex index = segment.path[segment.hop];
  LinkQueue& link = links_[index];
  const Duration duration = link.duration_of(segment.size, bandwidth);
  link.free = std::max(queue_.now(), link.free) + duration;
  link.busy += duration;
  counters_.add_to_link(index, segment.size);
  if (watched_ != nullptr) watched_->add(index, link.free - duration, link.free, segment.size);
  Flight& flight = flights_[segment.flight];
  const std::uint64_t level = counters_.level_bit(index);
  if ((flight.levels & level) == 0) {
    flight.levels |= level;
    counters_.add_to_levels(level, flight.message.label, flight.message.size);
  }
  if (!std::exchange(segment.sent, true)) schedule(link.free, Step::leave, segment.flight);
  schedule(link.free + topology_.links()[index].latency, Step::arrive, number);
  return link.free;
}

void QueueBackend::on_event(std::uint64_t argument) {
  const auto number = static_cast<std::uint32_t>(argument);
  if (static_cast<Step>(argument >> number_bits) == Step::arrive)
    arrive(number);
  else
    leave(number);
}

void QueueBackend::arrive(std::uint32_t number) {
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
void QueueBackend::leave(std::uint32_t slot) {
  Flight& flight = flights_[slot];
  if (--flight.to_leave > 0) return;
  const MessageToken token = flight.message.token;
  flight.listener->injected(token, flight.message.source);
}

// What waits looks for a way from where it is. What is queued at a link that went down got its time
// before, and keeps it.
void QueueBackend::retry() {
  const std::vector<std::uint32_t> waiting = std::exchange(waiting_, {});
  for (const std::uint32_t number : waiting) enter(number);
}

NetworkStatistics QueueBackend::statistics() const {
  NetworkStatistics statistics = counters_.statistics();
  for (const LinkQueue& link : links_) statistics.busy.push_back(link.busy);
  return statistics;
}

}  // namespace

std::unique_ptr<NetworkBackend> make_queue_backend(EventQueue& queue, const Topology& topology,
                                                   const NetworkSpec& spec) {
  return std::make_unique<QueueBackend>(queue, topology, spec);
}

}  // namespace orrery
