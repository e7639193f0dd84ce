#include "formats/import/import_megatron.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/config_error.h"
#include "core/base/quoted.h"
#include "formats/import/launch_line.h"
#include "formats/import/megatron_arguments.h"

namespace orrery {

namespace {

// Keys of the workload in the order in which they were set first.
class Workload {
 public:
  void set(const std::string& key, const std::string& value, const std::string& comment = "") {
    const auto found =
        std::ranges::find_if(lines_, [&](const Line& line) { return line.key == key; });
    if (found == lines_.end())
      lines_.push_back({key, value, comment});
    else
      *found = {key, value, comment};
  }
  void set(const std::string& key, std::int64_t value, const std::string& comment = "") {
    set(key, std::to_string(value), comment);
  }
  void remove(std::string_view key) {
    std::erase_if(lines_, [&](const Line& line) { return line.key.starts_with(key); });
  }

  std::string yaml() const { return "workload:\n" + section("transformer") + section("training"); }

 private:
  struct Line {
    std::string key, value, comment;
  };

  // The keys below `name`; those of a map in it where its first one stands.
  std::string section(const std::string& name, const std::string& indent = "  ") const {
    std::string text = fmt::format("{}{}:\n", indent, name.substr(name.rfind('.') + 1));
    std::set<std::string> maps;
    for (const Line& line : lines_) {
      if (!line.key.starts_with(name + '.')) continue;
      const std::string key = line.key.substr(name.size() + 1);
      if (const std::size_t dot = key.find('.'); dot != std::string::npos) {
        const std::string map = name + '.' + key.substr(0, dot);
        if (maps.insert(map).second) text += section(map, indent + "  ");
        continue;
      }
      text += fmt::format("{}  {}: {}", indent, key, line.value);
      text += line.comment.empty() ? "\n" : fmt::format("  # {}\n", line.comment);
    }
    return text;
  }

  std::vector<Line> lines_;
};

class Megatron {
 public:
  Megatron(const MegatronArguments& arguments, const MegatronOptions& options, Imported& notes)
      : given_(arguments), options_(options), notes_(notes) {}

  std::string yaml(const std::string& file) {
    for (const MegatronFlag& flag : megatron_flags()) {
      if (!given_.has(flag.name)) continue;
      if (flag.use == FlagUse::number) workload_.set(flag.key, *given_.number(flag.name));
      if (flag.use == FlagUse::on) workload_.set(flag.key, "true");
    }
    for (const char* flag : {"num-layers", "hidden-size", "num-attention-heads", "seq-length"})
      if (!given_.has(flag)) given_.refuse(flag, "the launch line does not say it", "add it");
    find_ranks();
    shape();
    attention();
    experts();
    types();
    parallelism();
    pipeline();
    recomputation();
    sharding();
    batch();
    return head(file) + workload_.yaml();
  }

 private:
  std::int64_t size(const char* flag) const { return given_.number(flag, 1).value_or(1); }

  void assume(const std::string& key, const std::string& value, const std::string& because) {
    workload_.set(key, value, "assumed: " + because);
    notes_.assumed.push_back(fmt::format("{}: {}, {}", key, value, because));
  }

  std::string head(const std::string& file) const {
    std::string text = fmt::format("# From {} by `orrery import megatron`.\n", printable(file, 60));
    if (!options_.platform.empty()) {
      const std::string ranks = ranks_ ? fmt::format(", ranks: {}", *ranks_) : "";
      return text + fmt::format("platform: {{file: {}{}}}\n", options_.platform, ranks);
    }
    if (ranks_) text += fmt::format("# For a platform of {} NPUs.\n", *ranks_);
    return text;
  }

  void find_ranks() {
    ranks_ = options_.ranks ? options_.ranks : given_.processes();
    if (!ranks_) return;
    const std::int64_t replica = size("tensor-model-parallel-size") *
                                 size("pipeline-model-parallel-size") *
                                 size("context-parallel-size");
    if (*ranks_ % replica != 0)
      given_.refuse("tensor-model-parallel-size",
                    fmt::format("{} processes are no multiple of {}, the ranks of a replica",
                                *ranks_, replica),
                    "give the right number with --ranks");
    data_ = *ranks_ / replica;
  }

