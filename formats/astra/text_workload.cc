#include "formats/astra/text_workload.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/config_error.h"
#include "core/base/edit_distance.h"

namespace orrery {

namespace {

constexpr std::size_t kMostDiagnostics = 20;

// Beyond these a sum or a conversion to picoseconds could leave 64 bits.
constexpr std::int64_t kLongestTime = 1'000'000'000'000;  // ns: 17 minutes
constexpr std::int64_t kLargestSize = 1'000'000'000'000;  // bytes: 1 TB
constexpr std::int64_t kMostLayers = 1'000'000;

struct PolicyWord {
  std::string_view word;
  std::optional<ParallelismPolicy> policy;  // none = known, not supported
};

constexpr std::array kPolicies = {
    PolicyWord{"DATA", ParallelismPolicy::data},
    PolicyWord{"MODEL", ParallelismPolicy::model},
    PolicyWord{"HYBRID_DATA_MODEL", ParallelismPolicy::hybrid_data_model},
    PolicyWord{"HYBRID_MODEL_DATA", ParallelismPolicy::hybrid_model_data},
    PolicyWord{"HYBRID_DLRM", ParallelismPolicy::hybrid_dlrm},
    PolicyWord{"HYBRID_DLRM_ENHANCED", ParallelismPolicy::hybrid_dlrm_enhanced},
    PolicyWord{"DISTRIBUTED_INFERENCE", ParallelismPolicy::distributed_inference},
    PolicyWord{"MICRO", ParallelismPolicy::micro},
    PolicyWord{"HYBRID_TRANSFORMER", ParallelismPolicy::hybrid_transformer},
    PolicyWord{"HYBRID_TRANSFORMER_FWD_IN_BCKWD", ParallelismPolicy::hybrid_transformer},
    PolicyWord{"HYBRID_CUSTOMIZED", std::nullopt},
};

struct CollectiveWord {
  std::string_view word;
  std::optional<Collective> collective;  // none = exchanges nothing
};

constexpr std::array kCollectives = {
    CollectiveWord{"NONE", std::nullopt},
    CollectiveWord{"ALLREDUCE", Collective::all_reduce},
    CollectiveWord{"ALLTOALL", Collective::all_to_all},
    CollectiveWord{"ALLGATHER", Collective::all_gather},
    CollectiveWord{"REDUCESCATTER", Collective::reduce_scatter},
    CollectiveWord{"BROADCAST", Collective::broadcast},
};

// What SimAI's files have behind a collective, the longer one first.
struct GroupSuffix {
  std::string_view suffix;
  PassGroup group;
};
constexpr std::array kSuffixes = {
    GroupSuffix{"_DP_EP", PassGroup::expert_data},
    GroupSuffix{"_EP", PassGroup::experts},
};

constexpr std::array<std::string_view, 12> kColumns = {
    "name",
    "dependency",
    "forward time",
    "forward collective",
    "forward size",
    "input-gradient time",
    "input-gradient collective",
    "input-gradient size",
    "weight-gradient time",
    "weight-gradient collective",
    "weight-gradient size",
    "update time",
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_printable(char c) { return c >= ' ' && c <= '~'; }

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (!is_printable(c) && c != '\t') c = '?';
  }
  return result;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t most = 40;
  if (text.size() <= most) return '"' + printable(text) + '"';
  return '"' + printable(text.substr(0, most)) + "...\"";
}

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

bool is_supported(const PolicyWord& policy) { return policy.policy.has_value(); }
bool is_supported(const CollectiveWord&) { return true; }

// "known: DATA, MODEL": what we can read.
template <class Words>
std::string known_words(const Words& words) {
  std::string list;
  for (const auto& word : words) {
    if (!is_supported(word)) continue;
    list += (list.empty() ? "known: " : ", ") + std::string(word.word);
  }
  return list;
}

// `did you mean MODEL? (known: ...)`, or only what is known when nothing is near.
template <class Words>
std::string suggestion(std::string_view word, const Words& words) {
  std::string_view nearest;
  std::size_t least = 4;  // this many letters wrong are no misspelling
  for (const auto& candidate : words) {
    const std::size_t length = candidate.word.size();
    if (word.size() > 2 * length) continue;
    const std::size_t distance = edit_distance(upper_case(word), candidate.word);
    if (distance < least && distance <= 1 + length / 3) least = distance, nearest = candidate.word;
  }
  if (nearest.empty()) return known_words(words);
  return "did you mean " + std::string(nearest) + "? (" + known_words(words) + ")";
}

struct Token {
  std::string_view text;
  int column;  // from 1
};

struct Line {
  std::string_view text;
  int number;  // from 1
  std::vector<Token> tokens;
};

std::vector<Token> split_tokens(std::string_view line) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && is_space(line[at])) ++at;
    if (at == line.size()) return tokens;
    const std::size_t begin = at;
    while (at < line.size() && !is_space(line[at])) ++at;
    tokens.push_back({line.substr(begin, at - begin), static_cast<int>(begin) + 1});
  }
}

