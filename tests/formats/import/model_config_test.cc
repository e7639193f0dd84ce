// What a config.json of Hugging Face says of windows and of the sequence.
#include "formats/import/model_config.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "simulation/result/training_notices.h"
#include "tests/paths.h"

namespace orrery {
namespace {

using Catch::Matchers::Contains;

std::filesystem::path config_path() {
  return std::filesystem::temp_directory_path() / "orrery-model-config.json";
}

// A model of eight layers with these further keys, in training on a server.
Experiment trained(const std::string& keys, const std::vector<Override>& overrides = {}) {
  const std::filesystem::path path = config_path();
  std::ofstream(path) << R"({"hidden_size": 1024, "intermediate_size": 4096, "vocab_size": 32000,
    "num_attention_heads": 8, "num_hidden_layers": 8, )"
                      << keys << "}";
  std::vector<Override> all{{"platform=hgx-h100"},
                            {"workload={transformer: " + path.string() + "}"}};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return load_experiment(source_folder() + "/tests/frontends/yaml/good/minimal.yaml", all);
}

// Without a choice of its parallelism.
TransformerSpec model_of(const std::string& keys, std::vector<Override> overrides = {}) {
  overrides.push_back({"workload.training={tensor: 1, pipeline: 1, global_batch: 8}"});
  return std::get<TransformerWorkload>(trained(keys, overrides).workload.what).model;
}

std::string windows(const TransformerSpec& model) {
  std::string text;
  for (std::int64_t layer = 0; layer < model.layers; ++layer)
    text += model.is_windowed(layer) ? 'w' : '.';
  return text;
}

constexpr const char* tokens = R"("max_position_embeddings": 4096, )";
std::string windows_of(const std::string& keys) { return windows(model_of(tokens + keys)); }

// Of 16,384 queries the first 4,096 see 1 to 4,096 tokens and the others 4,096 each: w (2s - w) /
// s^2 = 4,096 x 28,672 / 16,384^2 = 7/16 of the scores of a causal mask (blocks_test.cc counts
// them).
TEST_CASE("a config.json of Mistral gives every layer its window") {
  const TransformerSpec model = model_of(
      R"("max_position_embeddings": 32768, "model_type": "mistral", "sliding_window": 4096)",
      {{"workload.transformer.sequence=16384"}});
  CHECK(model.window == 4'096);
  CHECK(model.full_attention_every == 0);
  CHECK(windows(model) == "wwwwwwww");
  CHECK(model.window * (2 * model.sequence - model.window) * 16 ==
        model.sequence * model.sequence * 7);
  CHECK(windows_of(R"("model_type": "mistral", "sliding_window": null)") == "........");
  CHECK(windows_of(R"("model_type": "mistral")") == "........");
}

TEST_CASE("a window that cuts nothing refuses nothing") {
  const std::string mistral =
      R"("max_position_embeddings": 32768, "model_type": "mistral", "sliding_window": 4096)";
  const Override unfused{"workload.transformer.attention=unfused"};
  CHECK(windows(model_of(mistral, {{"workload.transformer.sequence=4096"}, unfused})) ==
        "........");
  CHECK_THROWS_WITH(model_of(mistral, {{"workload.transformer.sequence=4097"}, unfused}),
                    Contains("sliding_window: unfused attention computes all scores"));
}

TEST_CASE("a number that is not whole is refused where it stands") {
  CHECK_THROWS_WITH(model_of(R"("model_type": "llama", "max_position_embeddings": 1e6)"),
                    Contains("\"1e6\" is not a whole number"));
}

TEST_CASE("layers with a window take the turns of their family, or of layer_types") {
  CHECK(windows_of(R"("model_type": "gemma2", "sliding_window": 512)") == "w.w.w.w.");
  CHECK(windows_of(R"("model_type": "gemma3_text", "sliding_window": 512)") == "wwwww.ww");
  CHECK(windows_of(R"("model_type": "gemma3_text", "sliding_window": 512,
                      "sliding_window_pattern": 4)") == "www.www.");
  const auto typed = [](const std::string& types) {
    std::string list;
    for (const char type : types)
      list += std::string(list.empty() ? "" : ", ") +
              (type == 'w' ? "\"sliding_attention\"" : "\"full_attention\"");
    return R"("model_type": "gemma2", "sliding_window": 512, "layer_types": [)" + list + "]";
  };
  for (const char* types : {"www.www.", "wwww.www", "wwwwwwww", "........"})
    CHECK(windows_of(typed(types)) == types);
  CHECK_THROWS_WITH(windows_of(typed("wwww....")), Contains("do not take regular turns"));
}

TEST_CASE("layer_types are as many as the layers") {
  CHECK_THROWS_WITH(
      windows_of(R"("model_type": "qwen3", "use_sliding_window": true, "sliding_window": 512,
                   "layer_types": ["sliding_attention", "full_attention"])"),
      Contains("2 layer_types for 8 layers: write one for each layer"));
}

// Qwen: layer i has experts where (i + 1) % decoder_sparse_step == 0 and mlp_only_layers has no i.
// Step 2 of 8 layers: 1, 3, 5, 7. Step 3: 2 and 5. A step of 8 without layer 7: none. Llama 4 lists
// them. Where `every` begins with the first of so many, as many layers have experts, each of them
// less than `every` places away.
TEST_CASE("layers without experts are read as the library takes them") {
  const auto experts_in = [](const std::string& keys) {
    const ExpertsSpec spec = model_of(std::string(tokens) + keys).experts;
    std::string text;
    for (std::int64_t layer = 0; layer < 8; ++layer) text += spec.in_layer(layer) ? 'e' : '.';
    return text;
  };
  const std::string qwen =
      R"("model_type": "qwen3_moe", "num_experts": 8, "num_experts_per_tok": 2,
         "moe_intermediate_size": 512, )";
  CHECK(experts_in(qwen + R"("decoder_sparse_step": 1, "mlp_only_layers": [])") == "eeeeeeee");
  CHECK(experts_in(qwen + R"("decoder_sparse_step": 2)") == "e.e.e.e.");
  CHECK(experts_in(qwen + R"("decoder_sparse_step": 3)") == "...e..e.");
  CHECK(experts_in(qwen + R"("mlp_only_layers": [0, 1, 2])") == "...eeeee");
  CHECK(experts_in(qwen + R"("decoder_sparse_step": 2, "mlp_only_layers": [1, 3])") == "....e.e.");
  CHECK_THROWS_WITH(experts_in(qwen + R"("mlp_only_layers": [5])"),
                    Contains("layers with and without experts take no regular turns") &&
                        Contains("orrery-model-config.json:"));
  CHECK_THROWS_WITH(experts_in(qwen + R"("decoder_sparse_step": 9)"),
                    Contains("no layer has experts"));
  const std::string llama =
      R"("model_type": "llama4_text", "num_local_experts": 8, "num_experts_per_tok": 1, )";
  CHECK(experts_in(llama + R"("moe_layers": [0, 2, 4, 6])") == "e.e.e.e.");
  CHECK(experts_in(llama + R"("moe_layers": [1, 3, 5, 7])") == "e.e.e.e.");
  CHECK(experts_in(llama + R"("moe_layers": null, "interleave_moe_layer_step": 4)") == "e...e...");
  CHECK_THROWS_WITH(experts_in(llama + R"("moe_layers": [1, 3])"), Contains("regular turns"));
}

TEST_CASE("multi-token prediction is told to be missing") {
  const auto notices = [](const char* layers) {
    std::string all;
    for (const std::string& one : training_notices(
             trained(std::string(tokens) +
                     R"("model_type": "llama", "num_nextn_predict_layers": )" + layers)))
      all += one;
    return all;
  };
  CHECK_THAT(notices("1"), Contains("multi-token prediction is not simulated"));
  CHECK_THAT(notices("0"), !Contains("prediction"));
}

// moonshotai/Kimi-K2-Base names its own type, and has the keys of DeepSeek-V3.
TEST_CASE("kimi_k2 is read as deepseek_v3") {
  const std::string keys =
      R"(, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
      "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 384, "n_shared_experts": 1,
      "moe_intermediate_size": 2048, "num_experts_per_tok": 8, "first_k_dense_replace": 1)";
  for (const char* type : {"kimi_k2", "deepseek_v3"}) {
    const TransformerSpec model =
        model_of(std::string(tokens) + R"("model_type": ")" + type + '"' + keys);
    CHECK(model.experts.count == 384);
    CHECK(model.experts.shared == 1);
    CHECK(model.experts.first_dense == 1);
    REQUIRE(model.latent.has_value());
    CHECK(model.latent->key_value_rank == 512);
  }
}

// Qwen's files name a window, which only use_sliding_window puts in force, of the layers behind
// max_window_layers.
TEST_CASE("a window of Qwen is read where it is used") {
  const std::string qwen = R"("model_type": "qwen2", "sliding_window": 512, )";
  CHECK(windows_of(qwen + R"("use_sliding_window": false)") == "........");
  CHECK(windows_of(qwen + R"("max_window_layers": 0)") == "........");
  CHECK(windows_of(qwen + R"("use_sliding_window": true)") == "........");  // 28 layers before
  CHECK(windows_of(qwen + R"("use_sliding_window": true, "max_window_layers": 0)") == "wwwwwwww");
  CHECK_THROWS_WITH(windows_of(qwen + R"("use_sliding_window": true, "max_window_layers": 4)"),
                    Contains("write \"sliding_window\": null"));
}

// google/gemma-3-4b-it: what its file leaves out is Gemma3TextConfig's.
TEST_CASE("of a multimodal model the language model is read") {
  const TransformerSpec gemma =
      model_of(R"("model_type": "gemma3", "vision_config": {}, "text_config":
      {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text",
       "num_hidden_layers": 34, "sliding_window": 1024})");
  CHECK(gemma.layers == 34);
  CHECK(gemma.heads == 8);
  CHECK(gemma.key_value_heads == 4);
  CHECK(gemma.head_dimension == 256);
  CHECK(gemma.vocabulary == 262'208);
  CHECK(gemma.full_attention_every == 6);
  // Of meta-llama/Llama-4-Maverick: a layer without experts, of width 16,384, before each with 128.
  const TransformerSpec llama = model_of(R"("model_type": "llama4", "text_config":
      {"model_type": "llama4_text", "hidden_size": 5120, "intermediate_size": 8192,
       "intermediate_size_mlp": 16384, "interleave_moe_layer_step": 2, "num_hidden_layers": 48,
       "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 202048,
       "num_local_experts": 128, "num_experts_per_tok": 1, "max_position_embeddings": 1048576})");
  CHECK(llama.feed_forward == 16'384);
  CHECK(llama.experts.count == 128);
  CHECK(llama.experts.top_k == 1);
  CHECK(llama.experts.width == 8'192);
  CHECK(llama.experts.shared == 1);
  CHECK(llama.experts.every == 2);
}

TEST_CASE("a sequence that is given needs no key of the file") {
  const std::string llama = R"("model_type": "llama")";
  CHECK(model_of(llama, {{"workload.transformer.sequence=8192"}}).sequence == 8'192);
  CHECK_THROWS_WITH(model_of(llama), Contains("the key \"sequence\" is missing"));
}

// The remedy, pasted, is Llama 3 of 8B.
TEST_CASE("a model of another kind is written by hand") {
  CHECK_THROWS_WITH(
      model_of(R"("model_type": "falcon")"),
      Contains("\"falcon\" is not a known model_type: ") &&
          Contains("or write the shape by hand: transformer: {layers: 32, hidden: 4096, heads: 32, "
                   "key_value_heads: 8, feed_forward: 14336, gated: true, vocabulary: 128256, "
                   "sequence: 8192}, and where it has them head_dimension: 128, sliding_window: "
                   "4096, full_attention_every: 2, parallel_blocks: true or experts: {count: "
                   "128, top_k: 8, width: 1536}"));
  CHECK_THROWS_WITH(
      model_of(R"("model_type": "qwen3_next")"),
      Contains("\"qwen3_next\": layers of linear attention are not modelled: write the shape"));
  CHECK_THROWS_WITH(model_of(R"("model_type": "t5")"),
                    Contains("\"t5\": an encoder beside a decoder is not modelled: write"));
  const Experiment by_hand = load_experiment(
      source_folder() + "/tests/frontends/yaml/good/minimal.yaml",
      {{"platform=hgx-h100"},
       {"workload={transformer: {layers: 32, hidden: 4096, heads: 32, key_value_heads: 8, "
        "feed_forward: 14336, gated: true, vocabulary: 128256, sequence: 8192, head_dimension: "
        "128, sliding_window: 4096, full_attention_every: 2, experts: "
        "{count: 128, top_k: 8, width: 1536}}}"}});
  CHECK(std::get<TransformerWorkload>(by_hand.workload.what).model.layers == 32);
}

// The matrices of a layer by hand, without what its biases, norms and router have.
std::int64_t weights_of(const TransformerSpec& model, std::int64_t layer) {
  const std::int64_t attention = 2 * model.hidden * (model.query_width() + model.key_value_width());
  const std::int64_t into = model.hidden * (model.mlp_inputs() + 1);
  if (!model.experts.in_layer(layer)) return attention + into * model.mlp_width();
  return attention + into * (model.experts.count * model.expert_width() + model.shared_width());
}
std::int64_t weights_of(const TransformerSpec& model) {
  std::int64_t all = model.vocabulary * model.hidden * (model.tied_embeddings ? 1 : 2);
  for (std::int64_t layer = 0; layer < model.layers; ++layer) all += weights_of(model, layer);
  return all;
}

// OLMo 2's norms lie behind its blocks, Phi's matrices are fused: the shapes are Llama's. The
// published numbers of parameters: OLMo 2 32B 32.2 billion, Phi-4 14.7 billion. Four matrices
// of attention and three of the MLP, here of 1024 x 1024 and 1024 x 4096.
TEST_CASE("a config.json of OLMo 2 or Phi has the layers of Llama") {
  for (const char* type : {"olmo2", "phi3"}) {
    const TransformerSpec model =
        model_of(tokens + fmt::format(R"("model_type": "{}", "sliding_window": null)", type));
    CHECK(weights_of(model, 0) == 4 * 1024 * 1024 + 3 * 1024 * 4096);
    CHECK(windows(model) == "........");
    CHECK_FALSE(model.tied_embeddings);
  }
  CHECK(windows_of(R"("model_type": "phi3", "sliding_window": 512)") == "wwwwwwww");
}

// Attention and MLP have one input (CohereDecoderLayer of transformers), embeddings are tied.
TEST_CASE("a config.json of Command R has parallel blocks") {
  const TransformerSpec model = model_of(tokens + std::string(R"("model_type": "cohere")"));
  CHECK(model.parallel_blocks);
  CHECK(model.tied_embeddings);
  CHECK(model.gated);
}

// 36 layers of 128 experts of 3 x 2880 x 2880, with 64 heads of 64 and 8 of keys; of two layers the
// first has a window. OpenAI: 116.83 billion parameters; the matrices alone are 116.8.
TEST_CASE("a config.json of GPT-OSS has experts in all layers and a window in every other one") {
  const TransformerSpec model = model_of(
      tokens + std::string(R"("model_type": "gpt_oss", "head_dim": 64, "num_local_experts": 128,
        "num_experts_per_tok": 4, "sliding_window": 128, "num_key_value_heads": 8)"),
      {{"workload.transformer.layers=36"},
       {"workload.transformer.hidden=2880"},
       {"workload.transformer.heads=64"},
       {"workload.transformer.feed_forward=2880"},
       {"workload.transformer.vocabulary=201088"}});
  CHECK(windows(model).starts_with("w.w.w.w."));
  CHECK(weights_of(model) / 100'000'000 == 1'167);
  CHECK(model.experts.top_k == 4);
}

// 92 layers, 3 of them with an MLP of 12,288, the others with 160 experts and a shared one of
// 1,536; 96 heads of 128 and 8 of keys. Zhipu: 355 billion parameters, with the 3.9 billion of the
// layer of multi-token prediction; the matrices of the others are 352.7.
TEST_CASE("a config.json of GLM-4.5 has experts behind its first layers") {
  const TransformerSpec model = model_of(
      tokens + std::string(R"("model_type": "glm4_moe", "head_dim": 128, "n_routed_experts": 160,
        "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 1536,
        "first_k_dense_replace": 3, "n_group": 1, "topk_group": 1, "num_key_value_heads": 8)"),
      {{"workload.transformer.layers=92"},
       {"workload.transformer.hidden=5120"},
       {"workload.transformer.heads=96"},
       {"workload.transformer.feed_forward=12288"},
       {"workload.transformer.vocabulary=151552"}});
  CHECK(weights_of(model) / 100'000'000 == 3'527);
  CHECK_FALSE(model.experts.in_layer(2));
  CHECK(model.experts.in_layer(3));
}

TEST_CASE("without a sequence 8,192 tokens, or what the model can take, are ASSUMED") {
  const std::string llama = R"("model_type": "llama", "max_position_embeddings": )";
  const Experiment longest = trained(llama + "131072");
  CHECK(std::get<TransformerWorkload>(longest.workload.what).model.sequence == 8'192);
  CHECK_THAT(longest.parallelism_chosen, Contains("batch 512 ASSUMED; sequence 8192 ASSUMED"));
  CHECK(model_of(llama + "2048").sequence == 2'048);
  const Experiment divided =
      trained(llama + "131072", {{"workload.training={tensor: 8, global_batch: 8}"}});
  CHECK(divided.parallelism_chosen == "sequence 8192 ASSUMED");
  const Experiment written = trained(llama + "131072", {{"workload.transformer.sequence=65536"}});
  CHECK(std::get<TransformerWorkload>(written.workload.what).model.sequence == 65'536);
  CHECK_THAT(written.parallelism_chosen, !Contains("sequence"));
  const std::string model = "transformer: " + config_path().string();
  const Experiment two =
      trained(llama + "131072", {{"workload={jobs: [{name: a, npus: 0-3, " + model +
                                  "}, {name: b, npus: 4-7, " + model + "}]}"}});
  CHECK_THAT(two.parallelism_chosen, Catch::StartsWith("sequence 8192 ASSUMED; a: "));
  CHECK(two.parallelism_chosen.find("sequence", 1) == std::string::npos);
}

}  // namespace
}  // namespace orrery
