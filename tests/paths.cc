#include "tests/paths.h"

namespace orrery {

std::string source_folder() { return ORRERY_SOURCE_DIR; }
std::string build_folder() { return ORRERY_BINARY_DIR; }

}  // namespace orrery
