// How long the steps of a part of a transformer take one rank, played without a network: what it
// exchanges takes as long as ExchangeTimes says, beside what it computes.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "system/compute_model.h"
#include "workload/model/transformer.h"
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

class PartTimer {
 public:
  // REQUIRES: all outlive the timer.
  PartTimer(const TransformerSpec& model, const ComputeModel& compute, ExchangeTimes& exchanges)
      : model_(model), compute_(compute), exchanges_(exchanges) {}

  // The reference stays valid.
  const PartTimes& of(TransformerPart part, bool recomputed, const TransformerTraining& training,
                      const Groups& groups);

 private:
  // What the times differ by: the part, the recomputation, t, sequence parallelism, whether
  // products are beside its exchanges, b, c, e, whether shared experts work beside the exchanges,
  // and whether products add to gradients that are there.
  using Key = std::tuple<TransformerPart, Recompute, std::int32_t, bool, bool, std::int64_t,
                         std::int32_t, std::int32_t, bool, bool>;

  const TransformerSpec& model_;
  const ComputeModel& compute_;
  ExchangeTimes& exchanges_;
  std::map<Key, PartTimes> known_;
};

}  // namespace orrery
