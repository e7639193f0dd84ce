#include "formats/astra/text_policy.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/astra/text_words.h"

namespace orrery::astra {

namespace {

bool takes_argument(ParallelismPolicy policy) {
  return policy == ParallelismPolicy::hybrid_dlrm ||
         policy == ParallelismPolicy::hybrid_dlrm_enhanced;
}

// Reads what stands behind the policy.
class PolicyReader {
 public:
  PolicyReader(const Line& line, LineProblems& problems) : line_(line), problems_(problems) {}

  PolicyLine read(const PolicyWord& word);

 private:
  void problem(int column, std::string path, std::string what, std::string remedy) {
    problems_.add(line_, column, std::move(path), std::move(what), std::move(remedy));
  }
  void read_argument();
  void read_items();
  std::size_t read_item(std::size_t token);
  std::size_t read_layer_numbers(std::size_t token, std::vector<std::int32_t>& numbers);

  const Line& line_;
  LineProblems& problems_;
  PolicyLine result_;
};

PolicyLine PolicyReader::read(const PolicyWord& word) {
  result_.policy = word.policy;
  if (takes_argument(result_.policy)) {
    read_argument();
  } else if (result_.policy == ParallelismPolicy::hybrid_transformer) {
    read_items();
  } else if (line_.tokens.size() > 1) {
    problem(line_.tokens[1].column, "policy",
            quoted(line_.tokens[1].text) + " follows " + std::string(word.word),
            "remove it: this policy takes no argument");
  }
  return std::move(result_);
}

// "model_parallel_NPU_group: 8 ep: 1 ...", in any order; AICB's older files have fewer.
void PolicyReader::read_items() {
  std::size_t token = 1;
  while (token < line_.tokens.size()) token = read_item(token);
}

// Returns the token behind the item.
std::size_t PolicyReader::read_item(std::size_t token) {
  TransformerGroups& groups = result_.groups;
  std::string_view key = line_.tokens[token].text;
  if (key.ends_with(':')) key.remove_suffix(1);
  if (key == "checkpoints") return read_layer_numbers(token, groups.checkpoints);
  if (key == "checkpoint_initiates") return read_layer_numbers(token, groups.recomputed_at);
  const std::pair<std::string_view, std::int32_t*> counts[] = {
      {"model_parallel_NPU_group", &groups.tensor},
      {"ep", &groups.experts},
      {"pp", &groups.stages},
      {"vpp", &groups.virtual_stages},
      {"ga", &groups.micro_batches},
      {"all_gpus", &groups.ranks}};
  const auto* count =
      std::ranges::find(counts, key, &std::pair<std::string_view, std::int32_t*>::first);
  if (count == std::end(counts) && key != "pp_comm") {
    problem(line_.tokens[token].column, "policy", quoted(key) + " is unknown",
            "known: model_parallel_NPU_group, ep, pp, vpp, ga, all_gpus, pp_comm, checkpoints, "
            "checkpoint_initiates, each with a number");
    return line_.tokens.size();
  }
  if (token + 1 == line_.tokens.size()) {
    problem(end_column(line_), std::string(key), "has no number", "write it behind the key");
    return line_.tokens.size();
  }
  constexpr std::int64_t most_ranks = 1 << 24;
  const bool is_size = count == std::end(counts);
  const std::optional<std::int64_t> value =
      problems_.read_number(line_, token + 1, std::string(key), is_size ? kLargestSize : most_ranks,
                            is_size ? "write bytes" : "write a number from 1 on");
  if (is_size)
    groups.between_stages = bytes(value.value_or(0));
  else if (value == 0)
    problem(line_.tokens[token + 1].column, std::string(key), "is 0", "write 1 or more");
  else
    *count->second = static_cast<std::int32_t>(value.value_or(1));
  return token + 2;
}

// "checkpoints: 3 0 9 18": how many, and then the layers.
std::size_t PolicyReader::read_layer_numbers(std::size_t token,
                                             std::vector<std::int32_t>& numbers) {
  std::string key(line_.tokens[token].text);
  if (key.ends_with(':')) key.pop_back();
  const std::string remedy = "write how many layers are listed, then their indices";
  const std::size_t end = line_.tokens.size();
  if (token + 1 == end) {
    problem(end_column(line_), key, "has no number", remedy);
    return end;
  }
  const auto count = problems_.read_number(line_, token + 1, key, kMostLayers, remedy);
  if (!count) return end;
  if (static_cast<std::size_t>(*count) > end - token - 2) {
    problem(line_.tokens[token + 1].column, key, "counts more layers than the line lists", remedy);
    return end;
  }
  for (std::int64_t i = 0; i < *count; ++i)
    if (const auto layer = problems_.read_number(line_, token + 2 + static_cast<std::size_t>(i),
                                                 key, kMostLayers, remedy))
      numbers.push_back(static_cast<std::int32_t>(*layer));
  std::ranges::sort(numbers);
  return token + 2 + static_cast<std::size_t>(*count);
}

void PolicyReader::read_argument() {
  const std::string remedy =
      "write the index of the bottom MLP's last layer, layer 0 being the "
      "embedding, for example HYBRID_DLRM 4";
  if (line_.tokens.size() < 2) {
    problem(end_column(line_), "last bottom layer", "is missing", remedy);
    return;
  }
  result_.last_bottom_layer =
      problems_.read_number(line_, 1, "last bottom layer", kMostLayers, remedy);
  if (line_.tokens.size() > 2) {
    problem(line_.tokens[2].column, "policy",
            quoted(line_.tokens[2].text) + " follows the argument",
            "remove it: this policy takes one argument");
  }
}

}  // namespace

PolicyLine read_policy(const Line& line, LineProblems& problems) {
  const Token& word = line.tokens[0];
  const PolicyWord* known = find_policy(word.text);
  if (known == nullptr) {
    problems.add(line, word.column, "policy", quoted(word.text) + " is unknown",
                 suggest_policy(word.text));
    return {};
  }
  return PolicyReader(line, problems).read(*known);
}

}  // namespace orrery::astra