  void shape() {
    const std::int64_t hidden = *given_.number("hidden-size", 1);
    const std::int64_t heads = *given_.number("num-attention-heads", 1);
    if (hidden % heads != 0 && !given_.has("kv-channels") && !given_.has("multi-latent-attention"))
      given_.refuse("num-attention-heads",
                    fmt::format("a hidden size of {} does not divide into {} heads", hidden, heads),
                    "write another number, or --kv-channels");
    if (given_.has("swiglu") && !given_.has("ffn-hidden-size")) {
      constexpr std::int64_t multiple = 64;
      const std::int64_t width = hidden * 4 * 2 / 3 / multiple * multiple;
      assume("transformer.feed_forward", std::to_string(width), "Megatron-LM's default of swiglu");
    }
    if (given_.has("untie-embeddings-and-output-weights"))
      workload_.set("transformer.tied_embeddings", "false");
    vocabulary();
    const std::string backend = given_.word("attention-backend");
    if (backend == "unfused" || backend == "local")
      workload_.set("transformer.attention", "unfused");
  }

  void vocabulary() {
    if (const auto padded = given_.number("padded-vocab-size", 1))
      return workload_.set("transformer.vocabulary", *padded);
    constexpr std::int64_t gpt2 = 50'257;
    std::optional<std::int64_t> words = given_.number("vocab-size", 1);
    if (!words) words = options_.vocabulary;
    const bool is_gpt2 = !words && given_.word("tokenizer-type") == "GPT2BPETokenizer";
    if (is_gpt2) words = gpt2;
    if (!words)
      given_.refuse("vocab-size", "the launch line does not say how many words the tokenizer has",
                    "give the number with --vocabulary N");
    const std::int64_t multiple = given_.number("make-vocab-size-divisible-by", 1).value_or(128) *
                                  size("tensor-model-parallel-size");
    const std::int64_t padded = (*words + multiple - 1) / multiple * multiple;
    if (is_gpt2)
      return assume("transformer.vocabulary", std::to_string(padded),
                    fmt::format("{} words of the tokenizer, padded", gpt2));
    workload_.set("transformer.vocabulary", padded,
                  padded == *words ? "" : fmt::format("{} padded", *words));
  }

  void attention() {
    if (given_.has("multi-latent-attention")) {
      workload_.remove("transformer.head_dimension");
      const auto at_first = [&](const char* flag, const char* key, const char* value) {
        if (!given_.has(flag)) assume(key, value, "Megatron-LM's default");
      };
      at_first("kv-lora-rank", "transformer.latent_attention.key_value_rank", "32");
      at_first("qk-head-dim", "transformer.latent_attention.plain", "128");
      at_first("qk-pos-emb-head-dim", "transformer.latent_attention.rotary", "64");
      at_first("v-head-dim", "transformer.latent_attention.value", "128");
      return;
    }
    workload_.remove("transformer.latent_attention.");
    if (given_.has("group-query-attention"))
      workload_.set("transformer.key_value_heads",
                    given_.number("num-query-groups", 1).value_or(1));
  }

  void experts() {
    if (given_.number("num-experts").value_or(0) == 0) {
      workload_.remove("transformer.experts.");
      for (const char* key :
           {"expert", "expert_tensor", "overlap_shared_experts", "overlap_experts"})
        workload_.remove(std::string("training.") + key);
      return;
    }
    if (!given_.has("moe-router-topk"))
      assume("transformer.experts.top_k", "2", "Megatron-LM's default");
    if (given_.has("moe-shared-expert-intermediate-size")) {
      workload_.set("transformer.experts.shared", 1);
      workload_.set("training.overlap_shared_experts",
                    given_.has("moe-shared-expert-overlap") ? "true" : "false");
    }
    expert_layers();
    const std::int64_t tensor = size("tensor-model-parallel-size");
    if (!given_.has("expert-tensor-parallel-size") && tensor > 1)
      assume("training.expert_tensor", std::to_string(tensor),
             "Megatron-LM's default is tensor-model-parallel-size");
    if (const std::string factor = given_.word("moe-expert-capacity-factor"); !factor.empty())
      workload_.set("training.expert_capacity", factor);
    if (given_.has("moe-pad-expert-input-to-capacity"))
      workload_.set("training.capacity_mode", "pad");
  }

