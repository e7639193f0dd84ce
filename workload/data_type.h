// What a model computes in.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/units/units.h"

namespace orrery {

enum class DataType : std::uint8_t { fp16, bf16, fp32, fp8 };
std::string_view name_of(DataType type);
Bytes size_of(DataType type);  // of an element

}  // namespace orrery
