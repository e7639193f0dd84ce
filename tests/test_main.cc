#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include "tests/paths.h"

namespace orrery {

std::string source_folder() { return ORRERY_SOURCE_DIR; }
std::string build_folder() { return ORRERY_BINARY_DIR; }

}  // namespace orrery
