#include "formats/astra/text_workload.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "formats/astra/text_layers.h"
#include "formats/astra/text_lines.h"
#include "formats/astra/text_policy.h"
#include "formats/astra/text_words.h"

namespace orrery {

namespace {

using astra::Line;

class TextWorkloadReader {
 public:
  explicit TextWorkloadReader(std::string file_name) : problems_(std::move(file_name)) {}

  LayerTable read(std::string_view text);

 private:
  void problem(const Line& line, int column, std::string path, std::string what,
               std::string remedy) {
    problems_.add(line, column, std::move(path), std::move(what), std::move(remedy));
  }
  void read_layer_count(const Line& line);
  void read_layers(std::span<const Line> lines);
  void check_layer_count(const Line& count_line, std::span<const Line> lines);
  void check_last_bottom_layer(const Line& line);
  void check_layer_numbers(const Line& line);

  astra::LineProblems problems_;
  LayerTable table_;
  std::optional<std::int64_t> layer_count_, last_bottom_layer_;
};

LayerTable TextWorkloadReader::read(std::string_view text) {
  const std::vector<Line> lines = astra::split_lines(text);
  const std::string form = "write a policy, the number of layers, and a line for each layer";
  if (lines.empty()) {
    problem({.text = {}, .number = 0, .tokens = {}}, 0, "", "the file is empty", form);
    problems_.throw_if_any();
  }
  astra::PolicyLine policy = astra::read_policy(lines[0], problems_);
  if (lines.size() < 2) {
    problem(lines[0], astra::end_column(lines[0]), "", "the file ends after its policy", form);
    problems_.throw_if_any();
  }
  table_.policy = policy.policy;
  table_.groups = std::move(policy.groups);
  last_bottom_layer_ = policy.last_bottom_layer;
  read_layer_count(lines[1]);
  read_layers(lines);
  problems_.throw_if_any();
  return std::move(table_);
}

void TextWorkloadReader::read_layer_count(const Line& line) {
  const std::string remedy = "write how many layers follow, for example 8";
  if (line.tokens.size() >= astra::kLayerColumns) {  // this is a layer
    problem(line, line.tokens[0].column, "number of layers", "is missing", remedy);
    return;
  }
  layer_count_ = problems_.read_number(line, 0, "number of layers", astra::kMostLayers, remedy);
  if (layer_count_ == 0) {
    problem(line, line.tokens[0].column, "number of layers", "is 0", "write at least one layer");
    layer_count_.reset();
  }
  if (line.tokens.size() > 1) {
    problem(line, line.tokens[1].column, "number of layers",
            astra::quoted(line.tokens[1].text) + " follows it",
            "remove it: the first layer is on the next line");
  }
}

void TextWorkloadReader::read_layers(std::span<const Line> lines) {
  const std::span<const Line> layers = lines.subspan(2);
  const std::size_t expected =
      layer_count_ ? static_cast<std::size_t>(*layer_count_) : layers.size();
  for (const Line& line : layers.first(std::min(expected, layers.size())))
    if (std::optional<LayerSpec> layer = astra::read_layer(line, table_.policy, problems_))
      table_.layers.push_back(std::move(*layer));
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

void TextWorkloadReader::check_layer_numbers(const Line& line) {
  for (const auto* numbers : {&table_.groups.checkpoints, &table_.groups.recomputed_at})
    for (const std::int32_t number : *numbers)
      if (number >= *layer_count_)
        problem(line, line.tokens[0].column, "checkpoints",
                "name layer " + std::to_string(number) + " of " + std::to_string(*layer_count_),
                "layers count from 0");
}

}  // namespace

LayerTable parse_text_workload(std::string_view text, std::string file_name) {
  return TextWorkloadReader(std::move(file_name)).read(text);
}

}  // namespace orrery
