#include "frontends/yaml/describe_experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include "formats/input/comma_lines.h"

namespace orrery::yaml {

std::string_view name_of(ExpertDispatch dispatch) {
  return dispatch == ExpertDispatch::direct ? "direct" : "by_node";
}

namespace {

// The popularity of each expert, or what is wrong with the line.
std::variant<std::vector<double>, WrongText> weights_of(const std::vector<std::string>& cells,
                                                        std::int64_t experts) {
  std::vector<double> weights;
  for (const std::string& cell : cells) {
    FromText<double> value = ScalarType<double>::parse(cell);
    if (auto* wrong = std::get_if<WrongText>(&value)) return std::move(*wrong);
    weights.push_back(std::get<double>(value));
    if (weights.back() < 0)
      return WrongText{"a popularity below 0", "write shares or counts of tokens"};
  }
  if (std::ssize(weights) != experts)
    return WrongText{fmt::format("{} numbers for {} experts", weights.size(), experts),
                     "a line has one for each expert"};
  if (std::ranges::all_of(weights, [](double weight) { return weight == 0; }))
    return WrongText{"no expert is popular", "one number at least must be above 0"};
  return weights;
}

}  // namespace

void read_expert_trace(Reader& load, const std::string& path, std::int64_t experts,
                       ExpertLoadSpec& spec) {
  const std::string* text = load.contents("file", path);
  if (text == nullptr) return;
  CommaLines lines(*text);
  while (lines.next()) {
    auto weights = weights_of(lines.cells(), experts);
    if (const auto* wrong = std::get_if<WrongText>(&weights))
      return load.wrong("file", fmt::format("{}:{}: {}", path, lines.number(), wrong->what),
                        wrong->remedy);
    spec.weights.push_back(std::get<std::vector<double>>(std::move(weights)));
  }
  if (spec.weights.empty())
    load.wrong("file", path + " has no lines", "a line has the popularity of each expert");
}

}  // namespace orrery::yaml
