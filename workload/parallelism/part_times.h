// How long the steps of a part of a transformer take one rank, played without a network: what it
// exchanges takes as long as ExchangeTimes says, beside what it computes. Of two passes that are
// done together, exchanges of different groups share the ports of the rank (busy_ports.h).
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "system/compute_model.h"
#include "workload/model/transformer.h"
#include "workload/parallelism/pipeline_schedule.h"
#include "workload/parallelism/stage_layout.h"
#include "workload/parallelism/transformer_groups.h"
#include "workload/schedule_estimate.h"

namespace orrery {

struct PassTime {
  Duration whole, computing;  // and waiting; without
  PortTimes at_ports;         // by what is exchanged

  PassTime& operator+=(const PassTime& other) {
    whole += other.whole;
    computing += other.computing;
    at_ports += other.at_ports;
    return *this;
  }
};

// With a backward pass in one, and in two.
struct PartTimes {
  PassTime forward, backward, input_gradient, weight_gradient;
};

// A pass through a chunk of layers; `parts` are in forward order.
struct PassOfChunk {
  const std::vector<StagePart>& parts;
  PipelineStep::Kind kind;
};

class PartTimer {
 public:
  // REQUIRES: all outlive the timer.
  PartTimer(const TransformerSpec& model, const ComputeModel& compute, ExchangeTimes& exchanges)
      : model_(model), compute_(compute), exchanges_(exchanges) {}

  // The reference stays valid.
  const PartTimes& of(TransformerPart part, bool recomputed, const TransformerTraining& training,
                      const Groups& groups);

  // Two passes in turns (turns.h), of which `first` begins. The reference stays valid.
  const PassTime& together(const PassOfChunk& first, const PassOfChunk& second,
                           const TransformerTraining& training, const Groups& groups);

 private:
  // What the times differ by: the part, the recomputation, t, sequence parallelism, whether
  // products are beside its exchanges, b, c, e, whether shared experts work beside the exchanges,
  // and whether products add to gradients that are there.
  using Key = std::tuple<TransformerPart, Recompute, std::int32_t, bool, bool, std::int64_t,
                         std::int32_t, std::int32_t, bool, bool>;

  const TransformerSpec& model_;
  const ComputeModel& compute_;
  ExchangeTimes& exchanges_;
  static Key key_of(TransformerPart part, const TransformerShard& shard);
  std::map<Key, PartTimes> known_;
  // By what the times of a part differ by, and the parts of both passes.
  std::map<std::pair<Key, std::vector<std::int32_t>>, PassTime> together_;
};

}  // namespace orrery
