// What packet backends count, in the text report.
#pragma once

#include <string>

#include "report/derived.h"
#include "simulation/run_result.h"

namespace orrery {

// "" for backends without packets.
std::string packet_text(const RunResult& result, const ReportOptions& options);

// ", 0.4 million packet-hops per CPU second"; "" without packets.
std::string packet_rate_text(const RunResult& result);

}  // namespace orrery
