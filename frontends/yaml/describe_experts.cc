#include "frontends/yaml/describe_experts.h"

#include <fmt/format.h>

#include <sstream>
#include <variant>
#include <vector>

#include "core/base/io_error.h"

namespace orrery::yaml {

std::string_view name_of(ExpertDispatch dispatch) {
  return dispatch == ExpertDispatch::direct ? "direct" : "by_node";
}

void read_expert_trace(Reader& load, const std::string& path, std::int64_t experts,
                       ExpertLoadSpec& spec) {
  std::istringstream stream;
  try {
    stream.str(load.contents("file", path));
  } catch (const IoError& error) {
    return load.wrong("file", error.what(), "the path is relative to the file that names it");
  }
  int number = 0;
  const auto wrong = [&](std::string what, std::string remedy) {
    load.wrong("file", fmt::format("{}:{}: {}", path, number, what), std::move(remedy));
  };
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    std::vector<double>& row = spec.weights.emplace_back();
    double sum = 0;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      const std::size_t begin = cell.find_first_not_of(" \t");
      if (begin != std::string::npos)
        cell = cell.substr(begin, cell.find_last_not_of(" \t") - begin + 1);
      const FromText<double> value = ScalarType<double>::parse(cell);
      if (const auto* text = std::get_if<WrongText>(&value)) return wrong(text->what, text->remedy);
      row.push_back(std::get<double>(value));
      if (row.back() < 0) return wrong("a popularity below 0", "write shares or counts of tokens");
      sum += row.back();
    }
    if (static_cast<std::int64_t>(row.size()) != experts)
      return wrong(fmt::format("{} numbers for {} experts", row.size(), experts),
                   "a line has one for each expert");
    if (sum <= 0) return wrong("no expert is popular", "one number at least must be above 0");
  }
  if (spec.weights.empty())
    load.wrong("file", path + " has no lines", "a line has the popularity of each expert");
}

}  // namespace orrery::yaml
