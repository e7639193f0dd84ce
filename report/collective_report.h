// What `orrery coll` found, as the table of nccl-tests, JSON and CSV. Fields and columns are a
// contract: docs/reference/results.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "simulation/collective_operations.h"
#include "simulation/columns.h"
#include "simulation/experiment.h"
#include "simulation/result_rows.h"

namespace orrery {

struct CollectiveRow {
  std::string system;
  std::string operation;  // "all_reduce"
  std::int64_t ranks = 0;
  Bytes size;
  std::string algorithm;    // "ring"; of several levels "direct+ring"
  std::string chosen;       // for this size, if that depends on the size or is auto; else ""
  std::int32_t chunks = 0;  // at most, see minimum_chunk
  Duration time;
  std::optional<Duration> measured;
  // Of messages that may lose a part (network.transport.loss_bound), if there are such.
  std::optional<Bytes> carried, missing;

  double bus_bandwidth() const { return orrery::bus_bandwidth(operation, ranks, size, time); }
  std::optional<double> error() const {
    if (!measured) return std::nullopt;
    return relative_error(time, *measured);
  }

  template <class Columns>
  static void describe(Columns& row) {
    row.column("system", &CollectiveRow::system, "name of the platform");
    row.column("op", &CollectiveRow::operation, "the collective");
    row.column("ranks", &CollectiveRow::ranks, "number of ranks that take part");
    row.column(
        "bytes", &CollectiveRow::size,
        "the size as nccl-tests counts it: the whole buffer of a rank, of an all-gather what "
        "it ends with, of a reduce-scatter what it starts with");
    row.column("algorithm", &CollectiveRow::algorithm,
               "ring; direct+ring if the levels differ, innermost first");
    row.column("chunks", &CollectiveRow::chunks, "parts of the collective, at most: minimum_chunk");
    row.column("time_ps", &CollectiveRow::time,
               "from the start of all ranks to the end of the last one");
    row.column(
        "algbw_GBps",
        [](const CollectiveRow& one) { return algorithm_bandwidth(one.size, one.time); },
        "size / time, in 10^9 bytes per second");
    row.column("busbw_GBps", &CollectiveRow::bus_bandwidth,
               "algbw times the factor of the operation, as nccl-tests counts it");
    row.column("measured_ps", &CollectiveRow::measured, "the measured time; none without one");
    row.column("error", &CollectiveRow::error,
               "(simulated - measured) / measured; none without a measured time");
    row.column("chosen", &CollectiveRow::chosen,
               "what was chosen for this size, if that depends on the size or is auto; else none",
               {.null_if_empty = true});
    row.column("carried_bytes", &CollectiveRow::carried,
               "data of messages that may lose a part; only where some may",
               {.csv = no_column, .omit_if_none = true});
    row.column("missing_bytes", &CollectiveRow::missing, "of carried_bytes, what was not delivered",
               {.csv = no_column, .omit_if_none = true});
  }
};

// The rows of one algorithm.
struct CollectiveSummary {
  std::string algorithm;
  double average_bus_bandwidth = 0;
  std::optional<double> mean_absolute_error;
  std::int64_t measured_rows = 0;

  template <class Columns>
  static void describe(Columns& row) {
    row.column("algorithm", &CollectiveSummary::algorithm, "algorithm, as in rows[]");
    row.column("average_busbw_GBps", &CollectiveSummary::average_bus_bandwidth,
               "mean bus bandwidth of its rows");
    row.column("mean_absolute_error", &CollectiveSummary::mean_absolute_error,
               "mean over its rows that have a measured time; none if no row has one");
    row.column("measured_rows", &CollectiveSummary::measured_rows, "number of rows that have one");
  }
};
CollectiveSummary summary_of(std::span<const CollectiveRow> rows);  // REQUIRES: not empty

struct CollectiveResult {
  std::string backend;
  std::string backend_because;       // as in RunResult
  std::vector<std::string> ignored;  // as in RunResult
  ProtocolsInForce protocols;        // as in RunResult
  std::vector<CollectiveRow> rows;   // those of an algorithm follow each other
  Provenance provenance;
  HostUse host;

  std::vector<CollectiveSummary> summaries() const;

  template <class Columns>
  static void describe(Columns& result) {
    result.column(
        "schema", [](const CollectiveResult&) { return std::string("orrery.coll/1"); },
        "name and number of this format");
    result.column("backend", &CollectiveResult::backend, "model of the network");
    result.column("backend_because", &CollectiveResult::backend_because,
                  "why it was chosen, as a clause; none if it is named", {.null_if_empty = true});
    result.column("ignored", &CollectiveResult::ignored,
                  "what the platform says and this model leaves out, as in the result of a run");
    result.column("protocols", [](const CollectiveResult& one) { return one.protocols.name; },
                  "the library whose measured protocols the collectives pay for, as in the result "
                  "of a run",
                  {.null_if_empty = true});
    result.column("protocols_because",
                  [](const CollectiveResult& one) { return one.protocols.because; },
                  "why it was chosen, as a clause; none if it is named", {.null_if_empty = true});
    result.rows("rows", &CollectiveResult::rows, "algorithm and size");
    result.rows("summaries", &CollectiveResult::summaries, "algorithm");
    result.part("provenance", &CollectiveResult::provenance,
                "what the result is the result of; of several algorithms, configuration has the "
                "keys on which they agree");
    result.part("host", &CollectiveResult::host,
                "the machine that simulated, of all simulations together");
  }
};

std::string collective_text(const CollectiveResult& result);
std::string collective_json(const CollectiveResult& result);
std::string collective_csv(const CollectiveResult& result);

}  // namespace orrery
