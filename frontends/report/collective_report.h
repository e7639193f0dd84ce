// What `orrery coll` found, as the table of nccl-tests, JSON and CSV. Fields and columns are a
// contract: docs/results.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "simulation/run_result.h"

namespace orrery {

struct CollectiveRow {
  std::string system;     // name of the platform
  std::string operation;  // "all_reduce"
  std::int64_t ranks = 0;
  Bytes size;               // as nccl-tests counts it
  std::string algorithm;    // "ring"; of several levels "direct+ring", innermost first
  std::string chosen;       // for this size, if that depends on the size or is auto; else ""
  std::int32_t chunks = 0;  // at most, see minimum_chunk
  Duration time;            // from the start of all ranks to the end of the last
  std::optional<Duration> measured;
};

struct CollectiveResult {
  std::string backend;
  std::vector<CollectiveRow> rows;  // those of an algorithm follow each other
  Provenance provenance;
  HostUse host;
};

// The rows of one algorithm.
struct CollectiveSummary {
  std::string algorithm;
  double average_bus_bandwidth = 0;           // GB/s, mean over the rows
  std::optional<double> mean_absolute_error;  // of the measured times; none if nothing is measured
  std::int64_t measured_rows = 0;
};
CollectiveSummary summary_of(std::span<const CollectiveRow> rows);  // REQUIRES: not empty

std::string collective_text(const CollectiveResult& result);
std::string collective_json(const CollectiveResult& result);
std::string collective_csv(const CollectiveResult& result);

}  // namespace orrery
