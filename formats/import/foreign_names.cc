#include "formats/import/foreign_names.h"

#include <algorithm>
#include <string>

namespace orrery {

namespace {

// Of the servers of a cluster.
#define SERVER                                                                               \
  "write platform.nodes and platform.server, as in platform: {nodes: 16, server: hgx-h100} " \
  "(orrery list servers)"

#define RANKS                                                                            \
  "write platform.ranks, as in platform: {npu: h100, ranks: 512}, or nodes and server, " \
  "as in platform: {nodes: 16, server: hgx-h100} (orrery list servers)"

#define PRECISION                                                             \
  "write workload.transformer.data_type; layers that multiply in 8 bits are " \
  "workload.transformer.eight_bit_products: true"

#define LINK                                                                                    \
  "write bandwidth beside the shape of the network, with a unit, as in platform.topology: "     \
  "{torus: {sizes: 8x8, bandwidth: 50 GB/s}} or {levels: [{kind: switch, size: 16, bandwidth: " \
  "400 Gb/s}]}"

#define KIND                                                                                  \
  "write the shape itself: platform.topology: {fat_tree: {...}}, {torus: {...}} or {levels: " \
  "[{kind: ring, ...}]}; of routes, write network.routing.policy"

#define NPUS_OF_SERVER                                                                           \
  "write platform.server with how many it has: platform: {nodes: 16, npu: h100, server: {npus: " \
  "4}}"

#define COLLECTIVE(name) \
  "did you mean \"" name "\"? (workload." name ", or that of an operation of workload.program)"

constexpr ForeignName names[] = {
    // The network
    {"straggler", "write platform.npu.stragglers: [{ranks: [3], slowdown: 2}]"},
    {"slow",
     "of a slow rank: write platform.npu.stragglers: [{ranks: [3], slowdown: 2}]; of a slow link "
     "network.faults: [{at: 0 s, link: a - b, state: degraded, bandwidth: 10 Gb/s}]"},
    {"oversubscription",
     "servers without a network beside them have it, as in platform: {nodes: 16, server: hgx-h100, "
     "oversubscription: 2}; else write platform.topology.leaf_spine or fat_tree, which have it; a "
     "rail is tapered by fewer spines, or their spine_bandwidth"},
    {"oversubscription_ratio",
     "write platform.topology.leaf_spine.oversubscription, or that of fat_tree"},
    {"tcp", "write network.transport: tcp, or network.transport: {kind: tcp, window: 0.5 MB}"},
    {"roce", "write network.transport: roce, or network.transport: {kind: roce, payload: 4 kB}"},
    {"dcqcn", "write network.transport: {kind: roce, congestion_control: dcqcn}"},
    {"hpcc", "write network.transport: {kind: roce, congestion_control: hpcc}"},
    {"timely", "write network.transport: {kind: roce, congestion_control: timely}"},
    {"swift", "write network.transport: {kind: roce, congestion_control: swift}"},
    {"rdma", "write network.transport: roce"},
    {"window", "write network.transport.window"},
    {"congestion_control", "write network.transport.congestion_control"},
    {"buffer", "write network.switch.buffer, which the backend packet has"},
    {"switch",
     "write platform.topology.levels: [{kind: switch, size: 16, bandwidth: 100 Gb/s}], or "
     "leaf_spine for servers with NICs"},
    {"taper", "write platform.topology.leaf_spine.oversubscription, or that of fat_tree"},
    {"network",
     "write platform.topology for how the NPUs are connected; network stands beside platform"},
    {"ring",
     "write platform.torus: {sizes: [16], bandwidth: 50 GB/s}, a torus of one dimension; of TPUs "
     "torus: 16 alone"},
    {"mesh", "write platform.topology: {torus: {sizes: [4, 4], kinds: mesh, bandwidth: 50 GB/s}}"},
    {"shape", "write platform.topology.torus.sizes, the NPUs in each dimension"},
    {"link_bandwidth",
     "write bandwidth, as in platform.topology.levels, with a unit: 400 Gb/s, or 50 GB/s"},
    {"link", LINK},
    {"links", LINK},
    {"bandwidth", "of the NICs of servers write platform.nic, as in nic: 200 Gb/s; else " LINK},
    {"speed", LINK},
    {"nvlink",
     "it belongs to the server: orrery list servers; with another bandwidth write platform.server: "
     "{preset: hgx-h100, bandwidth: 900 GB/s}"},
    {"k", "write platform.topology.fat_tree.radix: the ports of a switch"},
    {"fabric",
     "write platform.topology, as in platform: {nodes: 16, npu: h100, topology: fat_tree}"},
    {"type", KIND},
    {"kind", KIND},
    {"link_latency", "write latency, as in platform.topology.levels, with a unit: 1 us"},
    {"hosts", "write nodes, or the size of a level of platform.topology"},
    {"server",
     "write node, as in platform.topology.leaf_spine: {nodes: 32, leaves: 4, node: hgx-h100}; or "
     "platform: {nodes: 32, server: hgx-h100}"},
    {"preset",
     "write a platform as platform: dgx-h100 (orrery list platforms), a server as "
     "platform.server, a transport as network.transport: {preset: dcqcn-2015}"},
    {"gpus", RANKS},
    {"num_devices", RANKS},
    {"machines", SERVER},
    {"cluster", SERVER},
    {"hardware", SERVER},
    {"dlrm", "write workload.model, as in model: dlrm-dcnv2"},
    {"llm", "write workload.transformer, as in transformer: llama3-70b"},
    {"job", "write workload.transformer, or another kind of workload"},
    // How the ranks are divided
    {"parallelism", "for a transformer write workload.training"},
    {"training",
     "of a transformer write workload.training, of a recommendation model "
     "workload.model.global_batch, of layers workload.data_parallel"},
    {"num_gpus", RANKS},
    {"num_nodes", SERVER},
    {"nnodes", SERVER},
    {"gpus_per_node", NPUS_OF_SERVER},
    {"npus_per_node", NPUS_OF_SERVER},
    {"gpus_per_server", NPUS_OF_SERVER},
    {"nproc_per_node", SERVER},
    {"nodes", SERVER},
    {"racks", SERVER},
    {"servers",
     "write how many, all of one kind, as in platform: {servers: 16, server: hgx-h100}; slower "
     "ones "
     "are platform.npu.stragglers, what else is joined a graph: orrery explain platform.topology"},
    {"node", SERVER},
    {"nic", SERVER},
    {"nics",
     "write platform.server with how many it has, as in platform: {nodes: 16, server: {preset: "
     "hgx-h100, nics: 4}}"},
    {"gpu", "write platform.npu, as in npu: h100 (orrery list presets)"},
    {"accelerator", "write platform.npu, as in npu: h100 (orrery list presets)"},
    {"device", "write platform.npu, as in npu: h100 (orrery list presets)"},
    {"collective",
     "write workload.all_reduce or another, with its size: workload: {all_reduce: 1 GB}; beside "
     "others, write workload.program"},
    {"op", "write workload.all_reduce or another, with its size: workload: {all_reduce: 1 GB}"},
    {"allreduce", COLLECTIVE("all_reduce")},
    {"allgather", COLLECTIVE("all_gather")},
    {"reducescatter", COLLECTIVE("reduce_scatter")},
    {"alltoall", COLLECTIVE("all_to_all")},
    {"npus", RANKS},
    {"world_size", RANKS},
    {"num_npus", RANKS},
    {"ngpus", RANKS},
    {"data_parallel", "for a transformer write workload.training.data"},
    {"tensor_parallel", "write workload.training.tensor"},
    {"pipeline_parallel", "write workload.training.pipeline"},
    {"context_parallel", "write workload.training.context"},
    {"expert_parallel", "write workload.training.expert"},
    {"tensor_model_parallel_size", "write workload.training.tensor"},
    {"tensor_parallel_size", "write workload.training.tensor"},
    {"tensor_parallel_degree", "write workload.training.tensor"},
    {"tp", "write workload.training.tensor"},
    {"pipeline_model_parallel_size", "write workload.training.pipeline"},
    {"pipeline_parallel_size", "write workload.training.pipeline"},
    {"pipeline_parallel_degree", "write workload.training.pipeline"},
    {"pp", "write workload.training.pipeline"},
    {"context_parallel_size", "write workload.training.context"},
    {"context_parallel_degree", "write workload.training.context"},
    {"cp", "write workload.training.context"},
    {"cp_comm_type", "write workload.training.context_method: ring, all_gather or ulysses"},
    {"expert_model_parallel_size", "write workload.training.expert"},
    {"expert_parallel_degree", "write workload.training.expert"},
    {"ep", "write workload.training.expert"},
    {"expert_tensor_parallel_size", "write workload.training.expert_tensor"},
    {"expert_tensor_parallel_degree", "write workload.training.expert_tensor"},
    {"etp", "write workload.training.expert_tensor"},
    {"data_parallel_size", "write workload.training.data"},
    {"dp", "write workload.training.data"},
    {"data_parallel_shard_degree",
     "write workload.training.sharding: zero3; with data_parallel_replicate_degree above 1 "
     "(HSDP), also shard_group: the shard degree"},
    {"data_parallel_replicate_degree",
     "write workload.training.data: replicate degree x shard degree, with sharding: zero3 and "
     "shard_group: the shard degree"},
    // What data-parallel ranks share
    {"distributed_optimizer", "write workload.training.sharding: zero1"},
    {"use_distributed_optimizer", "write workload.training.sharding: zero1"},
    {"num_distributed_optimizer_instances",
     "write workload.training.shard_group: the data-parallel ranks divided by it"},
    {"zero_optimization", "write workload.training.sharding: zero1, zero2 or zero3"},
    {"zero", "write workload.training.sharding: zero1, zero2 or zero3"},
    {"zero_stage", "write workload.training.sharding: zero1, zero2 or zero3"},
    {"fsdp", "write workload.training.sharding: zero3"},
    {"use_torch_fsdp2", "write workload.training.sharding: zero3"},
    {"fsdp_reshard_after_forward", "write workload.training.reshard_after_forward"},
    {"overlap_grad_reduce", "write workload.training.overlap_gradients"},
    {"overlap_param_gather", "write workload.training.overlap_parameters"},
    {"ddp_bucket_size", "write workload.training.bucket, a size with a unit"},
    {"reduce_bucket_size", "write workload.training.bucket, a size with a unit"},
    {"fp8_param_gather", "write workload.training.fp8_parameters"},
    // Batches and the pipeline
    {"global_batch_size", "write workload.training.global_batch"},
    {"train_batch_size", "write workload.training.global_batch"},
    {"gbs", "write workload.training.global_batch"},
    {"batch_size", "write workload.training.global_batch, of all ranks together"},
    {"batch", "write workload.training.global_batch, of all ranks together"},
    {"micro_batch_size", "write workload.training.micro_batch"},
    {"train_micro_batch_size_per_gpu", "write workload.training.micro_batch"},
    {"pipeline_parallel_microbatch_size", "write workload.training.micro_batch"},
    {"mbs", "write workload.training.micro_batch"},
    {"gradient_accumulation_steps",
     "it follows from workload.training.global_batch / (micro_batch x data)"},
    {"pipeline_parallel_schedule", "write workload.training.schedule"},
    {"num_layers_per_virtual_pipeline_stage",
     "write workload.training.schedule: interleaved and chunks: layers / (pipeline x this number)"},
    {"num_virtual_stages_per_pipeline_rank",
     "write workload.training.schedule: interleaved and chunks: this number"},
    {"virtual_pipeline_model_parallel_size",
     "write workload.training.schedule: interleaved and chunks: this number"},
    {"microbatch_group_size_per_virtual_pipeline_stage",
     "write workload.training.micro_batch_group"},
    {"microbatch_group_size_per_vp_stage", "write workload.training.micro_batch_group"},
    {"account_for_embedding_in_pipeline_split",
     "write workload.training.embedding_and_loss_take_a_layer"},
    {"account_for_loss_in_pipeline_split",
     "write workload.training.embedding_and_loss_take_a_layer"},
    {"scatter_gather_tensors_in_pipeline", "write workload.training.scatter_gather"},
    {"overlap_p2p_communication", "write workload.training.overlap_p2p"},
    {"defer_embedding_wgrad_compute", "write workload.training.defer_head_gradients"},
    {"wgrad_deferral_limit", "write workload.training.deferral_limit"},
    // Operations
    {"tp_comm_overlap", "write workload.training.overlap_tensor"},
    {"enable_async_tensor_parallel", "write workload.training.overlap_tensor"},
    {"recompute_granularity", "write workload.training.recompute: selective or full"},
    {"activation_checkpoint", "write workload.training.recompute: selective or full"},
    {"activation_checkpointing", "write workload.training.recompute: selective or full"},
    {"gradient_checkpointing", "write workload.training.recompute: full"},
    {"recompute_num_layers", "write workload.training.recompute_layers"},
    {"cross_entropy_loss_fusion", "write workload.training.fused_cross_entropy"},
    {"use_flash_attn", "write workload.transformer.attention: flash"},
    {"moe_expert_capacity_factor", "write workload.training.expert_capacity"},
    {"moe_pad_expert_input_to_capacity", "write workload.training.capacity_mode: pad"},
    {"moe_shared_expert_overlap", "write workload.training.overlap_shared_experts"},
    {"overlap_moe_expert_parallel_comm", "write workload.training.overlap_experts"},
    // The model
    {"num_layers", "write workload.transformer.layers"},
    {"num_hidden_layers", "write workload.transformer.layers"},
    {"n_layers", "write workload.transformer.layers"},
    {"hidden_size", "write workload.transformer.hidden"},
    {"num_attention_heads", "write workload.transformer.heads"},
    {"n_heads", "write workload.transformer.heads"},
    {"num_query_groups", "write workload.transformer.key_value_heads"},
    {"num_key_value_heads", "write workload.transformer.key_value_heads"},
    {"n_kv_heads", "write workload.transformer.key_value_heads"},
    {"kv_channels", "write workload.transformer.head_dimension"},
    {"head_dim", "write workload.transformer.head_dimension"},
    {"ffn_hidden_size", "write workload.transformer.feed_forward"},
    {"intermediate_size", "write workload.transformer.feed_forward"},
    {"swiglu", "write workload.transformer.gated: true"},
    {"sequence_length", "write workload.transformer.sequence"},
    {"seq_length", "write workload.transformer.sequence"},
    {"seq_len", "write workload.transformer.sequence"},
    {"seqlen", "write workload.transformer.sequence"},
    {"seq", "write workload.transformer.sequence"},
    {"precision", PRECISION},
    {"dtype", PRECISION},
    {"fp8", PRECISION},
    {"bf16", PRECISION},
    {"vocab_size", "write workload.transformer.vocabulary"},
    {"untie_embeddings_and_output_weights", "write workload.transformer.tied_embeddings: false"},
    {"tie_word_embeddings", "write workload.transformer.tied_embeddings"},
    {"num_experts", "write workload.transformer.experts.count"},
    {"num_local_experts", "write workload.transformer.experts.count"},
    {"moe_router_topk", "write workload.transformer.experts.top_k"},
    {"num_experts_per_tok", "write workload.transformer.experts.top_k"},
    {"moe_ffn_hidden_size", "write workload.transformer.experts.width"},
};

std::string plain(std::string_view key) {
  key.remove_prefix(std::min(key.find_first_not_of('-'), key.size()));
  std::string text(key);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

}  // namespace

std::span<const ForeignName> foreign_names() { return names; }

std::string_view name_here(std::string_view key) {
  const std::string wanted = plain(key);
  const auto* found = std::find_if(std::begin(names), std::end(names),
                                   [&](const ForeignName& entry) { return entry.name == wanted; });
  return found == std::end(names) ? std::string_view() : found->remedy;
}

}  // namespace orrery
