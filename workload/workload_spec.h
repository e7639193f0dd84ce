// What the job is, as plain data: filled by frontends/, by tests by hand.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/units/share.h"
#include "core/units/units.h"
#include "system/job.h"
#include "system/operation_source.h"
#include "workload/experts_spec.h"
#include "workload/layer_table.h"

namespace orrery {

// How a DLRM combines the dense vector with the embedding vectors before the top MLP.
enum class Interaction : std::uint8_t {
  concat,  // all of them side by side: (sparse + 1) * dimension wide
  dot,     // all pairwise dot products, and the dense vector: (s+1)s/2 + dimension, s = sparse
  cross,   // side by side, then cross layers of low rank (DCNv2)
};

// M. Naumov et al., "Deep Learning Recommendation Model for Personalization and Recommendation
// Systems", arXiv 1906.00091. Embedding tables are spread over the ranks (model parallel, exchanged
// by all-to-all), the MLPs are replicated (data parallel, gradients all-reduced).
struct DlrmSpec {
  std::int64_t global_batch = 0;         // samples of an iteration over all ranks
  std::int64_t sparse_features = 0;      // embedding tables
  std::int64_t embedding_dimension = 0;  // elements of a row
  std::int64_t pooling = 0;              // rows summed per sample and table
  std::int64_t lookups = 0;              // of a sample in all tables; 0 = pooling * sparse_features
  bool embedding_traffic = false;        // looking up and updating cost the rows' memory traffic
  std::int64_t dense_features = 0;       // inputs of the bottom MLP
  std::vector<std::int64_t> bottom_mlp;  // output widths; the last equals embedding_dimension
  std::vector<std::int64_t> top_mlp;     // output widths
  Interaction interaction = Interaction::concat;
  std::int64_t cross_layers = 0, cross_rank = 0;  // of Interaction::cross
  Bytes element;  // of weights, activations and embeddings: 2 B for fp16
  std::optional<Duration> embedding_lookup_time;  // of the forward pass; none = takes no time
  std::optional<Duration> embedding_update_time;  // of the backward pass; none = takes no time
};

// How scores become attention: in one kernel, or in several with memory traffic of s x s elements;
// eager, with the mask, biases and dropouts of a layer as kernels of their own, too.
enum class AttentionKernel : std::uint8_t { flash, eager, unfused };
std::string_view name_of(AttentionKernel kernel);

// Queries, keys and values from vectors of fewer elements (multi-head latent attention).
// DeepSeek-AI, "DeepSeek-V2", arXiv 2405.04434, section 2.1.
struct LatentAttention {
  std::int64_t query_rank = 0;      // of the queries' latent vector; 0 = straight from the token
  std::int64_t key_value_rank = 0;  // of that of keys and values
  std::int64_t plain = 0;           // elements of a head's query and key without position
  std::int64_t rotary = 0;          // with position; all heads share those of the key
  std::int64_t value = 0;           // elements of a head's value
};

// A transformer by its shape. A. Vaswani et al., NeurIPS 2017; grouped-query attention: J. Ainslie
// et al., EMNLP 2023; gated MLP: N. Shazeer, arXiv 2002.05202.
struct TransformerSpec {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;                // h
  std::int64_t heads = 0;                 // a
  std::int64_t head_dimension = 0;        // of one head; 0 = hidden / heads
  std::int64_t key_value_heads = 0;       // 0 = heads
  std::optional<LatentAttention> latent;  // then the two above mean nothing
  std::int64_t feed_forward = 0;          // f: inner width of the MLP; 0 = 4 hidden
  bool gated = false;  // two matrices of f columns each and their product (SwiGLU)
  AttentionKernel attention = AttentionKernel::flash;
  bool causal_kernel = true;    // flash attention computes only what causality does not mask
  bool tied_embeddings = true;  // input and output embedding are one matrix
  std::int64_t vocabulary = 0;  // V, padded to what tensor parallelism needs
  std::int64_t sequence = 0;    // s: tokens of a sample
  std::int64_t window = 0;      // tokens that a query sees, the last of them its own; 0 = all
  std::int64_t full_attention_every = 0;  // of so many layers the last sees all; 0 = none does
  bool parallel_blocks = false;     // attention and MLP of a layer have one input and one norm
  ExpertsSpec experts;              // in the place of some layers' MLP
  Bytes element;                    // of weights and activations: 2 B for bf16
  Bytes gradient_element{4};        // of gradients on the wire and in memory
  bool eight_bit_products = false;  // of layers; `element` is 2 B then

