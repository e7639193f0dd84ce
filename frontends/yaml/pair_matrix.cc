#include "frontends/yaml/pair_matrix.h"

#include <fmt/format.h>

#include <variant>

#include "formats/input/comma_lines.h"
#include "frontends/yaml/scalar_types.h"

namespace orrery::yaml {

PairMatrix parse_pair_sizes(const std::string& text, const std::string& file_name) {
  PairMatrix matrix;
  CommaLines lines(text);
  while (lines.next()) {
    std::vector<Bytes>& row = matrix.rows.emplace_back();
    for (const std::string& cell : lines.cells()) {
      const FromText<Bytes> size = parse_size(cell);
      if (const auto* wrong = std::get_if<WrongText>(&size)) {
        matrix.wrong = fmt::format("{}:{}: {}", file_name, lines.number(), wrong->what);
        matrix.remedy = wrong->remedy;
        return matrix;
      }
      row.push_back(std::get<Bytes>(size));
    }
  }
  return matrix;
}

}  // namespace orrery::yaml
