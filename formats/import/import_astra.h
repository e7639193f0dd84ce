// An ASTRA-sim 2 set-up as an experiment, with a comment at each value that ASTRA-sim ignores or
// reads differently.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "formats/astra/set_up.h"
#include "formats/import/imported.h"

namespace orrery {

struct AstraSetUp {
  astra::NetworkFile network;
  astra::SystemFile system;
  astra::MemoryFile memory;
  std::string workload;  // prefix of Chakra files; or a text workload
  // Of the first call of each of astra::kinds: what a custom algorithm was made for. 0 = none.
  std::array<std::int64_t, 4> first_sizes = {};
  bool is_text = false;
  std::string groups;         // file; "" = none
  bool shares_links = false;  // congestion_aware
  std::int32_t queues = 1;    // --num-queues-per-dim
  double injection_scale = 1;
  bool rendezvous = false;
};

// Paths in the experiment are as in the set-up. Throws ConfigError.
Imported import_astra(const AstraSetUp& set_up);

}  // namespace orrery
