// The keys of experts and of latent attention in `workload.transformer`, and those of expert and
// context parallelism in `workload.training`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "frontends/yaml/input_files.h"
#include "frontends/yaml/platform_facts.h"
#include "frontends/yaml/reader.h"
#include "workload/problems.h"
#include "workload/workload_spec.h"

namespace orrery::yaml {

// Reads the rows of a trace file into spec.weights.
void read_expert_trace(Reader& load, const std::string& path, std::int64_t experts,
                       ExpertLoadSpec& spec);

inline void describe_experts(Keys& keys, ExpertsSpec& spec, const TransformerSpec& model) {
  constexpr Limits size = between(1, std::int64_t{1} << 24);
  constexpr Limits size_or_default = between(0, std::int64_t{1} << 32);
  keys.optional("count", spec.count, "experts of a layer; 0 = the model has none",
                between(0, std::int64_t{1} << 24));
  keys.optional("top_k", spec.top_k, "experts that a token goes to", size_or_default);
  keys.optional("width", spec.width, "inner width of an expert; 0 = feed_forward", size_or_default);
  keys.optional("shared", spec.shared, "experts that every token goes to besides", size_or_default);
  keys.optional("shared_width", spec.shared_width, "inner width of each of them; 0 = width",
                size_or_default);
  keys.optional("first_dense", spec.first_dense, "first layers that have an MLP instead",
                size_or_default);
  keys.optional("every", spec.every,
                "layers have experts if their index, from 0, is a multiple of this", size);
  keys.optional("groups", spec.groups, "groups of neighbouring experts", size);
  keys.optional("group_limit", spec.group_limit, "groups that the experts of a token may come from",
                size);
  keys.check([&](Reader& reader) {
    if (reader.clean()) reader.report(problems_of(spec, model));
  });
}

inline void describe_latent_attention(Keys& keys, LatentAttention& spec) {
  constexpr Limits size = between(1, std::int64_t{1} << 24);
  keys.optional("query_rank", spec.query_rank,
                "elements of the queries' latent vector; 0 = queries come from the token",
                between(0, std::int64_t{1} << 24));
  keys.required("key_value_rank", spec.key_value_rank,
                "elements of the latent vector of keys and values", size);
  keys.required("plain", spec.plain, "elements of a head's query and key without position", size);
  keys.required("rotary", spec.rotary,
                "elements with position of a head's query, and of the key for all heads together",
                size);
  keys.required("value", spec.value, "elements of a head's value", size);
}

inline void describe_expert_load(Keys& keys, ExpertLoadSpec& spec, std::int64_t experts) {
  std::optional<std::string> file;
  keys.optional("kind", spec.kind, "how popular experts are");
  keys.optional("alpha", spec.alpha, "zipf: the i-th most popular expert has a share of i^-alpha",
                between(0, 16));
  keys.optional("concentration", spec.concentration, "dirichlet: the larger, the more even",
                positive);
  keys.optional("file", file,
                "trace: a CSV file with the popularity of each expert, a line for each layer with "
                "experts of the first micro-batch, then of the second; repeated");
  keys.optional("redraw", spec.redraw,
                "when popularities are drawn anew: for each layer once, for each of its "
                "iterations, or micro-batches");
  keys.optional("persistence", spec.persistence,
                "part of the skew that the next iteration still has");
  keys.check([&](Reader& reader) {
    if (file && spec.kind == ExpertLoad::trace)
      read_expert_trace(reader, resolved_path(*reader.find("file")), experts, spec);
    if (reader.clean()) reader.report(problems_of(spec, experts));
    reader.report_given(idle_settings(spec));
  });
}

enum class ExpertDispatch : std::uint8_t { direct, by_node };
std::string_view name_of(ExpertDispatch dispatch);
template <>
inline constexpr auto last_word<ExpertDispatch> = ExpertDispatch::by_node;

inline void describe_context(Keys& keys, TransformerTraining& spec) {
  keys.optional("context", spec.context, "ranks that share a sequence",
                between(1, std::int64_t{1} << 24));
  keys.optional("context_method", spec.context_method,
                "how context-parallel ranks get each other's keys and values");
  keys.optional("context_inner", spec.context_inner,
                "neighbours that exchange heads, in ulysses_ring",
                between(1, std::int64_t{1} << 24));
}

inline void describe_expert_training(Keys& keys, ExpertTraining& spec, const TransformerSpec& model,
                                     const PlatformFacts& platform) {
  constexpr Limits ranks = between(1, std::int64_t{1} << 24);
  ExpertDispatch dispatch = ExpertDispatch::direct;
  keys.optional("expert", spec.parallel, "ranks that share the experts of a layer", ranks);
  keys.optional("expert_tensor", spec.tensor, "ranks that share each expert", ranks);
  keys.optional("dispatch", dispatch,
                "whether a token's copies each go to their expert, or one to each node that "
                "passes it on inside (DeepEP)");
  keys.optional("fp8_dispatch", spec.fp8_dispatch,
                "tokens go to experts in 8 bits, with a scale for each 128 elements");
  keys.optional("expert_capacity", spec.capacity,
                "tokens that an expert takes from a rank, as a multiple of the mean; 0 = all",
                between(0, 1 << 20));
  keys.optional(
      "capacity_mode", spec.capacity_mode,
      "whether tokens beyond the capacity are dropped, or experts with fewer are padded as well");
  keys.optional("overlap_shared_experts", spec.overlap_shared,
                "shared experts work beside dispatch and combine");
  keys.optional("overlap_experts", spec.overlap_batches,
                "the exchanges of experts for one micro-batch overlap the computing of another "
                "(overlap_moe_expert_parallel_comm); with interleaved, or without a pipeline");
  keys.value_or_map("expert_load", spec.load.kind, "how popular experts are", [&](Keys& below) {
    describe_expert_load(below, spec.load, model.experts.count);
  });
  keys.check([&](Reader& reader) {
    if (dispatch == ExpertDispatch::by_node && platform.known)
      spec.node_ranks = node_size(platform);
    // Beside the journeys of another micro-batch they are not beside those of their own.
    if (spec.overlap_batches && !reader.given("overlap_shared_experts"))
      spec.overlap_shared = false;
  });
}

}  // namespace orrery::yaml