  bool has_all_scores() const { return attention != AttentionKernel::flash; }  // in memory
  Bytes operand() const { return eight_bit_products ? Bytes{1} : element; }    // of such a product
  std::int64_t head_width() const {  // of queries and keys
    if (latent) return latent->plain + latent->rotary;
    return head_dimension > 0 ? head_dimension : hidden / heads;
  }
  std::int64_t value_head_width() const { return latent ? latent->value : head_width(); }
  std::int64_t key_heads() const {
    return latent || key_value_heads == 0 ? heads : key_value_heads;
  }
  std::int64_t query_width() const { return heads * head_width(); }            // A
  std::int64_t output_width() const { return heads * value_head_width(); }     // A
  std::int64_t key_value_width() const { return key_heads() * head_width(); }  // K
  bool is_windowed(std::int64_t layer) const {
    const bool sees_all = full_attention_every > 0 && (layer + 1) % full_attention_every == 0;
    return window > 0 && window < sequence && !sees_all;
  }
  std::int64_t mlp_width() const { return feed_forward > 0 ? feed_forward : 4 * hidden; }
  std::int64_t mlp_inputs() const { return gated ? 2 : 1; }  // matrices into the MLP, G
  std::int64_t expert_width() const { return experts.width > 0 ? experts.width : mlp_width(); }
  std::int64_t shared_width() const {  // of all shared experts, which are one MLP
    return experts.shared * (experts.shared_width > 0 ? experts.shared_width : expert_width());
  }
};

// In which order the stages of a pipeline work: parallelism/pipeline_schedule.h.
enum class PipelineSchedule : std::uint8_t {
  gpipe,
  one_forward_one_backward,
  interleaved,
  zb_h1,
  zb_h2,
  zbv,
  dualpipe,
  dualpipe_v
};
std::string_view name_of(PipelineSchedule schedule);  // "gpipe", "1f1b", ..., "dualpipe-v"

enum class Recompute : std::uint8_t {
  none,
  selective,  // the attention scores and what follows from them (a flash kernel does that anyway)
  full,       // a layer's whole forward pass, with its communication, before its backward pass
};
std::string_view name_of(Recompute recompute);

// What data-parallel ranks divide between them instead of each having all of it. S. Rajbhandari et
// al., "ZeRO", SC'20; Y. Zhao et al., "PyTorch FSDP", VLDB 2023. With d ranks, N parameters of bw
// and gradients of bg bytes, a rank sends (d-1)/d times
enum class Sharding : std::uint8_t {
  none,   // nothing: gradients are all-reduced, 2 N bg
  zero1,  // the optimizer's states: reduce-scattered, and parameters all-gathered, N bg + N bw
  zero2,  // gradients too: they are reduce-scattered after every micro-batch, m N bg + N bw
  zero3,  // parameters too: all-gathered before each pass, m (2 N bw + N bg)
};
std::string_view name_of(Sharding sharding);

// When gradients are exchanged.
enum class Accumulation : std::uint8_t {
  local,    // with the last micro-batch, after all have been summed on the rank
  reduced,  // with every micro-batch
};
std::string_view name_of(Accumulation accumulation);

// How ranks that share a sequence come by the keys and values of the others (model/attention.cc).
enum class ContextMethod : std::uint8_t {
  ring,
  all_gather,
  pytorch,  // gathered, their gradients round a ring; with as many heads as the queries
  ulysses,
  ulysses_ring  // all-to-all among neighbours, a ring over these groups of context_inner ranks
};
std::string_view name_of(ContextMethod method);

// Frozen matrices with adapters, which alone are trained: W x + B A x, with A of r x inputs and B
// of outputs x r. E. Hu et al., "LoRA", ICLR 2022.
enum class AdaptedMatrices : std::uint8_t { all, attention, mlp };
std::string_view name_of(AdaptedMatrices matrices);

struct LowRankAdapters {
  std::int64_t rank = 0;  // r; 0 = none, and everything is trained
  AdaptedMatrices matrices = AdaptedMatrices::all;

