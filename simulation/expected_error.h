// How far off a prediction may be: as far as the simulator was off where somebody measured.
//
// The rule: published rows (docs/validation.md) that no parameter was fitted to are ordered by how
// near they are, first by device, then by era, then by kind (with experts or without), then by
// scale: the product of the factors between numbers of ranks, lengths of sequences and widths of
// models. Of the nearest 14 the band is the third largest error. If a prediction is one more draw
// from where they came from, its error is equally likely to have any of the 15 places among theirs,
// so that 12 of 15, 80 %, are within the band (split conformal prediction: V. Vovk et al.,
// Algorithmic Learning in a Random World, 2005). The test leaves each row out in turn.
//
// Of a device with fewer rows than that all rows of all devices count, in the same way: nothing
// says which of another device are like it, and its scale would choose ever others (GB200, 1 to 54
// racks: 5 to 13 %, up and down; now 11 %).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// What is compared, of a measured row and of a prediction.
struct PredictedRun {
  std::string_view era;  // name of the efficiency in force: "h100-2024-fp8" is of device h100
  bool experts = false;  // mixture of
  std::int64_t ranks = 0, sequence = 0, hidden = 0;
};

struct ValidationRow {
  std::string_view set;  // where it was published
  PredictedRun run;
  double error = 0;  // simulated / measured - 1
};

// Those of the tree, in validation_rows.def.
std::span<const ValidationRow> validation_rows();

struct ExpectedError {
  double band = 0;                   // 80 % of predictions are off by this fraction at most
  std::int32_t rows = 0;             // that it is taken from
  std::vector<std::string> devices;  // of these rows, the one with most rows first
  std::vector<std::string> sets;     // likewise

  bool operator==(const ExpectedError&) const = default;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("band", &ExpectedError::band,
               "80 % of such predictions are off by at most this fraction of the measured time");
    row.column("rows", &ExpectedError::rows, "number of measured iterations it is taken from");
    row.column("devices", &ExpectedError::devices, "that they ran on, the most frequent first");
    row.column("sets", &ExpectedError::sets, "where they were published, likewise");
  }
};

// Nothing if there are fewer than four rows: with less the largest error is no 80 %.
// REQUIRES: ranks, sequence and hidden of all are positive.
std::optional<ExpectedError> expected_error(const PredictedRun& prediction,
                                            std::span<const ValidationRow> rows);

}  // namespace orrery
