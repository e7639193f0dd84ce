// A profile of PyTorch (Kineto) as tables.
#pragma once

#include <cstdint>
#include <string>

#include "formats/kineto/kineto_profile.h"

namespace orrery::cli {

// What the device did, the kernels that took longest, and the collectives. `top`: kernels; 0 = all.
std::string text_of(const kineto::Profile& profile, std::int32_t top);

}  // namespace orrery::cli