  bool freezes() const { return rank > 0; }
  std::int64_t rank_in_attention() const { return matrices == AdaptedMatrices::mlp ? 0 : rank; }
  std::int64_t rank_in_mlp() const { return matrices == AdaptedMatrices::attention ? 0 : rank; }
};

// Which of data and pipeline neighbours are nearer in rank; those of tensor, context and expert
// parallelism are nearer than both.
enum class RankOrder : std::uint8_t { tensor_data_pipeline, tensor_pipeline_data };
std::string_view name_of(RankOrder order);  // "tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", as in Megatron-LM

// How a transformer is trained. D. Narayanan et al., SC'21; V. Korthikanti et al., MLSys 2023.
struct TransformerTraining {
  std::int32_t tensor = 1, pipeline = 1, data = 1;  // t, p, d; t * c * p * d = ranks
  std::int32_t context = 1;                         // c: ranks that share a sequence
  ContextMethod context_method = ContextMethod::ring;
  std::int32_t context_inner = 1;  // of ulysses_ring
  ExpertTraining experts;
  LowRankAdapters lora;
  bool sequence_parallel = false;  // activations outside t regions are split too
  bool overlap_tensor = false;     // ... and come and go in t parts beside the products of others
  bool overlap_gradient_sums = true;  // of input gradients, over tensor-parallel ranks: beside the
                                      // weight gradient of the same matrix
  PipelineSchedule schedule = PipelineSchedule::one_forward_one_backward;
  std::int32_t chunks = 1;             // v, of layers on each stage, of `interleaved`
  std::int64_t global_batch = 0;       // samples of an iteration
  std::int64_t micro_batch = 1;        // samples that pass through the pipeline together
  std::int32_t micro_batch_group = 0;  // that pass a chunk in a row, of `interleaved`; 0 = p
  std::optional<bool> overlap_p2p;     // sends of activations go beside what is computed next; none
                                       // = except in 1f1b, as in Megatron-LM
  bool scatter_gather = false;  // without sequence_parallel: each tensor-parallel rank sends its
                                // part of the activations between stages, which are gathered there
  bool post_validation =
      false;  // the step does not wait for the norm of the gradients of all ranks
  bool separate_products = false;  // by queries, keys and values, and by gate and rest of an MLP
  bool ends_take_a_layer = false;  // embedding and head count as a layer when layers are dealt out
  bool fused_cross_entropy = false;
  bool defer_head_gradients = false;  // the head's weight gradients come behind all backward passes
  std::int32_t deferral_limit = 0;    // of so many first micro-batches; 0 = all
  Recompute recompute = Recompute::none;
  bool recompute_stops_early = false;  // of `full`: before a layer's last product, which no
                                       // gradient needs
  std::optional<std::int32_t>
      recompute_layers;  // of `full`: the first ones of each chunk; none = all
  Sharding sharding = Sharding::none;
  std::int32_t shard_group = 0;              // ds: replicas that hold one copy of what is
                                             // sharded between them (HSDP if fewer); 0 = all
  std::optional<Accumulation> accumulation;  // none = as the frameworks do: accumulates()
  bool fp8_parameters = false;               // gathered in 8 bits, as products take them
  Share activation_overhead{0, 100};         // kept besides, of what memory/stage_memory.h counts
  bool overlap_gradients = true;    // buckets are exchanged while the backward pass goes on
  bool overlap_parameters = false;  // ... gathered while the next forward pass goes on
  Bytes optimizer_traffic{30};      // memory that the step moves, of a parameter that it updates
  std::int32_t prefetch = 1;        // exchange units that are gathered ahead of their use
  std::optional<bool> reshard_after_forward;  // of zero3; none = unless there is a pipeline
  std::optional<Bytes> bucket;  // of gradients; none = Megatron-LM's rule (gradient_buckets.h)
  RankOrder order = RankOrder::tensor_data_pipeline;

