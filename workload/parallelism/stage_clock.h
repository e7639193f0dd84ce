// One stage of a pipeline as schedule_estimate.h plays it: how far its clock is, and what its
// data-parallel ranks exchange meanwhile, which DataExchange says as for a simulation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "workload/parallelism/busy_ports.h"
#include "workload/parallelism/data_exchange.h"
#include "workload/parallelism/operation_writer.h"
#include "workload/parallelism/part_times.h"
#include "workload/parallelism/pipeline_schedule.h"
#include "workload/parallelism/stage_layout.h"
#include "workload/parallelism/taken_time.h"

namespace orrery {

class StageClock {
 public:
  // REQUIRES: all outlive the clock.
  StageClock(const TransformerWorkload& workload, std::int32_t stage, const Groups& groups,
             PartTimer& parts, ExchangeTimes& exchanges);
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;

  Duration now() const { return now_; }
  void wait_until(Duration time) { now_ = std::max(now_, time); }

  void begin_iteration();
  void pass(const PipelineStep& step);
  void passes_together(const PipelineStep& one, const PipelineStep& other);
  // Until all gradients are here, those that sums_replicated() names too.
  void finish_gradients();
  // The optimizer's step, and the parameters after it.
  void update(const ComputeModel& compute);

 private:
  const PassTime& time_of(const PipelineStep& step) const;
  const PassTime& time_of_both(const PipelineStep& one, const PipelineStep& other);
  bool exchanges_in(const PipelineStep& step);
  bool is_last(const PipelineStep& step) const {
    return step.micro_batch == placement_.last_micro_batch(step.chunk);
  }
  void pass_part_by_part(const PipelineStep& step);
  void compute(const PassTime& time);  // beside what is exchanged
  void play_exchanges();

  const TransformerWorkload& workload_;
  const Groups& groups_;
  PartTimer& timer_;
  ExchangeTimes& times_;
  ChunkPlacement placement_;
  StageLayout layout_, expert_layout_;
  std::vector<std::vector<const PartTimes*>> parts_;  // of each chunk
  std::vector<PartTimes> chunks_;                     // their sums
  // Of two passes that are done together: by chunk and kind of both.
  using BothPasses = std::tuple<std::int32_t, PipelineStep::Kind, std::int32_t, PipelineStep::Kind>;
  std::map<BothPasses, const PassTime*> together_;
  Rows rows_;
  OperationWriter operations_;
  std::vector<DataExchange> exchanges_;
  bool in_every_pass_ = false, gathers_ahead_ = false;
  std::vector<bool> begun_;  // chunks

  Duration now_;
  std::size_t played_ = 0;            // operations of the exchanges
  std::vector<std::size_t> numbers_;  // of each of them, of an exchange under way
  BusyPorts under_way_;               // a group is a communicator; the last are those of parts
  std::vector<Duration> free_;  // of each communicator, when it is done if nothing slows it down
  TakenTime taken_;
};

}  // namespace orrery
