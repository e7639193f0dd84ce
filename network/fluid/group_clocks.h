// How far every flow has come, without touching each flow when rates change.
//
// All flows with the same bottleneck link have the same level (bytes per second and weight), so
// they share a clock that advances at that level: a flow of `size` bytes and weight w that enters
// when the clock shows c is complete when it shows c + size/w. A new level moves one clock, not
// hundreds of flows (virtual time: A. Parekh, R. Gallager, "A generalized processor sharing
// approach to flow control", IEEE/ACM Trans. Networking 1(3), 1993).
//
// Completions are at whole picoseconds, rounded up; what is closer to a picosecond than 2^-10 or
// 2^-44 of the duration counts as that picosecond, so that equal flows end together. A flow that
// kept one rate of whole bytes per second ends at exactly begin + ceil(size / rate).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/event/radix_heap.h"
#include "core/units/units.h"
#include "network/fluid/solver/max_min_solver.h"

namespace orrery::fluid {

// Time to carry `amount` bytes at `rate` bytes per second under the rule above; the longest
// Duration if rate is 0.
Duration carrying_time(double amount, double rate);

class GroupClocks {
 public:
  // `tolerance`: a flow may end late by as long as it takes to carry that share of its size more.
  // What ends within such a span ends together. 0: everything ends at its own time.
  explicit GroupClocks(const MaxMinSolver& solver, double tolerance)
      : solver_(solver), tolerance_(tolerance) {}

  // A flow that the solver has been given, before the solve() that finds its rate.
  void add(FlowId flow, double size);
  // Takes out a flow and returns the bytes not carried yet. As take_complete().
  double remove(FlowId flow, Time now);

  // What the solver found at `now`.
  void apply(const MaxMinSolver::Changes& changes, Time now);

  // Not after the next flow is complete, and mostly then; Time::last() if that is beyond the clock,
  // Time::never() if none will be.
  Time next() const;

  // Takes out the flows that are complete at `now`, by bottleneck, and appends them. REQUIRES: they
  // are then taken out of the solver too, and apply() follows before time goes on.
  void take_complete(Time now, std::vector<FlowId>& flows);

  double remaining(FlowId flow, Time now) const;

 private:
  struct Item {
    double due;  // reading of the group's clock at which the flow must end: complete + tolerance
    FlowId flow;
  };
  struct Group {         // of a link
    double reading = 0;  // of the clock at `since`
    Time since;
    double level = 0;              // its speed
    std::vector<Item> flows;       // a binary heap by `due`
    std::uint32_t generation = 0;  // of the entry in due_; others are stale
    bool armed = false;            // has an entry that is not stale, at `due`
    Time due;
    bool listed = false;  // in touched_
  };
  struct Flow {
    double complete = 0;  // reading at which it is; before it has a group, the bytes left
    double slack = 0;     // beyond that, at most
    std::uint32_t place = 0;
  };

  Group& group(LinkId link);
  void advance(Group& group, Time now) const;
  static double reading_at(const Group& group, Time now);
  void touch(LinkId link);
  void arm(LinkId link, Time now);
  void disarm(Group& group);
  void take_complete_of(LinkId link, Time now, std::vector<FlowId>& flows);
  void insert(LinkId link, FlowId flow);
  void take_out(LinkId link, FlowId flow);
  void sift_up(Group& group, std::size_t place);
  void sift_down(Group& group, std::size_t place);
  void put(Group& group, std::size_t place, const Item& item);
  bool is_stale(RadixHeap::Entry entry) const;

  const MaxMinSolver& solver_;
  double tolerance_;
  std::vector<Group> groups_;  // by link
  std::vector<Flow> flows_;
  RadixHeap due_;  // payload: generation above link
  std::size_t entries_ = 0, armed_ = 0;
  std::vector<LinkId> touched_;
};

}  // namespace orrery::fluid
