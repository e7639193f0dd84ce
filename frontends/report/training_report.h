// What of a result is about the training of a transformer, for every report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "simulation/run_result.h"

namespace orrery {

// Tables of the text report; "" without a training, or for a partial run.
std::string training_text(const RunResult& result);

// Of a table with several systems: "" where they have none.
std::string tokens_per_second_text(const RunResult& result);  // of an NPU
std::string model_utilisation_text(const RunResult& result);  // as FlopConvention::model counts

// REQUIRES: the result has a training.
nlohmann::ordered_json training_json(const RunResult& result);

std::string stages_csv(std::span<const RunResult> results);
std::string utilisation_csv(std::span<const RunResult> results);

}  // namespace orrery
