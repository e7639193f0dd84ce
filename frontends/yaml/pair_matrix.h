// A table of sizes from a CSV file: what each rank of an all_to_allv sends to each other one.
#pragma once

#include <string>
#include <vector>

#include "core/units/units.h"

namespace orrery::yaml {

struct PairMatrix {
  std::vector<std::vector<Bytes>> rows;
  std::string wrong, remedy;  // "" if nothing is wrong with the file
};

// A line for each rank (CommaLines), of sizes with a unit or whole numbers of bytes.
PairMatrix parse_pair_sizes(const std::string& text, const std::string& file_name);

}  // namespace orrery::yaml
