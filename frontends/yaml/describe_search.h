// The keys of `search:`, which values of workload.training `orrery search` tries.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontends/yaml/describe_training.h"
#include "frontends/yaml/reader.h"
#include "simulation/search_spec.h"

namespace orrery::yaml {

template <class T>
void describe_tried(Keys& keys, std::string_view key, std::vector<T>& values, std::string_view help,
                    Limits limits = any_value) {
  OneOrMore<T> list;
  keys.optional(key, list, help, limits);
  if (!list.values.empty()) values = list.values;
}

inline void describe_search(Keys& keys, SearchSpec& spec) {
  constexpr Limits ranks = between(1, std::int64_t{1} << 24);
  describe_tried(keys, "tensor", spec.tensor,
                 "numbers of ranks that share each matrix; without it the divisors of the NPUs "
                 "that fit into a node",
                 ranks);
  describe_tried(keys, "pipeline", spec.pipeline,
                 "numbers of stages; without it the divisors of the NPUs, up to one for each layer",
                 ranks);
  describe_tried(keys, "context", spec.context,
                 "numbers of ranks that share a sequence; without it what training says", ranks);
  describe_tried(keys, "expert", spec.expert,
                 "numbers of ranks that share the experts of a layer; without it the divisors of "
                 "the number of experts",
                 ranks);
  describe_tried(keys, "micro_batch", spec.micro_batch,
                 "samples that a pipeline takes in at a time; without it 1, 2, 4, 8, 16, ...",
                 between(1, std::int64_t{1} << 32));
  describe_tried(keys, "schedule", spec.schedule,
                 "orders of the micro-batches; without it 1f1b, interleaved and zb-h1");
  describe_tried(keys, "chunks", spec.chunks,
                 "parts of the layers that a stage has, for the interleaved schedule; without it "
                 "the divisors of the layers of a stage",
                 between(2, std::int64_t{1} << 24));
  describe_tried(keys, "sharding", spec.sharding,
                 "what data-parallel ranks divide between them; without it each kind");
  describe_tried(keys, "recompute", spec.recompute,
                 "what the backward pass computes again; without it each kind");
  keys.optional("overlap_tensor", spec.overlap_tensor,
                "the exchanges of sequence_parallel beside the products that need them are tried "
                "too, where training does not say it");
  keys.optional("overlap_experts", spec.overlap_experts,
                "the exchanges of experts beside another micro-batch are tried too, where training "
                "does not say it");
}

}  // namespace orrery::yaml
