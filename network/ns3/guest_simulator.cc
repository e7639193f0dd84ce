#include "network/ns3/guest_simulator.h"

#include <ns3/simulator.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace orrery {
namespace {

// Ids below 4 have meanings of their own in ns-3.
constexpr std::uint32_t first_id = ns3::EventId::UID::VALID;

}  // namespace

ns3::TypeId GuestSimulator::GetTypeId() {
  static const ns3::TypeId type =
      ns3::TypeId("orrery::GuestSimulator").SetParent<ns3::SimulatorImpl>();
  return type;
}

ns3::Ptr<GuestSimulator> GuestSimulator::install(EventQueue& queue) {
  const auto guest = ns3::Create<GuestSimulator>(queue);
  ns3::Simulator::SetImplementation(guest);
  return guest;
}

GuestSimulator::GuestSimulator(EventQueue& queue)
    : queue_(queue), handler_(queue.add_handler(*this)) {}

GuestSimulator::~GuestSimulator() {
  for (const Entry& entry : heap_) slots_[entry.slot].event->Unref();
}

void GuestSimulator::Destroy() {
  for (const auto& event : std::exchange(at_destruction_, {})) event->Invoke();
}

ns3::EventId GuestSimulator::Schedule(const ns3::Time& delay, ns3::EventImpl* event) {
  return put(context_, delay, event);
}

void GuestSimulator::ScheduleWithContext(std::uint32_t context, const ns3::Time& delay,
                                         ns3::EventImpl* event) {
  put(context, delay, event);
}

ns3::EventId GuestSimulator::ScheduleNow(ns3::EventImpl* event) {
  return put(context_, ns3::TimeStep(0), event);
}

ns3::EventId GuestSimulator::ScheduleDestroy(ns3::EventImpl* event) {
  at_destruction_.emplace_back(event, false);
  return {at_destruction_.back(), now_in_steps(), no_context, ns3::EventId::UID::DESTROY};
}

ns3::EventId GuestSimulator::put(std::uint32_t context, const ns3::Time& delay,
                                 ns3::EventImpl* event) {
  std::uint32_t slot = first_free_;
  if (slot == no_context) {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    first_free_ = slots_[slot].place;
  }
  const std::uint64_t due = now_in_steps() + static_cast<std::uint64_t>(delay.GetTimeStep());
  slots_[slot] = {event, context, 0};
  heap_.emplace_back();
  const auto place = static_cast<std::uint32_t>(heap_.size() - 1);
  set(place, {due, next_order_++, slot});
  move_up(place);
  arm();
  return {event, due, context, slot + first_id};
}

void GuestSimulator::arm() {
  if (heap_.empty() || heap_.front().due >= armed_for_) return;
  // What is due beyond the clock may be cancelled until then.
  const auto end_of_clock = static_cast<std::uint64_t>(Time::last().since_start.value);
  armed_for_ = std::min(heap_.front().due, end_of_clock);
  queue_.schedule_at({{static_cast<std::int64_t>(armed_for_)}}, handler_, 0);
}

// The event may be one that was armed before an earlier one was: then it changes nothing.
void GuestSimulator::on_event(std::uint64_t) {
  const std::uint64_t now = now_in_steps();
  while (!heap_.empty() && heap_.front().due <= now) run_first();
  if (!heap_.empty() && queue_.now() == Time::last())
    units_internal::leave_range(DurationTag::beyond);
  if (armed_for_ <= now) armed_for_ = ~std::uint64_t{0};
  arm();
}

void GuestSimulator::run_first() {
  const Slot slot = slots_[heap_.front().slot];
  const ns3::Ptr<ns3::EventImpl> event(slot.event, false);  // takes over the reference
  remove(0);
  context_ = slot.context;
  running_ = slot.event;
  ++executed_;
  event->Invoke();
  running_ = nullptr;
  event->Cancel();  // how IsExpired() knows
}

void GuestSimulator::Cancel(const ns3::EventId& id) {
  if (IsExpired(id)) return;
  ns3::EventImpl* event = id.PeekEventImpl();
  event->Cancel();
  if (id.GetUid() == ns3::EventId::UID::DESTROY) return;
  remove(slots_[id.GetUid() - first_id].place);
  event->Unref();  // `id` has a reference, too
}

bool GuestSimulator::IsExpired(const ns3::EventId& id) const {
  ns3::EventImpl* event = id.PeekEventImpl();
  return event == nullptr || event == running_ || event->IsCancelled();
}

ns3::Time GuestSimulator::GetDelayLeft(const ns3::EventId& id) const {
  return ns3::TimeStep(IsExpired(id) ? 0 : id.GetTs() - now_in_steps());
}

ns3::Time GuestSimulator::GetMaximumSimulationTime() const {
  return ns3::TimeStep(std::numeric_limits<std::int64_t>::max());
}

void GuestSimulator::remove(std::uint32_t place) {
  Slot& slot = slots_[heap_[place].slot];
  slot.event = nullptr;
  slot.place = first_free_;
  first_free_ = heap_[place].slot;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (place == heap_.size()) return;
  set(place, last);
  move_up(place);
  move_down(slots_[last.slot].place);
}

void GuestSimulator::move_up(std::uint32_t place) {
  const Entry entry = heap_[place];
  while (place > 0 && entry < heap_[(place - 1) / 2]) {
    set(place, heap_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  set(place, entry);
}

void GuestSimulator::move_down(std::uint32_t place) {
  const Entry entry = heap_[place];
  while (true) {
    std::uint32_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
    if (!(heap_[child] < entry)) break;
    set(place, heap_[child]);
    place = child;
  }
  set(place, entry);
}

}  // namespace orrery
