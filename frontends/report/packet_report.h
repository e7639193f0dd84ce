// What packet backends count, in the text report and in JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "frontends/report/derived.h"
#include "simulation/run_result.h"

namespace orrery {

// "" for backends without packets.
std::string packet_text(const RunResult& result, const ReportOptions& options);

// ", 0.4 million packet-hops per CPU second"; "" without packets.
std::string packet_rate_text(const RunResult& result);

nlohmann::ordered_json packet_json(const PacketResult& packets, const ReportOptions& options);

}  // namespace orrery
