// How far off a prediction may be, in words.
#pragma once

#include <cstddef>
#include <string>

#include "simulation/expected_error.h"

namespace orrery {

// "+-6 %"
std::string band_text(const ExpectedError& error);

// "+-6 % by 14 rows of H100 (NeMo 25.04, Megatron Core 0.8)", with as many of the publications as
// `room` columns have space for.
std::string expected_error_text(const ExpectedError& error, std::size_t room);

}  // namespace orrery
