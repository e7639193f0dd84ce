// Times a rank's own work, and what communication takes from it: while collectives of the rank are
// under way their kernels occupy a share of its processor (`sm_tax`), and its work goes on at the
// rest of the rate.
//
// Exact: work is counted in units of 1/whole picosecond, of which a picosecond does `whole`
// alone and `whole - part` beside communication. Work ends at the first picosecond by which all its
// units are done, so it is rounded up once, in the end. What changes at the very instant at which
// work ends does not change that any more.
//
// Without a tax a piece of work is one event and nothing is kept about it.
#pragma once

#include <cstdint>
#include <vector>

#include "core/event/event_queue.h"
#include "core/units/share.h"
#include "core/units/units.h"
#include "system/operation_source.h"

namespace orrery {

class ProcessorListener {
 public:
  // Work of so much time alone is done; communication made it `stolen` longer.
  virtual void work_done(Rank rank, Duration work, Duration stolen) = 0;

 protected:
  ~ProcessorListener() = default;
};

class Processors {
 public:
  // REQUIRES: tax.part < tax.whole; the references outlive this object.
  Processors(EventQueue& queue, Share tax, std::int32_t ranks, ProcessorListener& listener);

  // REQUIRES: the rank has no work.
  void begin(Rank rank, Duration work);

  // A collective, send or receive of the rank begins or ends; they may overlap.
  void communication_begins(Rank rank);
  void communication_ends(Rank rank);

  // What communication has taken so far from work that is not done yet, rounded down.
  Duration stolen_so_far(Rank rank) const;

 private:
  using Units = units_internal::Unsigned128;  // of 1/whole picosecond
  struct State {
    std::int32_t communications = 0;
    bool working = false;
    Duration work;
    Time begun, since;  // `left` holds at `since`
    Units left = 0;
    EventQueue::Handle end;
  };

  std::int64_t rate(const State& state) const {
    return state.communications > 0 ? tax_.whole - tax_.part : tax_.whole;
  }
  Units left_now(const State& state) const;
  void schedule_end(Rank rank);
  void change(Rank rank, std::int32_t collectives);

  EventQueue& queue_;
  ProcessorListener& listener_;
  Share tax_;
  std::vector<State> states_;  // of each rank; empty without a tax
};

}  // namespace orrery
