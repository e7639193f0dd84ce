// A field of cells, darker for more. Cells of one colour that touch in a row are one outline.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "report/chart/picture.h"

namespace orrery {

inline constexpr std::size_t most_cells = 128;  // rows
inline constexpr std::size_t most_cell_columns = 256;

struct CellChart {
  PictureText text;
  std::vector<std::string> rows;  // labels
  std::size_t columns = 0;
  std::vector<std::vector<double>> shares;  // by row and column, 0..1; 0 is not drawn
  std::string below;                        // what the columns are
  std::string first_column, last_column;    // labels
  std::string least, most;                  // of the shares, for the legend
  // For who reads the cells one by one: as many as rows and columns, and what shares mean from one
  // to the other. The page's script joins them to "ROW, COLUMN: VALUE".
  std::vector<std::string> row_names = {}, column_names = {};
  std::function<std::string(double low, double high)> value = {};
};

// Each `together` neighbours become one: a share is the maximum of theirs, a name is from the first
// to the last.
void join_columns(CellChart& chart, std::size_t together);
void join_rows(CellChart& chart, std::size_t together);
// So many that at most `most` are left. Return how many of the columns, or rows, make one.
std::size_t reduce_columns(CellChart& chart, std::size_t most);
std::size_t reduce_rows(CellChart& chart, std::size_t most);

// REQUIRES: as many shares as cells, most_cells rows at most.
std::string drawn(const CellChart& chart);

}  // namespace orrery
