#include "formats/import/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

using yaml::YamlNode;

namespace {

// What the families differ in. Names of keys are those of their config.json.
struct Family {
  std::string_view model_type;
  bool gated = true;  // SwiGLU or GeGLU, else one matrix into the MLP
  bool tied = false;  // unless tie_word_embeddings says otherwise
  bool causal = true;
  std::string_view experts = "";       // how many a layer has; "" = none
  std::string_view expert_width = "";  // "" = intermediate_size
  std::string_view shared = "";        // how many shared experts
  std::string_view shared_width = "";  // of one, where it is given by its width
  bool latent = false;                 // multi-head latent attention
  bool is_gpt2 = false;                // n_embd and the like
  bool parallel_blocks = false;        // attention and MLP have one input
  int window_pattern = 1;              // of so many layers the last has no window; 1 = all have one
};

constexpr std::array families{
    Family{.model_type = "llama"},
    Family{.model_type = "mistral"},
    Family{.model_type = "mixtral", .experts = "num_local_experts"},
    Family{.model_type = "qwen2"},
    Family{.model_type = "qwen3"},
    Family{.model_type = "qwen2_moe",
           .experts = "num_experts",
           .expert_width = "moe_intermediate_size",
           .shared_width = "shared_expert_intermediate_size"},
    Family{.model_type = "qwen3_moe",
           .experts = "num_experts",
           .expert_width = "moe_intermediate_size"},
    Family{.model_type = "deepseek_v2",
           .experts = "n_routed_experts",
           .expert_width = "moe_intermediate_size",
           .shared = "n_shared_experts",
           .latent = true},
    Family{.model_type = "deepseek_v3",
           .experts = "n_routed_experts",
           .expert_width = "moe_intermediate_size",
           .shared = "n_shared_experts",
           .latent = true},
    Family{.model_type = "kimi_k2",  // DeepSeek-V3's layers
           .experts = "n_routed_experts",
           .expert_width = "moe_intermediate_size",
           .shared = "n_shared_experts",
           .latent = true},
    Family{.model_type = "glm4_moe",  // GLM-4.5: experts and layers are named as DeepSeek-V3's
           .experts = "n_routed_experts",
           .expert_width = "moe_intermediate_size",
           .shared = "n_shared_experts"},
    Family{.model_type = "gpt_oss", .experts = "num_local_experts", .window_pattern = 2},
    Family{.model_type = "olmo2"},
    Family{.model_type = "phi3"},
    Family{.model_type = "cohere", .tied = true, .parallel_blocks = true},
    Family{.model_type = "gemma", .tied = true},
    Family{.model_type = "gemma2", .tied = true, .window_pattern = 2},
    Family{.model_type = "gemma3_text", .tied = true, .window_pattern = 6},
    Family{.model_type = "llama4_text",
           .experts = "num_local_experts",
           .expert_width = "intermediate_size",
           .shared_width = "intermediate_size"},
    Family{.model_type = "nemotron", .gated = false},
    Family{.model_type = "gpt_neox", .gated = false},
    Family{.model_type = "gpt2", .gated = false, .tied = true, .is_gpt2 = true},
    Family{.model_type = "bert", .gated = false, .tied = true, .causal = false}};

// What others have that is not modelled.
constexpr std::pair<std::string_view, std::string_view> not_modelled[] = {
    {"qwen3_next", "layers of linear attention are"}, {"t5", "an encoder beside a decoder is"},
    {"mt5", "an encoder beside a decoder is"},        {"bart", "an encoder beside a decoder is"},
    {"whisper", "an encoder beside a decoder is"},    {"vit", "an input of images is"}};

class Translation {
 public:
  Translation(const YamlNode& config, const std::string& path, yaml::Problems& problems)
      : config_(config), path_(path), problems_(problems) {
    result.kind = yaml::NodeKind::map;
  }

  YamlNode result;
  bool complete = true;

  // A null counts as absent, as it does for the library.
  const YamlNode* find(std::string_view theirs) const {
    const YamlNode* found = theirs.empty() ? nullptr : config_.find(theirs);
    const bool is_null =
        found != nullptr && (found->kind == yaml::NodeKind::null || found->text == "null");
    return is_null ? nullptr : found;
  }
  std::int64_t number(std::string_view theirs, std::int64_t without) const {
    const YamlNode* found = find(theirs);
    if (found == nullptr) return without;
    const char* end = found->text.data() + found->text.size();
    std::int64_t value = 0;
    return std::from_chars(found->text.data(), end, value).ptr == end ? value : without;
  }

