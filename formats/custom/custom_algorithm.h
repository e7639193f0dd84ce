// Collective algorithms that the user brings as files.
#pragma once

#include <string>

#include "core/units/units.h"
#include "formats/input/input_texts.h"
#include "system/collective/explicit_plan.h"

namespace orrery {

// Whether a word names such files rather than an algorithm of the list.
bool names_custom_algorithm(const std::string& word);

// name.xml   XML of MSCCL (formats/msccl/read_msccl.h)
// name.et    graphs of messages, name.0.et, name.1.et, ... for each rank, which were made for a
//            collective `kind` of `size` bytes (formats/chakra/read_message_graph.h)
// Throws IoError and ConfigError.
CustomAlgorithm read_custom_algorithm(InputTexts& texts, const std::string& path, Collective kind,
                                      Bytes size);

// The hash of all these files together.
std::string hash_of_custom_algorithm(InputTexts& texts, const std::string& path);

}  // namespace orrery