// Without the blank ones.
std::vector<Line> split_lines(std::string_view text) {
  std::vector<Line> lines;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line{text.substr(0, end), number, split_tokens(text.substr(0, end))};
    if (!line.tokens.empty()) lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Where something more was expected.
int end_column(const Line& line) {
  const Token& last = line.tokens.back();
  return last.column + static_cast<int>(last.text.size());
}

class TextWorkloadReader {
 public:
  explicit TextWorkloadReader(std::string file_name) : file_name_(std::move(file_name)) {}

  LayerTable read(std::string_view text);

 private:
  // `column` 0 = the line as a whole.
  void problem(const Line& line, int column, std::string path, std::string what,
               std::string remedy);
  void throw_if_any();

  bool read_policy(const Line& line);
  void read_argument(const Line& line);
  void read_items(const Line& line);
  std::size_t read_item(const Line& line, std::size_t token);
  std::size_t read_layer_numbers(const Line& line, std::size_t token,
                                 std::vector<std::int32_t>& numbers);
  void check_layer_numbers(const Line& line);
  void read_layer_count(const Line& line);
  void read_layers(std::span<const Line> lines);
  void check_layer_count(const Line& count_line, std::span<const Line> lines);
  void check_last_bottom_layer(const Line& line);
  void read_layer(const Line& line);
  void check_name(const Line& line);
  PassSpec read_pass(const Line& line, std::size_t first_column);
  std::optional<std::int64_t> read_number(const Line& line, std::size_t token, std::string path,
                                          std::int64_t most, const std::string& remedy);
  Duration read_time(const Line& line, std::size_t column);
  Bytes read_size(const Line& line, std::size_t column);
  void read_collective(const Line& line, std::size_t column, PassSpec& pass);

  std::string file_name_;
  LayerTable table_;
  std::optional<std::int64_t> layer_count_, last_bottom_layer_;
  std::vector<Diagnostic> diagnostics_;
};

std::string path_of_column(std::size_t column) {
  return "column " + std::to_string(column + 1) + " (" + std::string(kColumns[column]) + ")";
}

bool takes_argument(ParallelismPolicy policy) {
  return policy == ParallelismPolicy::hybrid_dlrm ||
         policy == ParallelismPolicy::hybrid_dlrm_enhanced;
}

void TextWorkloadReader::problem(const Line& line, int column, std::string path, std::string what,
                                 std::string remedy) {
  constexpr int longest_excerpt = 200;
  if (diagnostics_.size() == kMostDiagnostics) return;
  Diagnostic diagnostic{.file = file_name_,
                        .line = line.number,
                        .column = column,
                        .path = std::move(path),
                        .what = std::move(what),
                        .remedy = std::move(remedy),
                        .source_line = {}};
  if (column <= longest_excerpt) {
    std::string_view text = line.text.substr(0, longest_excerpt);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    diagnostic.source_line = printable(text);
  }
  diagnostics_.push_back(std::move(diagnostic));
}

void TextWorkloadReader::throw_if_any() {
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
  if (!diagnostics_.empty()) throw ConfigError(std::move(diagnostics_));
}

LayerTable TextWorkloadReader::read(std::string_view text) {
  const std::vector<Line> lines = split_lines(text);
  const std::string form = "write a policy, the number of layers, and a line for each layer";
  if (lines.empty()) {
    problem({.text = {}, .number = 0, .tokens = {}}, 0, "", "the file is empty", form);
    throw_if_any();
  }
  // The rest of a file with a policy of another form says nothing to us.
  if (!read_policy(lines[0])) throw_if_any();
  if (lines.size() < 2) {
    problem(lines[0], end_column(lines[0]), "", "the file ends after its policy", form);
    throw_if_any();
  }
  read_layer_count(lines[1]);
  read_layers(lines);
  throw_if_any();
  return std::move(table_);
}

// False if the policy is one that we cannot read further.
bool TextWorkloadReader::read_policy(const Line& line) {
  const Token& word = line.tokens[0];
  const auto* known = std::find_if(kPolicies.begin(), kPolicies.end(),
                                   [&](const PolicyWord& p) { return p.word == word.text; });
  if (known == kPolicies.end()) {
    problem(line, word.column, "policy", quoted(word.text) + " is unknown",
            suggestion(word.text, kPolicies));
    return true;
  }
  if (!known->policy) {
    problem(line, word.column, "policy", std::string(word.text) + " is not supported yet",
            known_words(kPolicies));
    return false;
  }
  table_.policy = *known->policy;
  if (takes_argument(table_.policy)) {
    read_argument(line);
  } else if (table_.policy == ParallelismPolicy::hybrid_transformer) {
    read_items(line);
  } else if (line.tokens.size() > 1) {
    problem(line, line.tokens[1].column, "policy",
            quoted(line.tokens[1].text) + " follows " + std::string(word.text),
            "remove it: this policy takes no argument");
  }
  return true;
}

// "model_parallel_NPU_group: 8 ep: 1 ...", in any order; AICB's older files have fewer.
void TextWorkloadReader::read_items(const Line& line) {
  std::size_t token = 1;
  while (token < line.tokens.size()) token = read_item(line, token);
}

// Returns the token behind the item.
std::size_t TextWorkloadReader::read_item(const Line& line, std::size_t token) {
  TransformerGroups& groups = table_.groups;
  std::string_view key = line.tokens[token].text;
  if (key.ends_with(':')) key.remove_suffix(1);
  if (key == "checkpoints") return read_layer_numbers(line, token, groups.checkpoints);
  if (key == "checkpoint_initiates") return read_layer_numbers(line, token, groups.recomputed_at);
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
    problem(line, line.tokens[token].column, "policy", quoted(key) + " is unknown",
            "known: model_parallel_NPU_group, ep, pp, vpp, ga, all_gpus, pp_comm, checkpoints, "
            "checkpoint_initiates, each with a number");
    return line.tokens.size();
  }
  if (token + 1 == line.tokens.size()) {
    problem(line, end_column(line), std::string(key), "has no number", "write it behind the key");
    return line.tokens.size();
  }
  constexpr std::int64_t most_ranks = 1 << 24;
  const bool is_size = count == std::end(counts);
  const std::optional<std::int64_t> value =
      read_number(line, token + 1, std::string(key), is_size ? kLargestSize : most_ranks,
                  is_size ? "write bytes" : "write a number from 1 on");
  if (is_size)
    groups.between_stages = bytes(value.value_or(0));
  else if (value == 0)
    problem(line, line.tokens[token + 1].column, std::string(key), "is 0", "write 1 or more");
  else
    *count->second = static_cast<std::int32_t>(value.value_or(1));
  return token + 2;
}

