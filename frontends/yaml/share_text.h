// How a part of a whole is written, wherever a key is one: "15.2 %", 0.152 or "20/132".
#pragma once

#include <string>

#include "core/units/share.h"
#include "frontends/yaml/scalar_types.h"

namespace orrery::yaml {

// Exactly, in millionths at most.
FromText<Share> parse_share(const std::string& text);
FromText<Fraction> parse_fraction(const std::string& text);
// A factor may be more than 1: 1.5 or "150 %".
FromText<double> parse_percentage(const std::string& text);  // REQUIRES: it ends with '%'

// In per cent, as parse_...() reads it; a share that is no decimal number as "20/132".
std::string share_text(Share value);
std::string fraction_text(Fraction value);

}  // namespace orrery::yaml