  // A number, or the Python list ([0]*3+[1]*58).
  void expert_layers() {
    const std::string text = given_.word("moe-layer-freq");
    if (text.empty()) return;
    std::int64_t first = 0, rest = 0;
    const char* end = text.data() + text.size();
    if (const auto [stop, error] = std::from_chars(text.data(), end, first);
        error == std::errc() && stop == end && first >= 1)
      return workload_.set("transformer.experts.every", first);
    std::string plain;
    for (const char c : text)
      if (std::string_view(" ()").find(c) == std::string_view::npos) plain += c;
    const std::size_t plus = plain.find("+[1]*");
    if (plain.starts_with("[0]*") && plus != std::string::npos) {
      const char* begin = plain.data() + 4;
      const char* middle = plain.data() + plus;
      const auto dense = std::from_chars(begin, middle, first);
      const auto others = std::from_chars(middle + 5, plain.data() + plain.size(), rest);
      if (dense.ptr == middle && others.ptr == plain.data() + plain.size() &&
          first + rest == *given_.number("num-layers"))
        return workload_.set("transformer.experts.first_dense", first);
    }
    given_.refuse("moe-layer-freq", in_quotes(text) + " cannot be said by an experiment",
                  "write a number, or ([0]*A+[1]*B) with A + B layers");
  }

  void types() {
    const bool bf16 = given_.has("bf16"), fp16 = given_.has("fp16");
    workload_.set("transformer.data_type", bf16 ? "bf16" : fp16 ? "fp16" : "fp32");
    if (given_.has("fp8-format") || given_.has("fp8-hybrid") || given_.has("fp8-e4m3"))
      workload_.set("transformer.eight_bit_products", "true");
    const bool sums_in_fp32 = given_.has("accumulate-allreduce-grads-in-fp32") || !fp16;
    gradients_ = given_.has("grad-reduce-in-bf16") ? "bf16" : sums_in_fp32 ? "fp32" : "fp16";
    workload_.set("transformer.gradient_type", gradients_);
  }

  void parallelism() {
    if (data_) workload_.set("training.data", *data_);
    const std::string method = given_.word("cp-comm-type");
    const std::pair<const char*, const char*> methods[] = {{"p2p", "ring"},
                                                           {"all_gather", "all_gather"},
                                                           {"a2a", "ulysses"},
                                                           {"a2a+p2p", "ulysses_ring"}};
    const auto* known =
        std::ranges::find_if(methods, [&](const auto& entry) { return method == entry.first; });
    if (!method.empty() && known == std::end(methods))
      given_.refuse("cp-comm-type", in_quotes(method) + " is not known",
                    "write p2p, all_gather, a2a or a2a+p2p");
    if (!method.empty()) workload_.set("training.context_method", known->second);
    if (method == "a2a+p2p")
      workload_.set("training.context_inner",
                    given_.number("hierarchical-context-parallel-sizes", 1).value_or(1));
    if (given_.has("use-tp-pp-dp-mapping")) workload_.set("training.order", "tp-cp-ep-pp-dp");
  }

