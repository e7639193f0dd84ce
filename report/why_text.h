// Why a run takes as long as it does, in a sentence (simulation/time_part.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "simulation/run_result.h"

namespace orrery {

// "TP on nvlink", "bubble".
std::string name_of(const TimePart& part);

// The passes of a collective of a layer are one kind: "all_reduce".
std::string_view kind_of(const TimePart& part);

// Of the kind that takes most of the time the largest part, what it is bound by, what to change;
// and the next one if the largest is computing, as far as there is room for so many characters. ""
// for a partial run.
std::string why_sentence(const RunResult& result, std::size_t room);

// All parts that take a thousandth of the time, as a table under an empty line; "" without any.
std::string why_table(const RunResult& result);

}  // namespace orrery