// "checkpoints: 3 0 9 18": how many, and then the layers.
std::size_t TextWorkloadReader::read_layer_numbers(const Line& line, std::size_t token,
                                                   std::vector<std::int32_t>& numbers) {
  std::string key(line.tokens[token].text);
  if (key.ends_with(':')) key.pop_back();
  const std::string remedy = "write how many layers are listed, then their indices";
  const std::size_t end = line.tokens.size();
  if (token + 1 == end) {
    problem(line, end_column(line), key, "has no number", remedy);
    return end;
  }
  const auto count = read_number(line, token + 1, key, kMostLayers, remedy);
  if (!count) return end;
  if (static_cast<std::size_t>(*count) > end - token - 2) {
    problem(line, line.tokens[token + 1].column, key, "counts more layers than the line lists",
            remedy);
    return end;
  }
  for (std::int64_t i = 0; i < *count; ++i)
    if (const auto layer =
            read_number(line, token + 2 + static_cast<std::size_t>(i), key, kMostLayers, remedy))
      numbers.push_back(static_cast<std::int32_t>(*layer));
  std::ranges::sort(numbers);
  return token + 2 + static_cast<std::size_t>(*count);
}

void TextWorkloadReader::check_layer_numbers(const Line& line) {
  for (const auto* numbers : {&table_.groups.checkpoints, &table_.groups.recomputed_at})
    for (const std::int32_t number : *numbers)
      if (number >= *layer_count_)
        problem(line, line.tokens[0].column, "checkpoints",
                "name layer " + std::to_string(number) + " of " + std::to_string(*layer_count_),
                "layers count from 0");
}

