// The folder that -o names: result.json (of a comparison: comparison.json) and the CSV tables;
// of collectives coll.json and coll.csv; of traffic traffic.json, traffic.csv and what it has of
// each flow.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "report/collective_report.h"
#include "report/derived.h"
#include "simulation/run_result.h"
#include "simulation/traffic_result.h"

namespace orrery {

enum class Overwrite { refuse, allow };

// Makes the folder if need be and throws IoError if results could not be written there later:
// before a long simulation, not after it.
void prepare_result_folder(const std::filesystem::path& folder, Overwrite overwrite);

// How the names of files end that a process of this machine is writing.
std::string unfinished_ending(int process);

// One file, or not at all; an earlier one is replaced.
void write_whole_file(const std::filesystem::path& file, const std::string& text);

// All files or none: each is written beside its final name first, then all are renamed. With
// Overwrite::allow the earlier results in the folder are replaced, other files stay. Throws
// IoError.
void write_run(const std::filesystem::path& folder, const RunResult& result,
               const ReportOptions& options, Overwrite overwrite);
void write_comparison(const std::filesystem::path& folder, std::span<const RunResult> results,
                      const ReportOptions& options, Overwrite overwrite);
void write_collectives(const std::filesystem::path& folder, const CollectiveResult& result,
                       Overwrite overwrite);
// `flows`: also a line for each flow, in flows.csv and fct.txt, for each pause in pfc.txt, and for
// each watched port in qlen.txt.
void write_traffic(const std::filesystem::path& folder, const TrafficResult& result, bool flows,
                   const ReportOptions& options, Overwrite overwrite);
// comparison.json, and traffic.csv with the lines of all.
void write_traffic_comparison(const std::filesystem::path& folder,
                              std::span<const TrafficResult> results, Overwrite overwrite);

}  // namespace orrery
