// Flow completion times and slowdowns, in the forms of a report.
#pragma once

#include <span>
#include <string>

#include "report/derived.h"
#include "simulation/traffic_result.h"

namespace orrery {

std::string traffic_text(const TrafficResult& result, const ReportOptions& options = {});
std::string traffic_json(const TrafficResult& result, const ReportOptions& options = {});
std::string traffic_csv(const TrafficResult& result);  // a line for each range of sizes
// Of several experiments. Lines of CSV begin with the name of theirs.
std::string traffic_comparison_text(std::span<const TrafficResult> results);
std::string traffic_comparison_json(std::span<const TrafficResult> results);
std::string traffic_comparison_csv(std::span<const TrafficResult> results);

std::string flows_csv(const TrafficResult& result);  // a line for each flow that was delivered

// As the simulator of HPCC writes them (fct.txt): addresses, ports, size, start, time and time on
// the idle network, in nanoseconds. Ordered by the ends of the flows.
std::string flows_hpcc(const TrafficResult& result);
// As the same simulator writes them. pfc.txt: time in ns, node, 1 for switches, port, 1 for a pause
// and 0 for its end, of the port that is paused. qlen.txt: for each port that is watched, how often
// 0 to 999 bytes waited, 1,000 to 1,999, ..., if one looks each 100 ns; "" if none is.
std::string pauses_hpcc(const TrafficResult& result);
std::string depths_hpcc(const TrafficResult& result);

}  // namespace orrery