void TextWorkloadReader::read_argument(const Line& line) {
  const std::string remedy =
      "write the index of the bottom MLP's last layer, layer 0 being the "
      "embedding, for example HYBRID_DLRM 4";
  if (line.tokens.size() < 2) {
    problem(line, end_column(line), "last bottom layer", "is missing", remedy);
    return;
  }
  last_bottom_layer_ = read_number(line, 1, "last bottom layer", kMostLayers, remedy);
  if (line.tokens.size() > 2) {
    problem(line, line.tokens[2].column, "policy",
            quoted(line.tokens[2].text) + " follows the argument",
            "remove it: this policy takes one argument");
  }
}

void TextWorkloadReader::read_layer_count(const Line& line) {
  const std::string remedy = "write how many layers follow, for example 8";
  if (line.tokens.size() >= kColumns.size()) {  // this is a layer
    problem(line, line.tokens[0].column, "number of layers", "is missing", remedy);
    return;
  }
  layer_count_ = read_number(line, 0, "number of layers", kMostLayers, remedy);
  if (layer_count_ == 0) {
    problem(line, line.tokens[0].column, "number of layers", "is 0", "write at least one layer");
    layer_count_.reset();
  }
  if (line.tokens.size() > 1) {
    problem(line, line.tokens[1].column, "number of layers",
            quoted(line.tokens[1].text) + " follows it",
            "remove it: the first layer is on the next line");
  }
}

void TextWorkloadReader::read_layers(std::span<const Line> lines) {
  const std::span<const Line> layers = lines.subspan(2);
  const std::size_t expected =
      layer_count_ ? static_cast<std::size_t>(*layer_count_) : layers.size();
  for (const Line& line : layers.first(std::min(expected, layers.size()))) read_layer(line);
  if (layer_count_) check_layer_count(lines[1], layers);
  if (layer_count_ && last_bottom_layer_) check_last_bottom_layer(lines[0]);
  if (layer_count_) check_layer_numbers(lines[0]);
}

void TextWorkloadReader::check_layer_count(const Line& count_line, std::span<const Line> layers) {
  const auto expected = static_cast<std::size_t>(*layer_count_);
  const std::string count = std::to_string(expected);
  const std::string found = std::to_string(layers.size());
  if (layers.size() < expected) {
    problem(count_line, count_line.tokens[0].column, "number of layers",
            "is " + count + ", but " + found + " follow",
            "write " + found + ", or add what is missing");
  } else if (layers.size() > expected) {
    problem(layers[expected], layers[expected].tokens[0].column, "",
            "a line after the last of " + count + " layers",
            "remove it, or write " + found + " in line " + std::to_string(count_line.number));
  }
}

// Behind the last bottom layer there must be a top layer: its input gradient is what the backward
// all-to-all carries, and ASTRA-sim silently leaves that out if there is none.
void TextWorkloadReader::check_last_bottom_layer(const Line& line) {
  if (*last_bottom_layer_ + 1 < *layer_count_) {
    table_.last_bottom_layer = static_cast<std::int32_t>(*last_bottom_layer_);
    return;
  }
  const std::string remedy =
      *layer_count_ < 2
          ? "add layers: a DLRM has an embedding and at least one top layer"
          : "write 0 to " + std::to_string(*layer_count_ - 2) + ", so that a top layer follows it";
  problem(line, line.tokens[1].column, "last bottom layer",
          "is " + std::to_string(*last_bottom_layer_) + " of " + std::to_string(*layer_count_) +
              " layers",
          remedy);
}

