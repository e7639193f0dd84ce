#include "workload/model_presets.h"

#include <vector>

#include "workload/model/layer_stack.h"

namespace orrery {

std::span<const DlrmPreset> dlrm_presets() {
  // S. Rashidi et al., "Scalable Distributed Training of Recommendation Models: An ASTRA-SIM + NS3
  // case-study with TCP/IP transport", Hot Interconnects 2020, slide "DLRM specification".
  static const std::vector<DlrmPreset> presets = [] {
    DlrmSpec hoti20;
    hoti20.global_batch = 65'536;
    hoti20.sparse_features = 64;
    hoti20.embedding_dimension = 64;
    hoti20.pooling = 60;
    hoti20.dense_features = 1'600;
    hoti20.bottom_mlp.assign(6, 1'024);  // 5 + 2 layers: in, five hidden, out
    hoti20.bottom_mlp.push_back(64);
    hoti20.top_mlp.assign(11, 2'048);  // 10 + 2 layers
    hoti20.top_mlp.push_back(1);
    hoti20.interaction = Interaction::concat;
    // MLPerf Training v3.0, recommendation: DLRM-DCNv2 on Criteo 1TB multi-hot, 26 tables of width
    // 128, 214 indices a sample, NVIDIA's batch of 64 GPUs (R. Wang et al., "DCN V2", WWW 2021).
    DlrmSpec dcnv2;
    dcnv2.global_batch = 135'168;
    dcnv2.sparse_features = 26;
    dcnv2.embedding_dimension = 128;
    dcnv2.pooling = 1;
    dcnv2.lookups = 214;
    dcnv2.embedding_traffic = true;
    dcnv2.dense_features = 13;
    dcnv2.bottom_mlp = {512, 256, 128};
    dcnv2.top_mlp = {1'024, 1'024, 512, 256, 1};
    dcnv2.interaction = Interaction::cross;
    dcnv2.cross_layers = 3;
    dcnv2.cross_rank = 512;
    return std::vector<DlrmPreset>{{"dlrm-hoti20", hoti20, DataType::fp16},
                                   {"dlrm-dcnv2", dcnv2, DataType::fp16}};
  }();
  return presets;
}

std::span<const StackPreset> stack_presets() {
  static constexpr StackPreset presets[] = {{"resnet-50", resnet_50}, {"vgg-16", vgg_16}};
  return presets;
}

namespace {

// Megatron-LM's GPT shapes: head width hidden / heads, inner width 4 hidden, GPT-2's vocabulary
// padded to a multiple of 1,024 (51,200), sequences of 2,048.
TransformerSpec gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  TransformerSpec spec;
  spec.layers = layers;
  spec.hidden = hidden;
  spec.heads = heads;
  spec.vocabulary = 51'200;
  spec.sequence = 2'048;
  return spec;
}

struct GroupedQueries {
  std::int64_t layers, hidden, heads, key_value_heads, feed_forward, vocabulary, sequence;
  bool gated = true;
};

TransformerSpec untied(const GroupedQueries& shape) {
  TransformerSpec spec;
  spec.layers = shape.layers;
  spec.hidden = shape.hidden;
  spec.heads = shape.heads;
  spec.key_value_heads = shape.key_value_heads;
  spec.feed_forward = shape.feed_forward;
  spec.gated = shape.gated;
  spec.tied_embeddings = false;
  spec.vocabulary = shape.vocabulary;
  spec.sequence = shape.sequence;
  return spec;
}

// H. Touvron et al., "Llama 2", arXiv 2307.09288: 32,000 tokens, sequences of 4,096; widths from
// the models' config.json.
TransformerSpec llama2(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                       std::int64_t key_value_heads, std::int64_t feed_forward) {
  return untied({layers, hidden, heads, key_value_heads, feed_forward, 32'000, 4'096});
}

// A. Grattafiori et al., "The Llama 3 Herd of Models", arXiv 2407.21783, table 3: 128,000 tokens
// (128,256 with those reserved), 8 key-value heads, sequences of 8,192.
TransformerSpec llama3(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                       std::int64_t feed_forward) {
  return untied({layers, hidden, heads, 8, feed_forward, 128'256, 8'192});
}

// Squared ReLU between two matrices, 256,000 tokens, sequences of 4,096. J. Parmar et al.,
// "Nemotron-4 15B Technical Report", arXiv 2402.16819; NVIDIA, "Nemotron-4 340B Technical Report",
// arXiv 2406.11704; 8B: the model card of nemotron-3-8b-base-4k.
TransformerSpec nemotron(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                         std::int64_t key_value_heads, std::int64_t feed_forward) {
  return untied({layers, hidden, heads, key_value_heads, feed_forward, 256'000, 4'096, false});
}

TransformerSpec with_experts(TransformerSpec spec, std::int64_t count, std::int64_t top_k) {
  spec.experts.count = count;
  spec.experts.top_k = top_k;
  return spec;
}

// A. Jiang et al., "Mixtral of Experts", arXiv 2401.04088, table 1; 8x22B: its config.json.
// Sequences as long as the benchmarks train with, not as the models allow.
TransformerSpec mixtral_8x7b() {
  return with_experts(untied({32, 4'096, 32, 8, 14'336, 32'000, 4'096}), 8, 2);
}
TransformerSpec mixtral_8x22b() {
  return with_experts(untied({56, 6'144, 48, 8, 16'384, 32'768, 4'096}), 8, 2);
}

// github.com/xai-org/grok-1, run.py: 64 layers, width 6,144, 48 query and 8 key heads of 128, inner
// width 8 x 6,144 x 2/3, one matrix for both ends.
TransformerSpec grok1() {
  TransformerSpec spec = with_experts(untied({64, 6'144, 48, 8, 32'768, 131'072, 8'192}), 8, 2);
  spec.tied_embeddings = true;
  return spec;
}

// DeepSeek-AI, "DeepSeek-V3 Technical Report", arXiv 2412.19437, section 4.2, and its config.json:
// 3 dense layers of inner width 18,432, then 256 experts of 2,048 and a shared one; a token's 8
// come from 4 of 8 groups. Without the module that predicts a second token.
TransformerSpec deepseek_v3() {
  TransformerSpec spec = with_experts(untied({61, 7'168, 128, 0, 18'432, 129'280, 4'096}), 256, 8);
  spec.latent = LatentAttention{1'536, 512, 128, 64, 128};
  spec.experts.width = 2'048;
  spec.experts.shared = 1;
  spec.experts.first_dense = 3;
  spec.experts.groups = 8;
  spec.experts.group_limit = 4;
  return spec;
}

// Mistral AI, mistral-7b-v0.1, config.json; its window of 4,096 tokens is not modelled.
TransformerSpec mistral_7b() { return untied({32, 4'096, 32, 8, 14'336, 32'000, 8'192}); }

// Qwen Team, "Qwen2.5 Technical Report", arXiv 2412.15115, table 1, and the config.json of each;
// sequences of 4,096 as in most of the pre-training.
TransformerSpec qwen25(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                       std::int64_t key_value_heads, std::int64_t feed_forward) {
  return untied({layers, hidden, heads, key_value_heads, feed_forward, 152'064, 4'096});
}

// Qwen Team, "Qwen3 Technical Report", arXiv 2505.09388, table 2, and the config.json of each:
// heads of 128, 4 of keys, 8 of 128 experts of the inner width `expert`, none shared.
TransformerSpec qwen3(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                      std::int64_t expert) {
  TransformerSpec spec =
      with_experts(untied({layers, hidden, heads, 4, expert, 151'936, 4'096}), 128, 8);
  spec.head_dimension = 128;
  return spec;
}

// The dense models of the same report, table 1: 8 key-value heads of 128.
TransformerSpec qwen3_dense(std::int64_t layers, std::int64_t hidden, std::int64_t heads,
                            std::int64_t feed_forward) {
  TransformerSpec spec = untied({layers, hidden, heads, 8, feed_forward, 151'936, 4'096});
  spec.head_dimension = 128;
  return spec;
}

// Kimi Team, "Kimi K2", arXiv 2507.20534, table 2, and its config.json: DeepSeek-V3 with half the
// heads, 384 experts without groups, one dense layer.
TransformerSpec kimi_k2() {
  TransformerSpec spec = deepseek_v3();
  spec.heads = 64;
  spec.vocabulary = 163'840;
  spec.experts.count = 384;
  spec.experts.first_dense = 1;
  spec.experts.groups = 1;
  spec.experts.group_limit = 1;
  return spec;
}

// Meta, "Llama 3.2", the config.json of each: one matrix for both ends.
TransformerSpec llama32(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  TransformerSpec spec = llama3(layers, hidden, heads, 8'192);
  spec.tied_embeddings = true;
  return spec;
}

// A. Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, table 2.
TransformerSpec gpt2_xl() {
  TransformerSpec spec = gpt(48, 1'600, 25);
  spec.sequence = 1'024;
  return spec;
}

// J. Devlin et al., "BERT", NAACL 2019: an encoder, whose attention sees all tokens; 30,522 tokens.
TransformerSpec bert_large() {
  TransformerSpec spec = gpt(24, 1'024, 16);
  spec.causal_kernel = false;
  spec.vocabulary = 30'522;
  spec.sequence = 512;
  return spec;
}

}  // namespace

std::span<const TransformerPreset> transformer_presets() {
  // D. Narayanan et al., "Efficient large-scale language model training on GPU clusters using
  // Megatron-LM", SC'21, table 1; gpt3-* are shapes of GPT-3 (T. Brown et al., NeurIPS 2020, table
  // 2.1, whose 5,140 for 40 heads of 128 is 5,120).
  static const std::vector<TransformerPreset> presets{
      {"gpt-1.7b", gpt(24, 2'304, 24)},
      {"gpt-3.6b", gpt(30, 3'072, 32)},
      {"gpt-7.5b", gpt(36, 4'096, 32)},
      {"gpt-18b", gpt(40, 6'144, 48)},
      {"gpt-39b", gpt(48, 8'192, 64)},
      {"gpt-76b", gpt(60, 10'240, 80)},
      {"gpt-145b", gpt(80, 12'288, 96)},
      {"gpt2-xl", gpt2_xl()},
      {"gpt3-6.7b", gpt(32, 4'096, 32)},
      {"gpt3-13b", gpt(40, 5'120, 40)},
      {"gpt3-175b", gpt(96, 12'288, 96)},
      {"gpt-310b", gpt(96, 16'384, 128)},
      {"gpt-530b", gpt(105, 20'480, 128)},
      {"gpt-1t", gpt(128, 25'600, 160)},
      {"llama2-7b", llama2(32, 4'096, 32, 32, 11'008)},
      {"llama2-13b", llama2(40, 5'120, 40, 40, 13'824)},
      {"llama2-70b", llama2(80, 8'192, 64, 8, 28'672)},
      {"llama3-8b", llama3(32, 4'096, 32, 14'336)},
      {"llama3-70b", llama3(80, 8'192, 64, 28'672)},
      {"llama3-405b", llama3(126, 16'384, 128, 53'248)},
      {"llama3.2-1b", llama32(16, 2'048, 32)},
      {"llama3.2-3b", llama32(28, 3'072, 24)},
      {"nemotron-8b", nemotron(32, 4'096, 32, 32, 16'384)},
      {"nemotron-15b", nemotron(32, 6'144, 48, 8, 24'576)},
      {"nemotron-340b", nemotron(96, 18'432, 96, 8, 73'728)},
      {"mistral-7b", mistral_7b()},
      {"mixtral-8x7b", mixtral_8x7b()},
      {"mixtral-8x22b", mixtral_8x22b()},
      {"grok-1", grok1()},
      {"deepseek-v3", deepseek_v3()},
      {"kimi-k2", kimi_k2()},
      {"qwen2.5-7b", qwen25(28, 3'584, 28, 4, 18'944)},
      {"qwen2.5-14b", qwen25(48, 5'120, 40, 8, 13'824)},
      {"qwen2.5-32b", qwen25(64, 5'120, 40, 8, 27'648)},
      {"qwen2.5-72b", qwen25(80, 8'192, 64, 8, 29'568)},
      {"qwen3-8b", qwen3_dense(36, 4'096, 32, 12'288)},
      {"qwen3-14b", qwen3_dense(40, 5'120, 40, 17'408)},
      {"qwen3-32b", qwen3_dense(64, 5'120, 64, 25'600)},
      {"qwen3-30b-a3b", qwen3(48, 2'048, 32, 768)},
      {"qwen3-235b-a22b", qwen3(94, 4'096, 64, 1'536)},
      {"bert-large", bert_large()}};
  return presets;
}

std::span<const ModelAlias> model_aliases() {
  // Later versions that were trained further or tuned, by their config.json.
  static constexpr ModelAlias aliases[] = {
      {"gpt-3", "gpt3-175b"},           {"mt-nlg", "gpt-530b"},
      {"llama3.1-8b", "llama3-8b"},     {"llama3.1-70b", "llama3-70b"},
      {"llama3.3-70b", "llama3-70b"},   {"llama3.1-405b", "llama3-405b"},
      {"deepseek-v3.1", "deepseek-v3"}, {"deepseek-r1", "deepseek-v3"},
      {"qwen2-7b", "qwen2.5-7b"},       {"qwen2-72b", "qwen2.5-72b"},
      {"qwq-32b", "qwen2.5-32b"},       {"qwen3-coder-30b-a3b", "qwen3-30b-a3b"},
      {"dcnv2", "dlrm-dcnv2"}};
  return aliases;
}

}  // namespace orrery
