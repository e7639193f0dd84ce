// The time of a training iteration in closed form, beside which a simulation can be held: no
// overlap, constant bandwidths, equal stages, as a rank of the first stage sees it. W. Li et al.,
// "Understanding Communication Characteristics of Distributed Training", APNet 2024.
//
// With m micro-batches of b samples of s tokens, N parameters in matrices, and activations of
// A = b s h elements:
//
//   compute    m f N / (p t) b s / rate       f = 6 operations, 8 with full recomputation
//   tensor     m L/p n 2(t-1)/t A / C_t       n = 4 all-reduces of a layer, 6 with recomputation;
//                                             sequence parallel, one more: two all-gathers of the
//                                             backward pass bring saved inputs back
//   pipeline   m 2 A / C_p                    activations sent, gradients received; 0 if p = 1;
//                                             A / t if they are sent in parts
//   bubble     (p - 1) / m times the sum of these three, divided by v if interleaved
//   data       2(d-1)/d N / (p t) / C_d       of gradients; half of it with and half without
//                                             parameters if they are sharded
//   embedding  V h / t / C_p                  between the first and the last stage, if tied
#pragma once

#include "core/units/units.h"
#include "workload/workload_spec.h"

namespace orrery {

struct EstimateRates {
  FlopRate compute;                  // reached, not peak
  Bandwidth tensor, pipeline, data;  // C_t, C_p, C_d: reached by a rank of such a group
};

struct TrainingEstimate {
  Duration compute, tensor, pipeline, bubble, data, embedding;
  Duration iteration() const { return compute + tensor + pipeline + bubble + data + embedding; }
};

// REQUIRES: the sizes divide (frontends/yaml checks), rates above 0; of zb-h1 and DualPipe the
// bubble is that of 1f1b.
TrainingEstimate estimate(const TransformerWorkload& workload, const EstimateRates& rates);

}  // namespace orrery
