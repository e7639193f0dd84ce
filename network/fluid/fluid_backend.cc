#include "network/fluid/fluid_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/check.h"
#include "core/trace/byte_bins.h"
#include "network/backends.h"
#include "network/fluid/connections.h"
#include "network/fluid/flow_classes.h"
#include "network/fluid/flow_limits.h"
#include "network/fluid/flow_paths.h"
#include "network/routing/router.h"
#include "network/traffic_counters.h"
#include "network/turn.h"

namespace orrery {
namespace {

using fluid::Flight;
using fluid::FlowClasses;
using fluid::FlowName;
using fluid::FlowPaths;
using fluid::LinkUse;
using fluid::no_flight;

std::vector<double> capacities_of(const Topology& topology) {
  std::vector<double> capacities;
  capacities.reserve(topology.links().size());
  for (const Link& link : topology.links())
    capacities.push_back(static_cast<double>(link.bandwidth.value));
  return capacities;
}

// Of all flows that the use counts, each rounded for itself.
TotalBytes share_of(Bytes size, const LinkUse& use) {
  const TotalBytes one =
      use.share == 1.0 ? size : Bytes{std::llround(static_cast<double>(size.value) * use.share)};
  return one * std::llround(use.count);
}

class FluidBackend final : public NetworkBackend, private EventHandler, private RouteListener {
 public:
  FluidBackend(EventQueue& queue, const Topology& topology, const NetworkSpec& network)
      : queue_(queue),
        topology_(topology),
        spec_(network.fluid),
        router_(topology, network.routing.of_flows(topology.structural())),
        paths_(topology, router_, network.routing.searches(topology.structural())),
        flows_(capacities_of(topology), spec_.highest == ClassSharing::strict ? 2 : 1,
               value_of(spec_.completion_tolerance)),
        counters_(topology),
        limited_(256),
        unused_settings_(settings_outside(network, {SettingGroup::routing, SettingGroup::fluid})) {
    handler_ = queue.add_handler(*this);
    router_.schedule_changes(queue, *this);
  }

  Time send(const Message& message, MessageListener& listener) override {
    DCHECK(message.source != message.target && message.size.value >= 0, "{} B from {} to {}",
           message.size.value, message.source.value, message.target.value);
    counters_.add_message();
    const std::uint32_t slot = take_slot();
    Flight& flight = flights_[slot];
    flight = {.message = message, .listener = &listener, .left = message.size};
    flight.number = router_.next_flow(message.source);
    flight.sent = ++sent_;
    const Time begins = queue_.now() + spec_.message_overhead;
    if (begins > queue_.now())
      schedule(begins, Step::begin, slot);
    else
      begin_in_turn(slot);
    if (message.size == Bytes{}) return begins;  // nothing to inject
    return Time::never();
  }

  // A link that representatives share carries what all alike do, in the folded run as in the full
  // one: shares and rates are exact sums (max_min_solver.h).
  FoldAnswer fold(const Fold& fold, const FoldedTraffic& traffic) override {
    return paths_.fold(fold, traffic);
  }
  void watch_links(ByteBins& bins) override { watched_ = &bins; }

  NetworkStatistics statistics() const override;
  std::span<const std::string> unused_settings() const override { return unused_settings_; }
  std::vector<std::string> notices() const override;

 private:
  enum class Step : std::uint64_t { begin, solve, deliver };  // above the slot in an event
  static constexpr int slot_bits = 40;

  using State = Flight::State;
  struct Carried {  // of a flight, if links are watched
    Time since;
    std::vector<LinkUse> uses;
  };

  void on_event(std::uint64_t argument) override;
  void links_changed(std::span<const LinkIndex> links) override;
  void routes_changed() override;

  std::uint32_t take_slot();
  void schedule(Time when, Step step, std::uint32_t slot) {
    queue_.schedule_at(when, handler_, static_cast<std::uint64_t>(step) << slot_bits | slot);
  }
  bool find_path(Flight& flight, Bytes size);
  void count(const Flight& flight, std::span<const LinkUse> uses, Bytes size);
  void watch(std::uint32_t slot, Bytes left);
  void begin_in_turn(std::uint32_t slot);
  void begin_first();
  void begin_from(std::uint32_t slot);
  bool begin(std::uint32_t slot);
  double limit_of(const Flight& flight) const;
  void solve_soon();
  void solve();
  void wake();
  std::pair<std::uint32_t, std::uint64_t> turn_of_flight(std::uint32_t slot) const;
  void arrive(std::uint32_t slot);
  void deliver(std::uint32_t slot);
  bool cut_off(std::uint32_t slot);

  EventQueue& queue_;
  const Topology& topology_;
  const FluidSpec spec_;
  Router router_;
  FlowPaths paths_;
  FlowClasses flows_;
  TrafficCounters counters_;
  std::vector<std::vector<TotalBytes>> limited_;  // NetworkStatistics::limited
  std::vector<std::string> unused_settings_;
  EventQueue::HandlerId handler_;