  void pipeline() {
    const std::int64_t stages = size("pipeline-model-parallel-size");
    const bool embedding = given_.has("account-for-embedding-in-pipeline-split");
    const bool loss = given_.has("account-for-loss-in-pipeline-split");
    if (embedding && loss) workload_.set("training.embedding_and_loss_take_a_layer", "true");
    if (embedding != loss)
      given_.refuse(embedding ? "account-for-embedding-in-pipeline-split"
                              : "account-for-loss-in-pipeline-split",
                    "one of the two ends alone counts as a layer, which no experiment can say",
                    "give both options, or none of them");
    std::int64_t chunks = size("num-virtual-stages-per-pipeline-rank");
    if (const auto layers = given_.number("num-layers-per-virtual-pipeline-stage", 1)) {
      const std::int64_t all = *given_.number("num-layers") + (embedding ? 2 : 0);
      if (all % (stages * *layers) != 0)
        given_.refuse("num-layers-per-virtual-pipeline-stage",
                      fmt::format("{} layers do not divide into {} stages of parts of {}", all,
                                  stages, *layers),
                      "Megatron-LM refuses this, too");
      chunks = all / stages / *layers;
    }
    workload_.remove("training.chunks");
    if (chunks > 1) {
      workload_.set("training.schedule", "interleaved");
      workload_.set("training.chunks", chunks);
    }
    if (given_.has("overlap-p2p-communication")) workload_.set("training.overlap_p2p", "true");
    if (given_.has("no-overlap-p2p-communication")) workload_.set("training.overlap_p2p", "false");
  }

  void recomputation() {
    const std::string granularity = given_.word("recompute-granularity");
    if (granularity == "full") {
      workload_.set("training.recompute", "full");
      if (given_.word("recompute-method") == "block")
        workload_.set("training.recompute_layers",
                      given_.number("recompute-num-layers").value_or(1));
    } else if (granularity == "selective" || given_.has("recompute-activations")) {
      workload_.set("training.recompute", "selective");
    } else if (!granularity.empty()) {
      given_.refuse("recompute-granularity", in_quotes(granularity) + " is not known",
                    "write full or selective");
    }
  }

  void sharding() {
    const std::string fsdp = given_.word("data-parallel-sharding-strategy");
    if (given_.has("use-torch-fsdp2") || fsdp == "optim_grads_params")
      workload_.set("training.sharding", "zero3");
    else if (fsdp == "optim_grads")
      workload_.set("training.sharding", "zero2");
    else if (given_.has("use-distributed-optimizer") || fsdp == "optim")
      workload_.set("training.sharding", "zero1");
    if (!given_.has("overlap-grad-reduce"))
      assume("training.overlap_gradients", "false", "the launch line has no --overlap-grad-reduce");
    if (const auto elements = given_.number("ddp-bucket-size", 1))
      workload_.set("training.bucket",
                    fmt::format("{} B", *elements * (gradients_ == "fp32" ? 4 : 2)));
  }

  void batch() {
    if (given_.has("global-batch-size")) {
      const std::int64_t all = *given_.number("global-batch-size", 1);
      const std::int64_t step = size("micro-batch-size") * data_.value_or(1);
      if (all % step != 0)
        given_.refuse("global-batch-size",
                      fmt::format("{} does not divide into micro-batches of {} on {} replicas", all,
                                  size("micro-batch-size"), data_.value_or(1)),
                      "write a multiple of " + std::to_string(step));
      return;
    }
    if (!data_)
      given_.refuse("global-batch-size", "the launch line does not say it",
                    "add it; or give the number of processes with --ranks, of which it follows");
    assume("training.global_batch", std::to_string(size("micro-batch-size") * *data_),
           "a micro-batch of each replica, as in Megatron-LM");
  }

  const MegatronArguments& given_;
  const MegatronOptions& options_;
  Imported& notes_;
  Workload workload_;
  std::optional<std::int64_t> ranks_, data_;
  std::string gradients_;
};

}  // namespace

Imported import_megatron(const std::string& file, const std::string& text,
                         const MegatronOptions& options) {
  const LaunchLine line =
      launch_line(file, text, {"--num-layers", "--hidden-size", "--tensor-model-parallel-size"},
                  options.variables);
  if (line.words.empty())
    throw ConfigError({.file = file,
                       .what = "there is no launch line of Megatron-LM",
                       .remedy = "name a script with a command that has --num-layers and "
                                 "--hidden-size, or a list of its arguments in JSON"});
  Imported imported;
  if (line.has_branches)
    imported.assumed.emplace_back(
        "all branches of the script's conditions are read, in their "
        "order");
  const MegatronArguments arguments(file, line, imported);
  imported.yaml = Megatron(arguments, options, imported).yaml(file);
  return imported;
}

}  // namespace orrery
