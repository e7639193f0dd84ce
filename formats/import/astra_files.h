// The files of an ASTRA-sim 2 set-up, as the flags of its programs name them.
#pragma once

#include <cstdint>
#include <string>

#include "formats/astra/emulation.h"
#include "formats/import/import_astra.h"
#include "formats/input/input_texts.h"

namespace orrery {

struct AstraFiles {
  std::string workload, system, network, memory, groups;  // of --workload-configuration, ...
  std::int32_t queues = 1;
  double injection_scale = 1;
  bool rendezvous = false;
  bool shares_links = false;  // congestion_aware
};

// All of these throw ConfigError and IoError.
AstraSetUp read_set_up(const AstraFiles& files, InputTexts& texts);
// Throws if the traces or the groups are not there; a flag names what is missing.
void check_files(const AstraSetUp& set_up, InputTexts& texts);
astra::EmulatedJob emulated_job(const AstraSetUp& set_up, InputTexts& texts);

}  // namespace orrery
