#include "formats/astra/text_layers.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "formats/astra/text_words.h"

namespace orrery::astra {

namespace {

constexpr std::array<std::string_view, kLayerColumns + 1> kColumns = {
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
    "policy",
};

std::string path_of_column(std::size_t column) {
  return "column " + std::to_string(column + 1) + " (" + std::string(kColumns[column]) + ")";
}

class LayerReader {
 public:
  LayerReader(const Line& line, ParallelismPolicy policy, LineProblems& problems)
      : line_(line), policy_(policy), problems_(problems) {}

  std::optional<LayerSpec> read();

 private:
  void problem(int column, std::string path, std::string what, std::string remedy) {
    problems_.add(line_, column, std::move(path), std::move(what), std::move(remedy));
  }
  void check_name();
  void read_policy(LayerSpec& layer);
  PassSpec read_pass(std::size_t first_column);
  Duration read_time(std::size_t column);
  Bytes read_size(std::size_t column);
  void read_collective(std::size_t column, PassSpec& pass);

  const Line& line_;
  ParallelismPolicy policy_;
  LineProblems& problems_;
};

std::optional<LayerSpec> LayerReader::read() {
  const bool has_policy = policy_ == ParallelismPolicy::hybrid_customized;
  const std::size_t count = line_.tokens.size(), columns = kLayerColumns + (has_policy ? 1 : 0);
  const std::string remedy =
      "a layer has " + std::to_string(columns) + " columns, this line has " + std::to_string(count);
  if (count < columns) {
    problem(end_column(line_), path_of_column(count), "is missing", remedy);
    return std::nullopt;
  }
  if (count > columns) {
    const Token& more = line_.tokens[columns];
    problem(more.column, "",
            quoted(more.text) + " is a " + std::to_string(columns + 1) + "th column", remedy);
    return std::nullopt;
  }
  check_name();
  LayerSpec layer;
  layer.name = std::string(line_.tokens[0].text);
  layer.forward = read_pass(2);
  layer.input_gradient = read_pass(5);
  layer.weight_gradient = read_pass(8);
  layer.update = read_time(11);
  if (has_policy) read_policy(layer);
  return layer;
}

void LayerReader::read_policy(LayerSpec& layer) {
  const Token& word = line_.tokens[kLayerColumns];
  if (const PolicyWord* known = find_layer_policy(word.text))
    layer.policy = known->policy;
  else
    problem(word.column, path_of_column(kLayerColumns), quoted(word.text) + " is unknown",
            suggest_layer_policy(word.text));
}

// A name goes into reports, and a column that has slipped into the place of the unused dependency
// is the first sign of a line that is not what it seems.
void LayerReader::check_name() {
  const Token& name = line_.tokens[0];
  if (!std::all_of(name.text.begin(), name.text.end(), is_printable)) {
    problem(name.column, path_of_column(0),
            quoted(name.text) + " holds a byte that is not printable ASCII",
            "use letters, digits and punctuation");
  }
  std::string_view digits = line_.tokens[1].text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    problem(line_.tokens[1].column, path_of_column(1),
            quoted(line_.tokens[1].text) + " is not a whole number",
            "write -1; the column is not used");
  }
}

PassSpec LayerReader::read_pass(std::size_t first_column) {
  PassSpec pass;
  pass.compute.measured = read_time(first_column);
  read_collective(first_column + 1, pass);
  pass.size = read_size(first_column + 2);
  return pass;
}

Duration LayerReader::read_time(std::size_t column) {
  return nanoseconds(problems_
                         .read_number(line_, column, path_of_column(column), kLongestTime,
                                      "write cycles of 1 ns, for example 2560")
                         .value_or(0));
}

Bytes LayerReader::read_size(std::size_t column) {
  return bytes(problems_
                   .read_number(line_, column, path_of_column(column), kLargestSize,
                                "write bytes, for example 524288")
                   .value_or(0));
}

void LayerReader::read_collective(std::size_t column, PassSpec& pass) {
  const Token& word = line_.tokens[column];
  std::string_view kind = word.text;
  if (policy_ == ParallelismPolicy::hybrid_transformer) pass.group = take_group(kind);
  if (const CollectiveWord* known = find_collective(kind)) {
    pass.collective = known->collective;
  } else if (word.text == "ALLREDUCEALLTOALL") {
    problem(word.column, path_of_column(column), "ALLREDUCEALLTOALL is not supported",
            "put the two collectives into two layers");
  } else {
    problem(word.column, path_of_column(column), quoted(word.text) + " is unknown",
            suggest_collective(word.text));
  }
}

}  // namespace

std::optional<LayerSpec> read_layer(const Line& line, ParallelismPolicy policy,
                                    LineProblems& problems) {
  return LayerReader(line, policy, problems).read();
}

}  // namespace orrery::astra
