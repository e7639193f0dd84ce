// What `orrery search` found, as text, JSON, CSV and a picture. Fields and columns are a contract:
// docs/results.md.
#pragma once

#include <cstddef>
#include <string>

#include "simulation/search/search.h"

namespace orrery {

// Every fitting choice with its memory, the emptiest first, as a table; and what did not fit.
std::string what_fits_text(const FittingChoices& choices);

// The counts, the `top` fastest rows and the Pareto set.
std::string search_text(const SearchResult& result, std::size_t top);
std::string search_json(const SearchResult& result, std::size_t top);
// Every row.
std::string search_csv(const SearchResult& result);
// SVG: time over memory of every row, the Pareto set and what was simulated marked.
std::string search_picture(const SearchResult& result);

}  // namespace orrery
