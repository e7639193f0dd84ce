// Collective algorithms that the user brings as files.
#pragma once

#include <memory>
#include <string>

#include "system/collective_algorithm.h"

namespace orrery {

// An algorithm that is made for one kind of collective among so many ranks, and proved for it.
struct CustomAlgorithm {
  Collective kind;
  int ranks;
  std::shared_ptr<const CollectiveAlgorithm> algorithm;
};

// Whether a word names such a file rather than an algorithm of the list: it ends with .xml.
bool names_custom_algorithm(const std::string& word);

// XML of MSCCL (frontends/msccl/read_msccl.h). Throws IoError and ConfigError.
CustomAlgorithm read_custom_algorithm(const std::string& path);

}  // namespace orrery