  std::vector<Flight> flights_;  // slots
  fluid::Connections connections_{flights_};
  std::vector<std::uint32_t> free_slots_;
  ByteBins* watched_ = nullptr;   // watch_links()
  std::vector<Carried> carried_;  // by slot
  std::vector<LinkUse> uses_;     // of a flow that may be cut off

  bool solve_scheduled_ = false;
  EventQueue::Handle wake_;
  Time wake_at_ = Time::never();
  std::vector<FlowClasses::Complete> complete_;
  std::vector<std::uint32_t> first_;  // flights that may have come to be first on a connection now
  std::vector<std::uint32_t> empty_;  // flights of 0 bytes that began now
  std::uint64_t sent_ = 0;            // messages
};

std::uint32_t FluidBackend::take_slot() {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(flights_.size()));
    flights_.emplace_back();
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

// Fills the flight's latency, and counts `size` bytes on the way. False if there is no way now, but
// there may be one later.
bool FluidBackend::find_path(Flight& flight, Bytes size) {
  const NodeId from = flight.message.source, to = flight.message.target;
  if (!paths_.find(from, to, flight.number)) {
    if (!router_.changes_to_come()) router_.give_up(from, to, queue_);
    return false;
  }
  flight.latency = paths_.latency();
  count(flight, paths_.uses(), size);
  return true;
}

void FluidBackend::count(const Flight& flight, std::span<const LinkUse> uses, Bytes size) {
  std::uint64_t levels = 0;
  for (const LinkUse& use : uses) {
    levels |= counters_.level_bit(use.link);
    counters_.add_to_link(use.link, share_of(size, use));
  }
  if (size == flight.message.size) counters_.add_to_levels(levels, flight.message.label, size);
}

// What the flight carried since it took its path, up to what is left: evenly, whatever its rates
// were meanwhile.
void FluidBackend::watch(std::uint32_t slot, Bytes left) {
  for (const LinkUse& use : carried_[slot].uses)
    watched_->add(use.link, carried_[slot].since, queue_.now(),
                  (share_of(flights_[slot].left, use) - share_of(left, use)).narrow());
}

// On a connection it begins when all that comes to it now has come.
void FluidBackend::begin_in_turn(std::uint32_t slot) {
  if (flights_[slot].message.connection < 0) return begin_from(slot);
  flights_[slot].state = State::in_turn;
  connections_.enter(slot, queue_.now());
  if (!connections_.is_first(slot)) return;
  first_.push_back(slot);
  solve_soon();
}

void FluidBackend::begin_first() {
  for (const std::uint32_t slot : first_)
    if (flights_[slot].state == State::in_turn && connections_.is_first(slot)) begin_from(slot);
  first_.clear();
}

// The message begins, and those behind it, as long as they leave at once.
void FluidBackend::begin_from(std::uint32_t slot) {
  while (slot != no_flight && begin(slot)) slot = connections_.leave(slot);
}

double FluidBackend::limit_of(const Flight& flight) const {
  const double limit =
      fluid::flow_limit(spec_, flight.message.size, flight.latency, paths_.narrowest());
  if (!paths_.goes_both_ways()) return limit;
  return std::min(limit, static_cast<double>(paths_.narrowest().value));
}

// True if the message has left already: it has no bytes.
bool FluidBackend::begin(std::uint32_t slot) {
  Flight& flight = flights_[slot];
  if (!find_path(flight, flight.left)) {
    flight.state = State::waiting;
    return false;
  }
  if (flight.left == Bytes{}) {
    flight.state = State::arriving;
    empty_.push_back(slot);
    solve_soon();
    return true;
  }
  const bool highest = flight.message.traffic_class == TrafficClass::highest;
  const bool heavier = highest && spec_.highest == ClassSharing::weighted;
  const bool later = !highest && spec_.highest == ClassSharing::strict;
  flight.state = State::flowing;
  if (watched_ != nullptr) {
    carried_.resize(flights_.size());
    const std::span<const LinkUse> uses = paths_.uses();
    carried_[slot] = {queue_.now(), {uses.begin(), uses.end()}};
  }
  flight.flow = flows_.add({.path = paths_.limits(),
                            .size = static_cast<double>(flight.left.value),
                            .weight = heavier ? spec_.highest_weight : 1.0,
                            .limit = limit_of(flight),
                            .of_class = static_cast<std::uint8_t>(later ? 1 : 0),
                            .owner = slot});
  solve_soon();
  return false;
}

// After everything else that happens now, so that what begins together is solved together.
void FluidBackend::solve_soon() {
  if (solve_scheduled_) return;
  solve_scheduled_ = true;
  schedule(queue_.now(), Step::solve, 0);
}

void FluidBackend::solve() {
  if (queue_.next_time() == queue_.now()) {
    schedule(queue_.now(), Step::solve, 0);
    return;
  }
  begin_first();
  solve_scheduled_ = false;
  std::ranges::sort(empty_, {}, [this](std::uint32_t slot) { return turn_of_flight(slot); });
  for (const std::uint32_t slot : empty_) arrive(slot);
  empty_.clear();
  flows_.solve(queue_.now());
  const Time next = flows_.next();
  if (next == wake_at_) return;
  if (wake_at_ != Time::never()) queue_.cancel(wake_);
  wake_at_ = next;
  if (next != Time::never())
    wake_ = queue_.schedule_cancellable(next - queue_.now(), [this] { wake(); });
}

// What is complete at one time, or has nothing to carry, is delivered in an order that neither the
// solver nor the senders have a part in: the smallest turn first.
std::pair<std::uint32_t, std::uint64_t> FluidBackend::turn_of_flight(std::uint32_t slot) const {
  const Flight& flight = flights_[slot];
  const std::int32_t nodes = topology_.node_count();
  const std::int32_t up =
      (flight.message.target.value - flight.message.source.value + nodes) % nodes;
  return {turn_of(flight.message, up), flight.sent};
}

void FluidBackend::arrive(std::uint32_t slot) {
  schedule(queue_.now() + flights_[slot].latency, Step::deliver, slot);
}

// Messages are complete, or (rarely) were expected to be and are not yet.
void FluidBackend::wake() {
  wake_at_ = Time::never();
  if (queue_.now() == Time::last()) units_internal::leave_range(DurationTag::beyond);
  complete_.clear();
  flows_.take_complete(queue_.now(), complete_);
  std::ranges::sort(complete_, {}, [this](const FlowClasses::Complete& complete) {
    return turn_of_flight(complete.owner);
  });
  solve_soon();
  for (std::size_t i = 0; i < complete_.size(); ++i) {
    const auto [slot, bottleneck] = complete_[i];
    Flight& flight = flights_[slot];
    flight.state = State::arriving;
    if (watched_ != nullptr) watch(slot, Bytes{});
    if (bottleneck != fluid::no_link) {
      auto& by_link = limited_[flight.message.label];
      if (by_link.empty()) by_link.resize(topology_.links().size());
      by_link[bottleneck] += flight.message.size;
    }
    arrive(slot);
    if (const std::uint32_t next = connections_.leave(slot); next != no_flight)
      first_.push_back(next);
    const MessageToken token = flight.message.token;  // the listener may send: flights_ may move
    flight.listener->injected(token, flight.message.source);
  }
}

void FluidBackend::deliver(std::uint32_t slot) {
  const Flight flight = flights_[slot];
  flights_[slot].state = State::free;
  free_slots_.push_back(slot);
  flight.listener->delivered(flight.message.token, flight.message.size);
}

void FluidBackend::on_event(std::uint64_t argument) {
  const auto slot = static_cast<std::uint32_t>(argument);
  switch (static_cast<Step>(argument >> slot_bits)) {
    case Step::begin:
      return begin_in_turn(slot);
    case Step::solve:
      return solve();
    case Step::deliver:
      return deliver(slot);
  }
}

std::vector<std::string> FluidBackend::notices() const {
  if (spec_.completion_tolerance.part == 0) return {};
  return {fmt::format(
      "messages that end at nearly the same time were ended together "
      "(network.fluid.completion_tolerance): these are the exact times of messages up to {:g} % "
      "larger",
      100 * value_of(spec_.completion_tolerance))};
}

NetworkStatistics FluidBackend::statistics() const {
  NetworkStatistics statistics = counters_.statistics();
  statistics.limited = limited_;
  paths_.unfold(statistics);
  return statistics;
}

void FluidBackend::links_changed(std::span<const LinkIndex> links) {
  for (const LinkIndex link : links)
    flows_.set_capacity(link, static_cast<double>(router_.bandwidth(link).value));
  solve_soon();
}

// True if the flow's path holds a link that is down. Fills uses_ with that path.
bool FluidBackend::cut_off(std::uint32_t slot) {
  uses_.clear();
  flows_.path(flights_[slot].flow, uses_);
  return std::any_of(uses_.begin(), uses_.end(), [&](const LinkUse& use) {
    return router_.bandwidth(use.link) == Bandwidth{};
  });
}

// Messages whose path does not carry any more begin anew, with what is left of them, on another
// one; those without a path wait for the next change.
void FluidBackend::routes_changed() {
  paths_.forget();
  for (std::uint32_t slot = 0; slot < flights_.size(); ++slot) {
    if (flights_[slot].state == State::flowing && cut_off(slot)) {
      Flight& flight = flights_[slot];
      const double left = flows_.remove(flight.flow, queue_.now());
      const Bytes bytes_left{std::max<std::int64_t>(1, std::llround(std::ceil(left)))};
      if (watched_ != nullptr) watch(slot, bytes_left);
      for (const LinkUse& use : uses_)
        counters_.add_to_link(use.link, TotalBytes() - share_of(bytes_left, use));
      flight.left = bytes_left;
      flight.state = State::waiting;
    }
    if (flights_[slot].state == State::waiting) begin_from(slot);
  }
  solve_soon();
}

}  // namespace

const BackendTraits fluid_traits{.shares_links = true,
                                 .folds = true,
                                 .has_flows = true,
                                 .spreads_evenly = true,
                                 .seconds_per_message = 0.65e-6};

std::unique_ptr<NetworkBackend> make_fluid_backend(EventQueue& queue, const Topology& topology,
                                                   const NetworkSpec& spec) {
  return std::make_unique<FluidBackend>(queue, topology, spec);
}

}  // namespace orrery
