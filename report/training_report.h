// What of a result is about the training of a transformer, in text reports.
#pragma once

#include <string>

#include "simulation/run_result.h"

namespace orrery {

// Tables of the text report; "" without a training, or for a partial run.
std::string training_text(const RunResult& result);

// Of a table with several systems: "" where they have none.
std::string tokens_per_second_text(const RunResult& result);  // of an NPU
std::string model_utilisation_text(const RunResult& result);  // as FlopConvention::model counts
// Of the copies of tokens those that experts drop; "" where it is nothing to speak of.
std::string dropped_copies_text(const RunResult& result);
// The same with half of the attention, where that is less by a fifth or more: a long sequence has a
// model utilisation that no kernel reaches. In per cent, "51.8"; "" elsewhere.
std::string causal_utilisation_text(const RunResult& result);

}  // namespace orrery
