// ns-3's simulator as a guest on our event queue: ns3::Simulator::Schedule() and Now() are ours, so
// there is one clock and one order, in picoseconds.
//
// ns-3's events here are mostly timers of TCP that are cancelled long before they are due (one for
// each acknowledgement). They are kept in a heap from which they can be removed, and only the
// earliest one is known to our queue: else a run with a minimum RTO of a second would keep millions
// of dead ones.
//
// ns-3 has one simulator for the process, so there is one guest at a time: GuestTurn.
#pragma once

#include <ns3/simulator-impl.h>

#include <cstdint>
#include <vector>

#include "core/event/event_queue.h"

namespace orrery {

class GuestSimulator final : public ns3::SimulatorImpl, private EventHandler {
 public:
  static ns3::TypeId GetTypeId();

  // Makes a guest and tells ns-3 about it. REQUIRES: there is none; the queue outlives it.
  static ns3::Ptr<GuestSimulator> install(EventQueue& queue);

  explicit GuestSimulator(EventQueue& queue);
  ~GuestSimulator() override;

  // --- ns3::SimulatorImpl ---
  void Destroy() override;
  bool IsFinished() const override { return heap_.empty(); }
  void Stop() override {}
  void Stop(const ns3::Time&) override {}
  ns3::EventId Schedule(const ns3::Time& delay, ns3::EventImpl* event) override;
  void ScheduleWithContext(std::uint32_t context, const ns3::Time& delay,
                           ns3::EventImpl* event) override;
  ns3::EventId ScheduleNow(ns3::EventImpl* event) override;
  ns3::EventId ScheduleDestroy(ns3::EventImpl* event) override;
  void Remove(const ns3::EventId& id) override { Cancel(id); }
  void Cancel(const ns3::EventId& id) override;
  bool IsExpired(const ns3::EventId& id) const override;
  void Run() override {}  // our queue runs
  ns3::Time Now() const override { return ns3::TimeStep(now_in_steps()); }
  ns3::Time GetDelayLeft(const ns3::EventId& id) const override;
  ns3::Time GetMaximumSimulationTime() const override;
  void SetScheduler(ns3::ObjectFactory) override {}
  std::uint32_t GetSystemId() const override { return 0; }
  std::uint32_t GetContext() const override { return context_; }
  std::uint64_t GetEventCount() const override { return executed_; }

 private:
  static constexpr std::uint32_t no_context = 0xffff'ffff;  // ns3::Simulator::NO_CONTEXT

  struct Entry {
    std::uint64_t due = 0, order = 0;  // order: of the calls
    std::uint32_t slot = 0;
    bool operator<(const Entry& o) const { return due != o.due ? due < o.due : order < o.order; }
  };
  struct Slot {
    ns3::EventImpl* event = nullptr;
    std::uint32_t context = 0;
    std::uint32_t place = 0;  // in the heap; or the next free slot
  };

  std::uint64_t now_in_steps() const {
    return static_cast<std::uint64_t>(queue_.now().since_start.value);
  }
  void on_event(std::uint64_t) override;
  ns3::EventId put(std::uint32_t context, const ns3::Time& delay, ns3::EventImpl* event);
  void arm();  // our queue for the earliest event
  void run_first();
  void remove(std::uint32_t place);
  void move_up(std::uint32_t place);
  void move_down(std::uint32_t place);
  void set(std::uint32_t place, const Entry& entry) {
    heap_[place] = entry;
    slots_[entry.slot].place = place;
  }

  EventQueue& queue_;
  EventQueue::HandlerId handler_;
  std::vector<Entry> heap_;  // binary, smallest first
  std::vector<Slot> slots_;
  std::uint32_t first_free_ = no_context;
  std::uint64_t next_order_ = 0, executed_ = 0;
  std::uint64_t armed_for_ = ~std::uint64_t{0};
  std::uint32_t context_ = no_context;
  const ns3::EventImpl* running_ = nullptr;
  std::vector<ns3::Ptr<ns3::EventImpl>> at_destruction_;
};

}  // namespace orrery
