// What packet backends count, in the text report.
#pragma once

#include <span>
#include <string>

#include "report/derived.h"
#include "simulation/run_result.h"

namespace orrery {

// "" for backends without packets.
// Tables of queues, of their classes where that says more, and of pauses.
std::string queues_text(std::span<const QueueRow> queues, std::span<const ClassRow> classes,
                        std::span<const PauseRow> pauses, const ReportOptions& options);

std::string packet_text(const RunResult& result, const ReportOptions& options);

// ", 0.4 million packet-hops per CPU second"; "" without packets.
std::string packet_rate_text(const RunResult& result);

}  // namespace orrery
