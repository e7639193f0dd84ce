// A sweep as a grid of results: what the charts of its report are drawn from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/chart/axis.h"
#include "report/sweep_manifest.h"
#include "report/sweep_statistics.h"
#include "simulation/sweep_value.h"

namespace orrery {

// A number of a result: a column of sweep.csv, "npus" or "memory_bytes".
struct SweepMetric {
  std::string name;
  std::string words;     // for people: "time"
  std::string quantity;  // "ps", "bytes" or ""
  bool more_is_better = false;
  AxisUnit unit = {"", 1};
  std::string text_of(double value) const;
};

// One that varies. The first of keys that change together stands for them.
struct SweepKey {
  std::string name;                // "system.chunks", "experiment"
  std::string short_name;          // its last step, if no other key ends like it
  std::vector<SweepValue> values;  // numbers and quantities ascending
  bool is_numeric = false;         // all of one kind that is no word
};

// The points that differ in their seeds only.
struct SweepCell {
  std::vector<std::size_t> at;  // of each key the value
  std::vector<double> results;  // of the metric
  std::size_t failed = 0, missing = 0;
  std::vector<std::size_t> rows;  // in the sweep's order
  std::string link = {};          // what shows the first of them, or ""
};

struct SweepView {
  std::string name;
  SweepMetric metric;
  std::vector<SweepKey> keys;
  std::vector<SweepCell> cells;
  std::vector<GridCost> costs;      // of the cells: their medians, less is better
  std::optional<std::size_t> best;  // of the cells
  bool is_grid = false;             // most combinations are there: lines can be drawn
  bool has_repeats = false;

  std::string text_of(const SweepCell& cell) const;  // "chunks = 16, latency = 1 us"
  std::string value_of(const SweepCell& cell, std::size_t key) const;
  // The cell with these values; nothing if there is none.
  std::optional<std::size_t> find(const std::vector<std::size_t>& at) const;
};

std::optional<double> metric_of(const SweepRow& row, const std::string& metric);
SweepMetric metric_in(const std::vector<SweepRow>& rows, const std::string& name);
// Throws IoError if no point has it. `name` "": the time, of flows their mean time.
SweepMetric metric_named(const SweepManifest& sweep, const std::string& name);
SweepView view_of(const SweepManifest& sweep, const std::string& metric);

}  // namespace orrery