  // Our key has the value of theirs.
  bool take(YamlNode& to, std::string_view ours, std::string_view theirs, bool required = false) {
    if (const YamlNode* found = find(theirs)) {
      YamlNode& child = to.children.emplace_back(*found);
      child.key = ours;
      return true;
    }
    if (!required) return false;
    problems_.add(config_.place, path_, fmt::format("the key \"{}\" is missing", theirs),
                  fmt::format("{} is read from it", ours));
    complete = false;
    return false;
  }
  void refuse(const YamlNode& key, std::string what, std::string remedy) {
    problems_.add(key.place, path_, std::move(what), std::move(remedy));
    complete = false;
  }
  void set(YamlNode& to, std::string_view ours, std::string text) {
    YamlNode child;
    child.kind = yaml::NodeKind::scalar;
    child.key = ours;
    child.text = std::move(text);
    child.place = child.key_place = config_.find("model_type")->place;
    to.children.push_back(std::move(child));
  }
  YamlNode map(std::string_view ours) const {
    YamlNode node;
    node.kind = yaml::NodeKind::map;
    node.key = ours;
    node.place = node.key_place = config_.place;
    return node;
  }

 private:
  const YamlNode& config_;
  const std::string& path_;
  yaml::Problems& problems_;
};

// What a model can take is not what it is trained with: 131,072 tokens for Llama 3.1, which was
// trained with 8,192 (arXiv 2407.21783, section 3.4).
void take_sequence(Translation& from, std::string_view theirs) {
  constexpr std::int64_t usual = 8'192;
  static const yaml::Source assumed = yaml::chosen_source();
  if (!from.take(from.result, "sequence", theirs)) return;  // one beside the file may be
  const std::int64_t most = from.number(theirs, 0);
  if (most < 1) return;  // to be reported where it stands
  YamlNode& sequence = from.result.children.back();
  sequence.text = std::to_string(std::min(most, usual));
  sequence.place = sequence.key_place = {&assumed, 0, 0};
}

// Of so many layers the last sees all tokens: by `layer_types`, or by the family. 0 = none does, 1
// = all do, nothing if the order is another one.
std::optional<std::int64_t> pattern_of(const Translation& from, const Family& family) {
  const YamlNode* types = from.find("layer_types");
  if (types == nullptr)
    return family.window_pattern > 1 ? from.number("sliding_window_pattern", family.window_pattern)
                                     : 0;
  const auto sees_all = [](const YamlNode& type) { return type.text == "full_attention"; };
  const auto first = std::ranges::find_if(types->children, sees_all);
  if (first == types->children.end()) return 0;
  const std::int64_t every = first - types->children.begin() + 1;
  for (std::int64_t layer = 0; const YamlNode& type : types->children)
    if (sees_all(type) != (++layer % every == 0)) return std::nullopt;
  return every;
}

// Qwen's files name a window that they do not use.
void take_window(Translation& from, const Family& family) {
  const YamlNode* window = from.find("sliding_window");
  const YamlNode* used = from.find("use_sliding_window");
  const bool is_qwen = family.model_type.starts_with("qwen");
  const bool unused = is_qwen ? used == nullptr || used->text != "true" : !family.causal;
  if (window == nullptr || unused) return;
  const YamlNode* types = from.find("layer_types");
  const std::int64_t layers = from.number("num_hidden_layers", 0);
  if (types != nullptr && layers > 0 && static_cast<std::int64_t>(types->children.size()) != layers)
    return from.refuse(
        *types, fmt::format("{} layer_types for {} layers", types->children.size(), layers),
        "write one for each layer, or leave layer_types out for the usual turns of the family");
  std::optional<std::int64_t> every = pattern_of(from, family);
  if (is_qwen && types == nullptr) {
    const std::int64_t before = from.number("max_window_layers", 28);  // these see all tokens
    if (before >= layers) return;
    if (before > 0) every.reset();
  }
  if (every == 1) return;
  if (!every)
    return from.refuse(*window, "layers with and without a window do not take regular turns",
                       "write \"sliding_window\": null, so that all layers see all tokens");
  from.take(from.result, "sliding_window", "sliding_window");
  if (*every > 0) from.set(from.result, "full_attention_every", std::to_string(*every));
}

void take_shape(Translation& from, const Family& family) {
  YamlNode& to = from.result;
  const bool gpt2 = family.is_gpt2;
  from.take(to, "layers", gpt2 ? "n_layer" : "num_hidden_layers", true);
  from.take(to, "hidden", gpt2 ? "n_embd" : "hidden_size", true);
  from.take(to, "heads", gpt2 ? "n_head" : "num_attention_heads", true);
  if (!from.take(to, "feed_forward", "intermediate_size_mlp"))  // beside experts of Llama 4
    from.take(to, "feed_forward", gpt2 ? "n_inner" : "intermediate_size", !gpt2);
  from.take(to, "vocabulary", "vocab_size", true);
  take_sequence(from, gpt2 ? "n_positions" : "max_position_embeddings");
  if (!family.latent) {
    from.take(to, "key_value_heads", "num_key_value_heads");
    from.take(to, "head_dimension", "head_dim");
  }
  if (from.number("num_nextn_predict_layers", 0) > 0)
    from.take(to, "prediction_layers", "num_nextn_predict_layers");
  from.set(to, "gated", family.gated ? "true" : "false");
  take_window(from, family);
  if (family.parallel_blocks) from.set(to, "parallel_blocks", "true");
  from.set(to, "causal_kernel", family.causal ? "true" : "false");
  if (!from.take(to, "tied_embeddings", "tie_word_embeddings"))
    from.set(to, "tied_embeddings", family.tied ? "true" : "false");
}

// Which layers have experts, counted from 0, where the file says it as Qwen's and Llama 4's
// libraries read it (Qwen3MoeDecoderLayer, Llama4TextConfig of transformers). Nothing if it does
// not.
std::optional<std::vector<std::int64_t>> expert_layers(const Translation& from) {
  const auto listed = [&](std::string_view key, std::int64_t layer) {
    const YamlNode* list = from.find(key);
    return list != nullptr && std::ranges::find(list->children, std::to_string(layer),
                                                &YamlNode::text) != list->children.end();
  };
  const bool named = from.find("moe_layers") != nullptr;
  if (!named && from.find("decoder_sparse_step") == nullptr &&
      from.find("mlp_only_layers") == nullptr)
    return std::nullopt;
  constexpr std::int64_t most = 10'000;  // more are refused by their number
  const std::int64_t layers = std::min(from.number("num_hidden_layers", 0), most);
  const std::int64_t step = std::max<std::int64_t>(from.number("decoder_sparse_step", 1), 1);
  std::vector<std::int64_t> with;
  for (std::int64_t layer = 0; layer < layers; ++layer)
    if (named ? listed("moe_layers", layer)
              : (layer + 1) % step == 0 && !listed("mlp_only_layers", layer))
      with.push_back(layer);
  return with;
}

// `first_dense` and `every`, which begin with the first of so many layers where others may begin
// with the last: as many layers have experts, each less than `every` from its place.
void take_expert_layers(Translation& from, YamlNode& experts) {
  const std::optional<std::vector<std::int64_t>> with = expert_layers(from);
  const std::int64_t layers = from.number("num_hidden_layers", 0);
  if (!with || layers < 1) return;
  const YamlNode* key = nullptr;
  for (const char* name : {"decoder_sparse_step", "mlp_only_layers", "moe_layers"})
    if (from.find(name) != nullptr) key = from.find(name);
  const auto count = static_cast<std::int64_t>(with->size());
  const std::int64_t first = count > 0 ? with->front() : 0;
  const std::int64_t every = count > 1 ? (*with)[1] - first : std::max(layers - first, first + 1);
  bool regular = count > 0 && first + count * every >= layers;
  for (std::int64_t i = 0; i < count; ++i) regular = regular && (*with)[i] == first + i * every;
  if (!regular)
    return from.refuse(*key,
                       count == 0 ? "no layer has experts"
                                  : "layers with and without experts take no regular turns",
                       "leave it out, so that all layers have experts, or write the shape by hand "
                       "with experts: {first_dense: 4, every: 2}");
  const std::int64_t before = first - first % every;
  const bool fits = (layers - before + every - 1) / every == count;
  if (const std::int64_t start = fits ? before : before + every; start > 0)
    from.set(experts, "first_dense", std::to_string(start));
  from.set(experts, "every", std::to_string(every));
}

void take_experts(Translation& from, const Family& family) {
  if (family.experts.empty()) return;
  YamlNode experts = from.map("experts");
  from.take(experts, "count", family.experts, true);
  from.take(experts, "top_k", "num_experts_per_tok", true);
  from.take(experts, "width", family.expert_width, !family.expert_width.empty());
  from.take(experts, "shared", family.shared);
  if (from.take(experts, "shared_width", family.shared_width)) from.set(experts, "shared", "1");
  from.take(experts, "first_dense", "first_k_dense_replace");
  from.take(experts, "every", "moe_layer_freq");
  if (from.find("moe_layers") == nullptr) from.take(experts, "every", "interleave_moe_layer_step");
  take_expert_layers(from, experts);
  from.take(experts, "groups", "n_group");
  from.take(experts, "group_limit", "topk_group");
  from.result.children.push_back(std::move(experts));
}

void take_latent(Translation& from, const Family& family) {
  if (!family.latent) return;
  YamlNode latent = from.map("latent_attention");
  from.take(latent, "query_rank", "q_lora_rank");
  from.take(latent, "key_value_rank", "kv_lora_rank", true);
  from.take(latent, "plain", "qk_nope_head_dim", true);
  from.take(latent, "rotary", "qk_rope_head_dim", true);
  from.take(latent, "value", "v_head_dim", true);
  from.result.children.push_back(std::move(latent));
}

// What Gemma 3's library (Gemma3TextConfig of transformers) takes for keys that its files leave
// out.
constexpr std::pair<std::string_view, std::string_view> of_gemma3[] = {
    {"vocab_size", "262208"},
    {"num_attention_heads", "8"},
    {"num_key_value_heads", "4"},
    {"head_dim", "256"},
    {"max_position_embeddings", "131072"}};

void add_library_defaults(YamlNode& config) {
  const YamlNode type = *config.find("model_type");
  if (type.text != "gemma3_text") return;
  for (const auto& [key, text] : of_gemma3) {
    if (config.find(key) != nullptr) continue;
    YamlNode& added = config.children.emplace_back(type);
    added.key = key;
    added.text = text;
  }
}

void refuse_type(const YamlNode& type, const std::string& path,
                 const std::vector<std::string_view>& known, yaml::Problems& problems) {
  const auto* found =
      std::ranges::find(not_modelled, type.text, [](const auto& one) { return one.first; });
  const bool is_said = found != std::end(not_modelled);
  problems.add(
      type.place, path,
      in_quotes(type.text) + (is_said ? fmt::format(": {} not modelled", found->second)
                                      : std::string(" is not a known model_type")),
      (is_said ? "write the shape of a like decoder"
               : suggestion(type.text, known) + "; or write the shape") +
          " by hand: transformer: {layers: 32, hidden: 4096, heads: 32, key_value_heads: 8, "
          "feed_forward: 14336, gated: true, vocabulary: 128256, sequence: 8192}, and where it has "
          "them head_dimension: 128, sliding_window: 4096, full_attention_every: 2, "
          "parallel_blocks: true or experts: {count: 128, top_k: 8, width: 1536}");
}

}  // namespace

bool is_model_config(const YamlNode& map) { return map.find("model_type") != nullptr; }

bool read_model_config(YamlNode& config, const std::string& path, yaml::Problems& problems) {
  // Of a model that also sees or hears: the language model, which is what is trained here.
  if (YamlNode* text = config.find("text_config");
      text != nullptr && text->find("model_type") != nullptr) {
    YamlNode language = std::move(*text);
    config.children = std::move(language.children);
  }
  add_library_defaults(config);
  const YamlNode& type = *config.find("model_type");
  const Family* family = nullptr;
  std::vector<std::string_view> known;
  for (const Family& one : families) {
    known.push_back(one.model_type);
    if (one.model_type == type.text) family = &one;
  }
  if (family == nullptr) {
    refuse_type(type, path, known, problems);
    return false;
  }
  Translation translation(config, path, problems);
  take_shape(translation, *family);
  take_experts(translation, *family);
  take_latent(translation, *family);
  translation.result.place = config.place;
  config = std::move(translation.result);
  return translation.complete;
}

}  // namespace orrery
