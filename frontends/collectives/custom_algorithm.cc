#include "frontends/collectives/custom_algorithm.h"

#include "frontends/msccl/read_msccl.h"

namespace orrery {

bool names_custom_algorithm(const std::string& word) { return word.ends_with(".xml"); }

CustomAlgorithm read_custom_algorithm(const std::string& path) { return read_msccl(path); }

}  // namespace orrery
