// Two passes of micro-batches through chunks of layers that are done together: where one waits for
// its own exchanges the other goes on. A stage's program is written so (pass_stream.h), and its
// time is estimated so (part_times.h).
//
// With expert parallelism, passes take turns only where tokens travel to experts and back, as in
// DualPipe and Megatron-LM's combined 1f1b: what else is exchanged (tensor parallel, the counts of
// copies) is too short, and would leave these journeys with nothing beside them. Other models take
// turns at every wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload/model/transformer.h"

namespace orrery {

// One of them, step by step. Who inherits says what its steps are, and what is done with them.
class PassInTurns {
 public:
  // Whether its layers are trained with expert parallelism.
  explicit PassInTurns(bool experts_travel) : experts_travel_(experts_travel) {}
  virtual ~PassInTurns() = default;
  PassInTurns(const PassInTurns&) = delete;
  PassInTurns& operator=(const PassInTurns&) = delete;

  bool done() const { return part_ == parts(); }
  // What comes before the next wait where passes take turns. If it stands before one, that comes
  // first. Nothing if it is done.
  void write_until_turn();
  // The first n-th of that: by the operations that it states, or up to the turn if that is before.
  // REQUIRES: n >= 1.
  void write_one_of(std::int32_t n);
  // How many waits come before it computes again: a journey in two legs is two.
  std::int32_t legs_ahead() const;

 private:
  // Of the pass, in its order.
  virtual std::size_t parts() const = 0;
  virtual const std::vector<PartStep>& steps(std::size_t part) const = 0;
  virtual void begin_part(std::size_t part) = 0;
  virtual void write(std::size_t part, const PartStep& step) = 0;
  virtual void end_part(std::size_t part) = 0;

  bool is_turn(const PartStep& step) const;
  std::int64_t flops_until_turn() const;
  void write_until(std::int64_t flops);

  bool experts_travel_;
  std::size_t part_ = 0, next_ = 0;  // part of the pass, step of the part
  bool begun_ = false;               // the part
  bool at_turn_ = false;             // it stands before one, and has stopped for it
};

// Both to their ends.
void write_in_turns(PassInTurns& first, PassInTurns& second);

}  // namespace orrery