void TextWorkloadReader::read_layer(const Line& line) {
  const std::size_t count = line.tokens.size();
  if (count < kColumns.size()) {
    problem(line, end_column(line), path_of_column(count), "is missing",
            "a layer has 12 columns, this line has " + std::to_string(count));
    return;
  }
  if (count > kColumns.size()) {
    problem(line, line.tokens[kColumns.size()].column, "",
            quoted(line.tokens[kColumns.size()].text) + " is a 13th column",
            "a layer has 12 columns, this line has " + std::to_string(count));
    return;
  }
  check_name(line);
  LayerSpec layer;
  layer.name = std::string(line.tokens[0].text);
  layer.forward = read_pass(line, 2);
  layer.input_gradient = read_pass(line, 5);
  layer.weight_gradient = read_pass(line, 8);
  layer.update = read_time(line, 11);
  table_.layers.push_back(std::move(layer));
}

// A name goes into reports, and a column that has slipped into the place of the unused dependency
// is the first sign of a line that is not what it seems.
void TextWorkloadReader::check_name(const Line& line) {
  const Token& name = line.tokens[0];
  if (!std::all_of(name.text.begin(), name.text.end(), is_printable)) {
    problem(line, name.column, path_of_column(0),
            quoted(name.text) + " holds a byte that is not printable ASCII",
            "use letters, digits and punctuation");
  }
  std::string_view digits = line.tokens[1].text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    problem(line, line.tokens[1].column, path_of_column(1),
            quoted(line.tokens[1].text) + " is not a whole number",
            "write -1; the column is not used");
  }
}

PassSpec TextWorkloadReader::read_pass(const Line& line, std::size_t first_column) {
  PassSpec pass;
  pass.compute.measured = read_time(line, first_column);
  read_collective(line, first_column + 1, pass);
  pass.size = read_size(line, first_column + 2);
  return pass;
}

// A whole number from 0 to `most`; none, with a diagnostic, if the token is not one.
std::optional<std::int64_t> TextWorkloadReader::read_number(const Line& line, std::size_t token,
                                                            std::string path, std::int64_t most,
                                                            const std::string& remedy) {
  const auto [text, column] = line.tokens[token];
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  const bool is_number = stopped == end && error != std::errc::invalid_argument;
  std::string what;
  if (!is_number) {
    what = " is not a whole number";
  } else if (text.starts_with('-')) {
    what = " is negative";
  } else if (error == std::errc::result_out_of_range || value > most) {
    what = " is more than " + std::to_string(most);
  } else {
    return value;
  }
  problem(line, column, std::move(path), quoted(text) + what, remedy);
  return std::nullopt;
}

Duration TextWorkloadReader::read_time(const Line& line, std::size_t column) {
  return nanoseconds(read_number(line, column, path_of_column(column), kLongestTime,
                                 "write cycles of 1 ns, for example 2560")
                         .value_or(0));
}

Bytes TextWorkloadReader::read_size(const Line& line, std::size_t column) {
  return bytes(read_number(line, column, path_of_column(column), kLargestSize,
                           "write bytes, for example 524288")
                   .value_or(0));
}

void TextWorkloadReader::read_collective(const Line& line, std::size_t column, PassSpec& pass) {
  const Token& word = line.tokens[column];
  std::string_view kind = word.text;
  for (const GroupSuffix& known : kSuffixes) {
    if (!kind.ends_with(known.suffix)) continue;
    if (table_.policy != ParallelismPolicy::hybrid_transformer) break;
    kind.remove_suffix(known.suffix.size());
    pass.group = known.group;
    break;
  }
  const auto* known = std::find_if(kCollectives.begin(), kCollectives.end(),
                                   [&](const CollectiveWord& c) { return c.word == kind; });
  if (known != kCollectives.end()) {
    pass.collective = known->collective;
  } else if (word.text == "ALLREDUCEALLTOALL") {
    problem(line, word.column, path_of_column(column), "ALLREDUCEALLTOALL is not supported",
            "put the two collectives into two layers");
  } else {
    problem(line, word.column, path_of_column(column), quoted(word.text) + " is unknown",
            suggestion(word.text, kCollectives));
  }
}

}  // namespace

LayerTable parse_text_workload(std::string_view text, std::string file_name) {
  return TextWorkloadReader(std::move(file_name)).read(text);
}

}  // namespace orrery
