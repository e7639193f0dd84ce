// What a topology file of NCCL holds (NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE; `<system version="1">`).
// Clouds publish files with PCI devices only, without <gpu>, <net> and <nvlink>.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "formats/import/imported.h"

namespace orrery {

struct NcclGpu {
  std::string busid;
  int line = 0;
  std::optional<std::int32_t> sm;  // compute capability, 90 of an H100
  std::string device;              // PCI, "0x2330"; "" if the file does not say
  Bandwidth bus;                   // of its PCI link, in one direction; 0 if it does not say
  std::int32_t links_to_switches = 0;
  std::vector<std::int32_t> links_to_gpus;  // NVLinks to each GPU, itself 0
  std::int32_t nic = -1;                    // of the NICs, the nearest one
};

struct NcclNic {
  std::int32_t line = 0;
  Bandwidth speed;  // 0 if the file does not say
};

struct NcclSystem {
  std::vector<NcclGpu> gpus;  // by their number, or in the order of the file
  std::vector<NcclNic> nics;
};

// Throws ConfigError. Counts fields in `notes`.
NcclSystem read_nccl_system(const std::string& file, std::string text, Imported& notes);

}  // namespace orrery
