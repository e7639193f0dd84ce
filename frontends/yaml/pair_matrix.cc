#include "frontends/yaml/pair_matrix.h"

#include <fmt/format.h>

#include <sstream>
#include <variant>

#include "frontends/yaml/scalar_types.h"

namespace orrery::yaml {
namespace {

// Nothing but bytes and their units.
FromText<Bytes> size_in(std::string cell) {
  const std::size_t begin = cell.find_first_not_of(" \t");
  const std::size_t end = cell.find_last_not_of(" \t");
  cell = begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1);
  const bool digits = !cell.empty() && cell.find_first_not_of("0123456789") == std::string::npos;
  return ScalarType<Bytes>::parse(digits ? cell + " B" : cell);
}

}  // namespace

PairMatrix parse_pair_sizes(const std::string& text, const std::string& file_name) {
  std::istringstream stream(text);
  PairMatrix matrix;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    matrix.rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      const FromText<Bytes> size = size_in(cell);
      if (const auto* wrong = std::get_if<WrongText>(&size)) {
        matrix.wrong = fmt::format("{}:{}: {}", file_name, number, wrong->what);
        matrix.remedy = wrong->remedy;
        return matrix;
      }
      matrix.rows.back().push_back(std::get<Bytes>(size));
    }
  }
  return matrix;
}

}  // namespace orrery::yaml
