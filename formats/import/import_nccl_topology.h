// A topology file of NCCL -> the `platform:` of so many such nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/units/units.h"
#include "formats/import/imported.h"

namespace orrery {

// What the file need not say; it is asked for by these names.
struct NcclTopologyOptions {
  std::string npu = {};                    // --npu: a device by name
  std::optional<Bandwidth> nic = {};       // --nic
  std::optional<Bandwidth> nvlink = {};    // --nvlink: of a GPU, in one direction
  std::optional<Bandwidth> bus = {};       // --bus: between GPU and NIC
  std::optional<std::int64_t> nodes = {};  // --nodes
};

// Throws ConfigError with everything that is missing.
Imported import_nccl_topology(const std::string& file, const std::string& text,
                              const NcclTopologyOptions& options);

}  // namespace orrery