  std::int32_t micro_batches() const {  // m, of each pipeline
    return static_cast<std::int32_t>(global_batch / (micro_batch * data));
  }
  std::int32_t stage_chunks() const {  // parts of the model on each stage
    const bool two = schedule == PipelineSchedule::zbv || schedule == PipelineSchedule::dualpipe ||
                     schedule == PipelineSchedule::dualpipe_v;
    return two ? 2 : chunks;
  }
  bool overlaps_p2p() const {
    return overlap_p2p.value_or(schedule != PipelineSchedule::one_forward_one_backward);
  }
  // Ranks that have the same parameters; with dualpipe two stages do.
  std::int32_t replicas() const { return data * context * same_stages(); }
  std::int32_t expert_replicas() const {  // the same of experts
    return tensor * context * data / (experts.parallel * experts.tensor) * same_stages();
  }
  std::int32_t same_stages() const { return schedule == PipelineSchedule::dualpipe ? 2 : 1; }
  std::int32_t shard_ranks() const {  // that divide the optimizer's states
    return sharding == Sharding::none ? 1 : shard_group > 0 ? shard_group : replicas();
  }
  // DeepSpeed reduces ZeRO-2 gradients with every micro-batch, so does FSDP without a pipeline;
  // PyTorch's pipeline stages sum them first.
  Accumulation accumulates() const {
    const bool every =
        sharding == Sharding::zero2 || (sharding == Sharding::zero3 && pipeline == 1);
    return accumulation.value_or(every ? Accumulation::reduced : Accumulation::local);
  }
  bool frees_after_forward() const {  // as torchtitan's fsdp_reshard_after_forward: default
    return reshard_after_forward.value_or(pipeline == 1);
  }
};

struct TransformerWorkload {
  TransformerSpec model;
  TransformerTraining training;
};

// A training step as a table of layers, which a file of ASTRA-sim 1.0's text format holds.
struct LayerTableWorkload {
  std::string file;  // where it comes from
  // An all-gather counts what a rank contributes, as the file does.
  LayerTable table;
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

// A layer with the batch norm that follows it, if one does.
struct StackLayer {
  std::string name;
  std::int64_t parameters = 0;
  std::int64_t multiply_adds = 0;        // of the forward pass of a sample
  std::int64_t inputs = 0, outputs = 0;  // elements of a sample that are read and written
  bool normalised = false;               // batch norm reads and writes the outputs once more
};
using LayerStack = std::vector<StackLayer>;

// Data-parallel training of a model all of whose layers every worker has.
struct StackTraining {
  LayerStack layers;
  std::int64_t batch = 1;        // samples of a worker in an iteration
  Bytes element{2};              // of activations and of parameters on the wire: 2 B for fp16
  Bytes gradient_element{4};     // of gradients when they are exchanged
  Bytes bucket{25 * 1'048'576};  // of gradients that are exchanged together, at least
  bool overlap = true;           // exchanged beside the backward pass
  std::vector<Rank> servers;     // ascending; empty = workers all-reduce
  std::optional<std::int32_t> staleness = 0;  // of servers (parameter_server.h); none = unbounded
};

class Graph;  // workload/graph/graph.h

// Operations of each rank and what they wait for, which execution traces hold.
struct GraphWorkload {
  std::string file;                                  // where they come from
  std::vector<std::shared_ptr<const Graph>> graphs;  // each another one
  std::vector<std::int32_t> graph_of_rank;           // of each rank, which of them it runs
  std::vector<Communicator> communicators;
  std::vector<Label> labels;
  std::vector<LaneSpec> lanes;
  std::vector<std::string> notices;  // what its reader left out or assumed
  bool has_sizes = false;            // of some work there is no time, but a size
};

struct PlacedWorkload;

// Several jobs on one platform, which share its network.
struct JobsSpec {
  std::vector<PlacedWorkload> jobs;  // no NPU is in two
};

struct WorkloadSpec {
  std::variant<DlrmSpec, LayerTableWorkload, ProgramSpec, TransformerWorkload, StackTraining,
               GraphWorkload, JobsSpec>
      what;
  std::int32_t iterations = 1;
  Duration skew;  // of all jobs: ranks start at random times in [0, skew) (graph/start_skew.h)
};

struct PlacedWorkload {
  std::string name;
  std::vector<Rank> npus;  // ascending: rank r of the job runs on npus[r]
  Duration start;
  WorkloadSpec workload;  // not of several jobs
};

}  // namespace orrery
