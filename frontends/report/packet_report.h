// What packet backends count, in the text report and in JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "frontends/report/derived.h"
#include "frontends/report/run_result.h"

namespace orrery {

// "" for backends without packets.
std::string packet_text(const RunResult& result, const ReportOptions& options);

nlohmann::ordered_json packet_json(const PacketResult& packets, const ReportOptions& options);

}  // namespace orrery
