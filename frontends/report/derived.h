// What every report shows beside the fields of a RunResult, so that all of them agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulation/run_result.h"

namespace orrery {

struct ReportOptions {
  bool all_links = false;  // else the busiest ones, most_links at most
};
inline constexpr std::size_t most_links = 10;

std::int64_t rank_count(const RunResult& result);

// The number of training iterations that the layers speak of, at least 1.
std::int32_t iteration_count(const RunResult& result);

// finish / iterations, rounded down to the picosecond. Nothing for a partial run.
std::optional<Duration> iteration_time(const RunResult& result);

// Of the iteration times: how many times that of the fastest complete run. Nothing for a partial
// one.
std::vector<std::optional<double>> ratios_to_fastest(std::span<const RunResult> results);

// Whether a result is as fast as that of the fastest complete run, as far as the order of events of
// one picosecond decides: their ranges overlap. Nothing for the fastest itself, and where one of
// the two was not simulated in several orders.
std::optional<bool> is_as_fast_as_the_fastest(std::span<const RunResult> results,
                                              std::size_t index);

// How busy the busiest link of a level was, 0..1 (more: contention that the backend does not
// model).
double busiest_link(const RunResult& result, const std::string& level);

// What the time is spent on, in a sentence: computing, a level that is full, or latency
// and limits where no link is. "" for a partial run or one that does not communicate.
std::string diagnosis(const RunResult& result);

// Links that were busy for nine tenths of the run, the busiest first.
std::vector<const LinkRow*> saturated_links(const RunResult& result);

std::span<const LinkRow> shown_links(const RunResult& result, const ReportOptions& options);

}  // namespace orrery
