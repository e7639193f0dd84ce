// Times a rank's own work, and what communication takes from it: while collectives of the rank are
// under way their kernels occupy a share of its processor (`sm_tax`, or the multiprocessors of a
// library's channels), and its work goes on at the rest of the rate. Of several the one that takes
// most counts. Several pieces of work of a rank, on lanes of their own, each go on at that rate.
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
#include "core/units/units.h"
#include "system/operation.h"
#include "system/operation_source.h"

namespace orrery {

class ProcessorListener {
 public:
  // An operation that takes so much time alone is done; communication made it `stolen` longer.
  virtual void work_done(Rank rank, OperationId operation, Duration work, Duration stolen) = 0;

 protected:
  ~ProcessorListener() = default;
};

class Processors {
 public:
  // Communication takes parts of `whole`; 0 = it takes nothing. The references outlive this object.
  Processors(EventQueue& queue, std::int64_t whole, std::int32_t ranks,
             ProcessorListener& listener);

  // REQUIRES: the operation is not under way.
  void begin(Rank rank, OperationId operation, Duration work);

  // A collective, send or receive of the rank that takes so many parts begins or ends; they may
  // overlap. REQUIRES: 0 <= part < whole, if communication takes anything; what ends has begun.
  void communication_begins(Rank rank, std::int64_t part);
  void communication_ends(Rank rank, std::int64_t part);

  // What communication has taken so far from work that is not done yet, rounded down.
  Duration stolen_so_far(Rank rank) const;

 private:
  using Units = units_internal::Unsigned128;  // of 1/whole picosecond
  struct UnderWay {
    std::int64_t part;
    std::int32_t count;
  };
  struct Work {
    OperationId operation;
    Duration time;      // alone
    Time begun, since;  // `left` holds at `since`
    Units left;
    EventQueue::Handle end;
  };
  struct State {
    std::vector<UnderWay> communications;  // by part, the largest first; none of no count
    std::vector<Work> works;               // in the order in which they began
  };

  std::int64_t rate(const State& state) const {
    return state.communications.empty() ? whole_ : whole_ - state.communications.front().part;
  }
  // Of work that goes on at this rate.
  Units left_now(const Work& work, std::int64_t rate) const;
  void schedule_end(Rank rank, Work& work);
  void end(Rank rank, OperationId operation);
  void change(Rank rank, std::int64_t part, std::int32_t more);

  EventQueue& queue_;
  ProcessorListener& listener_;
  std::int64_t whole_;
  std::vector<State> states_;  // of each rank; empty without a tax
};

}  // namespace orrery
