// The keys of `workload:`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontends/yaml/claimed_ranks.h"
#include "frontends/yaml/describe_program.h"
#include "frontends/yaml/describe_stack.h"
#include "frontends/yaml/describe_trace.h"
#include "frontends/yaml/describe_training.h"
#include "frontends/yaml/describe_transformer.h"
#include "frontends/yaml/input_files.h"
#include "frontends/yaml/platform_facts.h"
#include "frontends/yaml/reader.h"
#include "simulation/experiment.h"
#include "workload/model_presets.h"
#include "workload/problems.h"

namespace orrery::yaml {

void check_parallelism(Reader& parallelism, std::string_view key, const std::string& value,
                       std::string_view expected, std::string_view reason);
void check_dimensions(Reader& workload, const std::vector<LevelReference>& references,
                      const PlatformFacts& platform, LayerTableWorkload& text);

inline void describe_dlrm(Keys& keys, DlrmSpec& spec, const PlatformFacts& platform) {
  const DlrmPreset* preset = nullptr;
  keys.preset(dlrm_presets(), preset, "a published model that gives the other values");
  DataType data_type = DataType::fp16;
  if (preset != nullptr) {
    spec = preset->spec;
    data_type = preset->data_type;
  }
  constexpr Limits size = between(1, std::int64_t{1} << 40);
  std::string kind = "dlrm";
  keys.optional("kind", kind, "the family of the model: dlrm");
  keys.from_preset("global_batch", spec.global_batch,
                   "samples of an iteration, over all NPUs together", size);
  keys.from_preset("sparse_features", spec.sparse_features, "number of embedding tables", size);
  keys.from_preset("embedding_dimension", spec.embedding_dimension,
                   "elements of a row of an embedding table", size);
  keys.optional(
      "pooling", spec.pooling,
      "rows that are summed per sample and table; 0 = not said, without embedding_traffic",
      between(0, std::int64_t{1} << 40));
  keys.optional("lookups", spec.lookups,
                "rows that are summed per sample over all tables; 0 = pooling x sparse_features",
                between(0, std::int64_t{1} << 40));
  if (preset == nullptr)
    spec.embedding_traffic =
        !keys.given("embedding_lookup_time") && !keys.given("embedding_update_time");
  keys.optional("embedding_traffic", spec.embedding_traffic,
                "the tables take the memory traffic of their rows, and twice that backward; "
                "without it true, unless their time is given or the preset says otherwise",
                any_value, "default");
  keys.from_preset("dense_features", spec.dense_features, "inputs of the bottom MLP", size);
  keys.from_preset("bottom_mlp", spec.bottom_mlp,
                   "output widths of the bottom layers; the last is the embedding dimension", size);
  keys.from_preset("top_mlp", spec.top_mlp, "output widths of the top layers", size);
  keys.optional("interaction", spec.interaction,
                "how dense and embedding vectors meet: side by side, all dot products, or side by "
                "side through cross layers");
  keys.optional("cross_layers", spec.cross_layers, "cross layers of that interaction",
                between(0, 1000));
  keys.optional("cross_rank", spec.cross_rank, "width between the two matrices of a cross layer",
                between(0, std::int64_t{1} << 40));
  keys.from_preset("data_type", data_type, "data type of weights, activations and embeddings");
  keys.optional("embedding_lookup_time", spec.embedding_lookup_time,
                "time of the forward pass of the tables; without it none", not_negative);
  keys.optional("embedding_update_time", spec.embedding_update_time,
                "time of the backward pass of the tables; without it none", not_negative);
  spec.element = size_of(data_type);
  keys.check([&](Reader& reader) {
    if (kind != "dlrm") reader.wrong("kind", in_quotes(kind) + " is not a model", "use dlrm");
    if (reader.clean()) reader.report(problems_of(spec, platform));
    reader.report_given(idle_settings(spec));
  });
}

inline void describe_parallelism(Keys& keys) {
  std::string embedding = "model", mlp = "data";
  keys.optional("embedding", embedding, "how the embedding tables are spread: model");
  keys.optional("mlp", mlp, "how the MLPs are spread: data");
  keys.check([&](Reader& reader) {
    check_parallelism(reader, "embedding", embedding, "model",
                      "the embedding tables of a DLRM are spread over the NPUs");
    check_parallelism(reader, "mlp", mlp, "data", "every NPU of a DLRM has all of the MLPs");
  });
}

// Keys of the file that `text` names.
void read_layer_table(Reader& reader, LayerTableWorkload& text);

inline void describe_text(Keys& keys, LayerTableWorkload& text, const PlatformFacts& platform) {
  keys.optional("text", text.file, "a workload in ASTRA-sim 1.0's text format");
  std::vector<LevelReference> dimensions;
  keys.optional("dimensions", dimensions,
                "the level that plays each dimension of the text, by name or index");
  keys.check([&](Reader& reader) {
    read_layer_table(reader, text);
    check_dimensions(reader, dimensions, platform, text);
  });
}

// Each is a whole workload by its size alone: what nccl-tests measures.
inline constexpr std::array collectives_alone{Collective::all_reduce, Collective::all_gather,
                                              Collective::reduce_scatter, Collective::all_to_all};

inline void describe_one_collective(Keys& keys, WorkloadSpec& workload) {
  for (const Collective kind : collectives_alone) {
    if (!keys.given(name_of(kind))) continue;
    auto& part = workload.what.emplace<ProgramSpec>().parts.emplace_back();
    auto& step = part.steps.emplace_back();
    step.name = name_of(kind);
    step.wait = true;
    auto& call = step.operation.what.emplace<CollectiveCall>();
    call.kind = kind;
    keys.optional(name_of(kind), call.size,
                  "one collective of all ranks is the whole workload; the size is that of a rank's "
                  "whole buffer",
                  not_negative);
  }
}

// What a job is, one of these, and for the message without any.
inline std::vector<std::string_view> kinds_of_job(std::vector<std::string_view> others) {
  std::vector<std::string_view> kinds{"model", "transformer", "layers", "text", "program", "trace"};
  kinds.insert(kinds.end(), others.begin(), others.end());
  for (const Collective kind : collectives_alone) kinds.push_back(name_of(kind));
  return kinds;
}

// Keys of one job.
inline void describe_job(Keys& keys, WorkloadSpec& workload, const PlatformFacts& platform) {
  keys.only_with({"transformer"}, "training");
  keys.only_with({"layers"}, "data_parallel");
  keys.only_with({"model"}, "parallelism");
  keys.only_with({"text"}, "dimensions");
  if (keys.given("model")) {
    auto& model = workload.what.emplace<DlrmSpec>();
    keys.named_map("model", "a recommendation model (DLRM)",
                   [&](Keys& below) { describe_dlrm(below, model, platform); });
    keys.map("parallelism", "how the model is spread over the NPUs",
             [&](Keys& below) { describe_parallelism(below); });
  }
  if (keys.given("transformer")) {
    auto& transformer = workload.what.emplace<TransformerWorkload>();
    keys.section("transformer", "a language model (transformer), by its shape, or config.json",
                 [&](Keys& below) { describe_transformer(below, transformer.model); });
    keys.map("training", "how the transformer is trained", [&](Keys& below) {
      describe_training(below, transformer.training, transformer.model, platform);
    });
  }
  if (keys.given("layers")) {
    auto& stack = workload.what.emplace<StackTraining>();
    keys.named_map("layers", "a model that every worker has in full: vision networks, MLPs",
                   [&](Keys& below) { describe_layers(below, stack); });
    keys.map("data_parallel", "how it is trained",
             [&](Keys& below) { describe_data_parallel(below, stack, platform); });
  }
  if (keys.given("text")) {
    describe_text(keys, workload.what.emplace<LayerTableWorkload>(), platform);
  }
  if (keys.given("program")) {
    auto& program = workload.what.emplace<ProgramSpec>();
    describe_program(keys, program, platform);
  }
  describe_one_collective(keys, workload);
  keys.optional("iterations", workload.iterations, "how often the workload is repeated", positive);
  keys.check([&](Reader& reader) {
    if (reader.clean()) reader.report(problems_of_iterations(workload));
  });
}

// Execution traces, one rank of them for each NPU of the platform or of the job.
inline void describe_traces(Keys& keys, WorkloadSpec& workload, const PlatformFacts& platform) {
  if (!keys.given("trace")) return;
  auto& trace = workload.what.emplace<GraphWorkload>();
  keys.named_map("trace", "Chakra execution traces of all ranks",
                 [&](Keys& below) { describe_trace(below, trace, platform); });
  keys.check([&](Reader& reader) {
    if (reader.clean()) reader.report(problems_of(trace, platform));
  });
}

// One of several jobs: it sees only the NPUs that it runs on.
inline void describe_placed_job(Keys& keys, PlacedWorkload& placed, std::int32_t index,
                                RankClaims& claims, const PlatformFacts& platform) {
  keys.required("name", placed.name, "what comes before the names of its layers");
  OneOrMore<RankRuns> npus;
  std::optional<std::int32_t> nodes;
  keys.optional("npus", npus,
                "the NPUs that it runs on, \"0-7\" or a list; ranks are in ascending order");
  keys.optional("nodes", nodes,
                "as many nodes (servers) with all their NPUs: the first that no job before it has",
                positive);
  keys.optional("start", placed.start, "when the job begins", not_negative);
  PlatformFacts own = platform;
  keys.check([&](Reader& reader) {
    if (reader.given("npus") == reader.given("nodes"))
      reader.report({reader.given("nodes") ? "nodes" : "",
                     reader.given("nodes") ? "npus says it too" : "it runs nowhere",
                     "write one of nodes: 4 and npus: \"0-31\""});
    if (platform.known && reader.clean() && nodes) {
      if (const auto taken =
              claims.claim_groups("nodes", *nodes, npus_of_server(platform), index, placed.npus))
        reader.report(*taken);
    } else if (platform.known && reader.clean()) {
      claim(reader, claims, "npus", npus, index, placed.npus);
    }
    own.known = platform.known && reader.clean();
    own.npus = static_cast<std::int32_t>(placed.npus.size());
  });
  keys.exactly_one(kinds_of_job({}),
                   "a described model, a text file, operations by hand, an execution trace, or one "
                   "collective");
  describe_traces(keys, placed.workload, own);
  describe_job(keys, placed.workload, own);
}

// The names of jobs tell their layers apart, and their ranks follow their NPUs.
void check_jobs(Reader& workload, JobsSpec& jobs);

inline void describe_workload(Keys& keys, WorkloadSpec& workload, const PlatformFacts& platform) {
  keys.exactly_one(kinds_of_job({"jobs"}),
                   "a described model, a text file, operations by hand, an execution trace, "
                   "several jobs, or one "
                   "collective");
  describe_traces(keys, workload, platform);
  if (keys.given("jobs")) {
    auto& jobs = workload.what.emplace<JobsSpec>();
    RankClaims claims(platform.npus, {"NPU", "job"});
    keys.items("jobs", jobs.jobs, "several jobs that share the network, each on NPUs of its own",
               [&](Keys& job, PlacedWorkload& placed, std::size_t index) {
                 describe_placed_job(job, placed, static_cast<std::int32_t>(index), claims,
                                     platform);
               });
    keys.check([&](Reader& reader) { check_jobs(reader, jobs); });
  }
  describe_job(keys, workload, platform);
  keys.optional("skew", workload.skew,
                "ranks do not start together: each starts later by a random time, uniform from 0 "
                "to below this and drawn from the seed",
                not_negative);
}

}  // namespace orrery::yaml
