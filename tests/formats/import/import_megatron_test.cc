// Launch lines of Megatron-LM, with what its options mean.
#include "formats/import/import_megatron.h"

#include <catch2/catch.hpp>

#include <set>

#include "core/base/config_error.h"
#include "formats/import/megatron_arguments.h"
#include "frontends/yaml/load_experiment.h"

namespace orrery {
namespace {

const std::string gpt3 = R"(#!/bin/bash
NODES=16
torchrun --nproc_per_node 8 --nnodes $NODES pretrain_gpt.py \
  --num-layers 96 --hidden-size 12288 --num-attention-heads 96 --seq-length 2048 \
  --tensor-model-parallel-size 8 --pipeline-model-parallel-size 8 --sequence-parallel \
  --num-layers-per-virtual-pipeline-stage 3 --micro-batch-size 1 --global-batch-size 1536 \
  --bf16 --use-distributed-optimizer --overlap-grad-reduce --lr 6.0e-5 --unheard-of 3 4
)";

Imported imported(const std::string& text, MegatronOptions options = {}) {
  if (!options.vocabulary) options.vocabulary = 50'257;
  return import_megatron("run.sh", text, options);
}

bool has_line(const Imported& imported, const std::string& line) {
  return ("\n" + imported.yaml).find("\n" + line + "\n") != std::string::npos;
}

// What is wrong with it: "line: path: what".
std::string refusal(const std::string& text, const MegatronOptions& options = {}) {
  try {
    import_megatron("run.sh", text, options);
  } catch (const ConfigError& error) {
    const Diagnostic& first = error.diagnostics().front();
    return std::to_string(first.line) + ": " + first.path + ": " + first.what;
  }
  return "";
}

TEST_CASE("A launch line of GPT-3 becomes its workload", "[import]") {
  const Imported import = imported(gpt3, {.platform = "dgx-h100-superpod"});
  // 50,257 words padded to whole 128 x 8; 96 layers in 8 stages of parts of 3: 4 chunks; 128 ranks
  // are two replicas of 64.
  CHECK(import.yaml == R"(# From run.sh by `orrery import megatron`.
platform: {file: dgx-h100-superpod, ranks: 128}
workload:
  transformer:
    layers: 96
    hidden: 12288
    heads: 96
    sequence: 2048
    vocabulary: 51200  # 50257 padded
    data_type: bf16
    gradient_type: fp32
  training:
    tensor: 8
    pipeline: 8
    micro_batch: 1
    global_batch: 1536
    sequence_parallel: true
    overlap_gradients: true
    data: 2
    schedule: interleaved
    chunks: 4
    sharding: zero1
)");
  InputTexts texts;
  texts.put("gpt3.yaml", import.yaml);
  CHECK(load_experiment("gpt3.yaml", {}, texts).name == "gpt3");
  CHECK(import.read == 13);
  CHECK(import.ignored == std::vector<std::string>{"--lr"});
  CHECK(import.unknown == std::vector<std::string>{"--unheard-of"});
  CHECK(import.assumed.empty());
}

TEST_CASE("What Megatron-LM does by default is assumed and said", "[import]") {
  const Imported import = imported(
      "pretrain.py --num-layers 4 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 "
      "--global-batch-size 8 --swiglu --num-experts 8 --tensor-model-parallel-size 2");
  // int(1024 x 4 x 2 / 3 / 64) x 64 = int(42.67) x 64
  CHECK(has_line(import, "    feed_forward: 2688  # assumed: Megatron-LM's default of swiglu"));
  CHECK(has_line(import, "      top_k: 2  # assumed: Megatron-LM's default"));
  CHECK(import.yaml.find("    expert_tensor: 2  # assumed") != std::string::npos);
  CHECK(import.yaml.find("    overlap_gradients: false  # assumed") != std::string::npos);
  CHECK(import.assumed.size() == 4);
}

TEST_CASE("Experts, latent attention and types", "[import]") {
  const Imported import = imported(
      "pretrain.py --num-layers 61 --hidden-size 7168 --num-attention-heads 128 --seq-length 4096 "
      "--global-batch-size 64 --padded-vocab-size 129280 --multi-latent-attention --q-lora-rank "
      "1536 --kv-lora-rank 512 --kv-channels 128 --num-experts 256 --moe-router-topk 8 "
      "--moe-ffn-hidden-size 2048 --moe-shared-expert-intermediate-size 2048 --moe-layer-freq "
      "'([0]*3+[1]*58)' --fp8-format hybrid --bf16 --expert-model-parallel-size 64 "
      "--untie-embeddings-and-output-weights --recompute-granularity full --recompute-method "
      "block --recompute-num-layers 2 --cp-comm-type a2a+p2p "
      "--hierarchical-context-parallel-sizes 4 2 --ddp-bucket-size 1000");
  for (const char* line :
       {"    vocabulary: 129280", "      first_dense: 3", "      shared: 1", "      count: 256",
        "      query_rank: 1536", "      plain: 128  # assumed: Megatron-LM's default",
        "    eight_bit_products: true", "    tied_embeddings: false", "    expert: 64",
        "    overlap_shared_experts: false", "    recompute: full", "    recompute_layers: 2",
        "    context_method: ulysses_ring", "    context_inner: 4", "    bucket: 4000 B"}) {
    INFO(line);
    CHECK(has_line(import, line));
  }
  CHECK(import.yaml.find("head_dimension") == std::string::npos);  // latent attention has its own
  // Each map stands once, so that the file can be read.
  CHECK(import.yaml.find("\n    experts:") == import.yaml.rfind("\n    experts:"));
  CHECK(import.yaml.find("latent_attention:") == import.yaml.rfind("latent_attention:"));
}

TEST_CASE("A list in JSON and variables from outside", "[import]") {
  const std::string list =
      R"(["--num-layers", "4", "--hidden-size", 64, "--num-attention-heads", "4",
          "--seq-length=128", "--global-batch-size", "8"])";
  CHECK(has_line(imported(list), "    sequence: 128"));
  const std::string script =
      "run.py --num-layers $L --hidden-size 64 --num-attention-heads 4 "
      "--seq-length 8 --global-batch-size 8";
  CHECK(refusal(script, {.vocabulary = 8}) ==
        "1: --num-layers: the script does not say what \"$L\" is");
  CHECK(has_line(imported(script, {.variables = {{"L", "6"}}}), "    layers: 6"));
}

