// The exchanges of a rank that are under way, in the estimate of schedule_estimate.h. Those of one
// group follow each other, those of different groups go side by side. Where together they would
// need more of a port than there is, each gets an equal share of it, or what it needs if that is
// less, and takes longer.
//
// An exchange needs a port evenly as long as it lasts. One that is slowed down by a port of one
// level leaves what it does not use of the ports of others unused.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "core/units/units.h"
#include "workload/schedule_estimate.h"

namespace orrery {

class BusyPorts {
 public:
  explicit BusyPorts(std::size_t groups) : waiting_(groups) {}

  // Begins at `now`, or when those of its group before it are done. Returns its number, from 0. A
  // time before those that it has been asked for counts as the last of these.
  std::size_t begin(std::size_t group, PortUse use, Duration now);
  // When it is done, with what has begun so far.
  Duration end_of(std::size_t number);
  bool idle(Duration now);

 private:
  struct Exchange {
    std::size_t number;
    PortUse use;
    double left;      // of its time alone, in picoseconds
    double rate = 1;  // at which that passes
  };

  void advance(double to);
  void step(double to);
  void find_rates();
  void share_port(std::size_t level);

  std::vector<std::deque<Exchange>> waiting_;  // of each group; the first is under way
  std::vector<Exchange*> under_way_;
  bool changed_ = false;  // what is under way
  double now_ = 0;
  std::vector<Duration> ends_;  // by number; negative as long as it is not done
};

}  // namespace orrery
