// What the job is, as plain data: filled by frontends/, by tests by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/units/units.h"
#include "system/job.h"
#include "system/operation_source.h"

namespace orrery {

// How a DLRM combines the dense vector with the embedding vectors before the top MLP.
enum class Interaction : std::uint8_t {
  concat,  // all of them side by side: (sparse + 1) * dimension wide
  dot,     // all pairwise dot products, and the dense vector: (s+1)s/2 + dimension, s = sparse
};

// M. Naumov et al., "Deep Learning Recommendation Model for Personalization and Recommendation
// Systems", arXiv 1906.00091. Embedding tables are spread over the ranks (model parallel, exchanged
// by all-to-all), the MLPs are replicated (data parallel, gradients all-reduced).
struct DlrmSpec {
  std::int64_t global_batch = 0;         // samples of an iteration over all ranks
  std::int64_t sparse_features = 0;      // embedding tables
  std::int64_t embedding_dimension = 0;  // elements of a row
  std::int64_t pooling = 0;              // rows summed per sample and table
  std::int64_t dense_features = 0;       // inputs of the bottom MLP
  std::vector<std::int64_t> bottom_mlp;  // output widths; the last equals embedding_dimension
  std::vector<std::int64_t> top_mlp;     // output widths
  Interaction interaction = Interaction::concat;
  Bytes element;  // of weights, activations and embeddings: 2 B for fp16
  std::optional<Duration> embedding_lookup_time;  // of the forward pass; none = takes no time
  std::optional<Duration> embedding_update_time;  // of the backward pass; none = takes no time
};

// A workload in ASTRA-sim 1.0's text format.
struct TextWorkloadSpec {
  std::string file;
  // Policies speak of dimensions 0, 1, ...; entry i is the platform level that plays dimension i.
  // Empty: dimension i is level i.
  std::vector<int> dimensions;
};

// A job written by hand: a list of operations for each set of ranks.
struct ProgramSpec {
  struct Step {
    std::string name;     // of the layer row; "" = "step N", N = index in steps
    Operation operation;  // ids and labels are assigned later; Wait::operation is the index of an
                          // earlier step of this part
    bool wait = false;    // hold the rank until this operation is finished; a compute always does
  };
  struct Part {
    std::vector<Rank> ranks;  // empty = all ranks
    std::vector<Step> steps;
  };
  // Entry 0 is all ranks. An empty list means that there is only entry 0.
  std::vector<Grouping> communicators;
  std::vector<Part> parts;  // a rank is in at most one; a rank in none does nothing
};

struct WorkloadSpec {
  std::variant<DlrmSpec, TextWorkloadSpec, ProgramSpec> what;
  std::int32_t iterations = 1;
};

}  // namespace orrery