TEST_CASE("What a launch line cannot mean is refused with its line", "[import]") {
  const std::string small =
      "run.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 \\\n --seq-length 8";
  const MegatronOptions vocabulary{.vocabulary = 100};
  CHECK(refusal("echo", {}) == "0: : there is no launch line of Megatron-LM");
  CHECK(refusal("run.py --num-layers 4") == "0: --hidden-size: the launch line does not say it");
  CHECK(refusal(small).find("how many words the tokenizer has") != std::string::npos);
  CHECK(refusal(small, vocabulary) == "0: --global-batch-size: the launch line does not say it");
  CHECK(refusal(small + " --vocab-size zero") == "2: --vocab-size: \"zero\" cannot be its value");
  CHECK(refusal(small + " --moe-layer-freq [1,0] --num-experts 4", vocabulary) ==
        "2: --moe-layer-freq: \"[1,0]\" cannot be said by an experiment");
  CHECK(refusal(small + " --num-layers-per-virtual-pipeline-stage 3", vocabulary) ==
        "2: --num-layers-per-virtual-pipeline-stage: 4 layers do not divide into 1 stages of "
        "parts of 3");
  CHECK(refusal(small + " --cp-comm-type tree", vocabulary) ==
        "2: --cp-comm-type: \"tree\" is not known");
  CHECK(refusal(small + " --tensor-model-parallel-size 3", {.vocabulary = 1, .ranks = 8}) ==
        "2: --tensor-model-parallel-size: 8 processes are no multiple of 3, the ranks of a "
        "replica");
  // Two replicas of one rank each, each with a micro-batch of one.
  CHECK(has_line(imported(small, {.ranks = 2}),
                 "    global_batch: 2  # assumed: a micro-batch of "
                 "each replica, as in Megatron-LM"));
}

TEST_CASE("The table has each option once, and a key or a sentence", "[import]") {
  std::set<std::string> names;
  for (const MegatronFlag& flag : megatron_flags()) {
    INFO(flag.name);
    CHECK(names.insert(flag.name).second);
    CHECK((std::string(flag.key).empty() != std::string(flag.sentence).empty()));
  }
}

}  // namespace
}  // namespace orrery
