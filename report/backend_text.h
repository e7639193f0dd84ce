// What the head of a report says about models that were chosen: of the network, and of the device.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "simulation/run_result.h"

namespace orrery {

// "backend: fluid, because messages share links between switches": if it was chosen. "IGNORED by
// the analytical backend in leaf-8: ...": if it leaves out what the file says. "efficiency:
// h100-2024 (mean error 6.2 % over 24 runs), ...", and "protocols: ...": if they were chosen. With
// an expected error the efficiency has that instead, chosen or not. In short both models are in one
// line without their reasons: "efficiency: h100-2024 +-8 %; protocols: nccl-h100".
enum class ModelsText : std::uint8_t { full, in_short };
std::string backend_text(const RunResult& result, ModelsText models);
// What would have the settings of packets that are ignored, and what it takes; "" without any.
std::string packets_text(const RunResult& result);
// "rails (ASSUMED)": the network of servers that were only counted, for a title; else "".
std::string network_in_title(const RunResult& result);

// "h100-2024 (mean error 6.2 % over 24 runs), the newest measured on H100"; the rest as far as it
// is known.
std::string efficiency_text(const EfficiencyInForce& efficiency);
// "nccl-h100 (mean error 7.5 % over 23 sizes), measured on 8 H100"
std::string protocols_text(const ProtocolsInForce& protocols);

// The same as a line of a head; "" if the file names it.
std::string chosen_efficiency(const EfficiencyInForce& efficiency);
std::string chosen_protocols(const ProtocolsInForce& protocols);

// The same of systems that are compared. What a system ignores stands behind "* ", as its mark in
// the table.
std::string backends_text(std::span<const RunResult> results);

// "IGNORED by the analytical backend in 2 of 3 points: ...", a line or more; `where` is what
// follows the backend.
std::string ignored_text(std::string_view backend, std::string_view where,
                         std::span<const std::string> ignored);

}  // namespace orrery
