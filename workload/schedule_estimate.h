// The time of a training iteration of a transformer without simulating its ranks: what a pass of a
// stage takes follows from the steps of its parts (model/transformer.h), and the passes are played
// in the order of the pipeline schedule, with a clock for each stage. Milliseconds for a
// configuration, whatever the number of ranks: what `orrery search` ranks thousands of them by.
//
// The clock of a stage waits for the activations or gradients of its neighbours, for exchanges
// where the program of a rank waits for them, and in 1f1b for what it sends. What is exchanged
// beside computing takes turns with other exchanges of the same group. It is an estimate because
//   - exchanges take as long as ExchangeTimes knows. Those of different groups share the ports of
//     a rank (parallelism/busy_ports.h), but within a part of the model, and but for messages. What
//     they take of the processor meanwhile is that of one of them (taken_time.h), and messages take
//     nothing
//   - all ranks of a stage are alike: experts are equally popular, devices equally fast
//   - what is exchanged for parameters and gradients beside two passes that are done together
//     (overlap_experts, dualpipe) is as if these followed each other
//   - weight gradients of the head are computed with their pass, also where they are put off
// Of many micro-batches some are played. A pipeline that is filled does the same again and again,
// so the others take what the last of these took.
//
// The closed form of training_estimate.h knows neither schedules nor sharding nor memory traffic.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/units/units.h"
#include "system/compute_model.h"
#include "system/job.h"
#include "workload/workload_spec.h"

namespace orrery {

// By level of the topology.
class PortTimes {
 public:
  PortTimes() = default;
  explicit PortTimes(std::vector<Duration> times) : times_(std::move(times)) {}

  std::size_t levels() const { return times_.size(); }
  Duration operator[](std::size_t level) const {
    return level < times_.size() ? times_[level] : Duration{};
  }
  PortTimes& operator+=(const PortTimes& other) {
    times_.resize(std::max(times_.size(), other.times_.size()));
    for (std::size_t level = 0; level < other.times_.size(); ++level)
      times_[level] += other.times_[level];
    return *this;
  }

 private:
  std::vector<Duration> times_;
};

// What an exchange is when it is alone.
struct PortUse {
  Duration time;
  PortTimes at_ports;  // so long of that the port of a rank is busy; not known of all exchanges
};

// How long exchanges take alone.
class ExchangeTimes {
 public:
  virtual ~ExchangeTimes() = default;

  // In one group of that communicator. The reference stays valid.
  virtual const PortUse& collective(const Communicator& communicator, Collective kind,
                                    Bytes size) = 0;

  // The share of a rank's processor that its kernels occupy meanwhile; below 1.
  virtual double taken(const Communicator& communicator, Bytes size) = 0;

  struct Message {
    Duration sending;  // until the sender is rid of it
    Duration arrival;  // until it is there
  };
  // To a rank so far away. REQUIRES: distance != 0
  virtual Message message(Rank distance, Bytes size) = 0;
  // Of so many ranks that lie so far apart each to the next, and the last one to the first.
  virtual Message shift(Rank distance, std::int32_t ranks, Bytes size) = 0;
};

class PartTimer;

// Keeps what the parts of the model take, so that estimating many configurations is cheap. Not for
// several threads at once.
class ScheduleEstimator {
 public:
  // REQUIRES: all outlive the estimator.
  ScheduleEstimator(const TransformerSpec& model, const ComputeModel& compute,
                    ExchangeTimes& exchanges);
  ~ScheduleEstimator();
  ScheduleEstimator(const ScheduleEstimator&) = delete;
  ScheduleEstimator& operator=(const ScheduleEstimator&) = delete;

  // From the start of an iteration to the end of its last stage. REQUIRES: as
  // make_transformer_job(); what a part does differs between the calls by t, c, e, the micro-batch,
  // sequence parallelism, recomputation, overlap_tensor and overlap_shared_experts only.
  Duration iteration(const TransformerTraining& training);

  // iteration() is not less, and takes a hundred times as long to find: all passes of the busiest
  // stage, as if nothing of another stage or of other replicas kept it, and one pass each way of
  // the stages before it, whose activations it begins with and which get its last gradients. Zero
  // for schedules other than 1f1b and interleaved.
  Duration least(const TransformerTraining& training);

 private:
  const TransformerSpec& model_;
  const ComputeModel& compute_;
  ExchangeTimes& exchanges_;
  std::unique_ptr<PartTimer> parts_;
};

}  // namespace orrery
