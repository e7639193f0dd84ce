// How people write a part of a whole: "15.2 %", 0.152 or "20/132".
#pragma once

#include <string>

#include "core/base/from_text.h"
#include "core/units/share.h"

namespace orrery {

// Exactly, in millionths at most.
FromText<Share> parse_share(const std::string& text);
FromText<Fraction> parse_fraction(const std::string& text);
// A factor may be more than 1: 1.5 or "150 %".
FromText<double> parse_percentage(const std::string& text);  // REQUIRES: it ends with '%'

// In per cent, as parse_...() reads it; a share that is no decimal number as "20/132".
std::string share_text(Share value);
std::string fraction_text(Fraction value);

}  // namespace orrery
