# Every package the build uses, with the version of Debian 12 it was tested with. One room each: see
# ARCHITECTURE.md. All come from the distribution; scripts/setup installs them.
find_package(fmt 9.1 REQUIRED)             # libfmt-dev 9.1          core/base
find_package(spdlog 1.10 REQUIRED)        # libspdlog-dev 1.10     core/base/log.cc
find_package(yaml-cpp 0.7 REQUIRED)        # libyaml-cpp-dev 0.7     frontends/yaml
find_package(CLI11 2.1 REQUIRED)           # libcli11-dev 2.1        frontends/cli
find_package(nlohmann_json 3.11 REQUIRED)  # nlohmann-json3-dev 3.11 report
find_package(pugixml 1.13 REQUIRED)        # libpugixml-dev 1.13     formats/msccl
find_package(ZLIB 1.2 REQUIRED)            # zlib1g-dev 1.2          formats/chakra
find_package(SQLite3 3.40 REQUIRED)        # libsqlite3-dev 3.40     execution/sweep
if(ORRERY_TESTS)
  find_package(Catch2 2.13 REQUIRED)       # catch2 2.13             tests
endif()
if(ORRERY_BENCHMARKS)
  find_package(benchmark 1.7)              # libbenchmark-dev 1.7    tests/benchmark
endif()

# Without it, the backend `ns3` is not built. A program with it is under the GPL, version 2: README.md.
option(ORRERY_NS3 "Build the ns3 backend, if libns3-dev is there" ON)
if(ORRERY_NS3)
  list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
  # libns3-dev 3.37   network/ns3; point-to-point: tests/reference
  find_package(Ns3 COMPONENTS core network bridge traffic-control internet
               OPTIONAL_COMPONENTS point-to-point)
endif()

# Random123 1.14 (librandom123-dev) is headers only and ships no CMake package.   core/base
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)
add_library(Random123 INTERFACE)
target_include_directories(Random123 SYSTEM INTERFACE ${RANDOM123_INCLUDE})
