// What ASTRA-sim 2 computes for a set-up, to the cycle of 1 ns: its arithmetic, its order of
// events, and its network, in which a message goes through one dimension only. For nothing else:
// Orrery's own model of the same set-up is an experiment (import_astra.h).
//
// Not emulated: model-shared-bus, the rendezvous protocol, custom collectives, double binary trees,
// and halving and doubling over groups that are no power of two.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/units/units.h"
#include "formats/astra/set_up.h"
#include "formats/chakra/rank_trace.h"
#include "formats/chakra/trace_groups.h"

namespace orrery::astra {

// In which ASTRA-sim differs from Orrery, one by one; all on is ASTRA-sim.
struct Rules {
  bool binary_gigabytes = true;   // a GB/s of the network is 2^30 bytes a second
  bool whole_nanoseconds = true;  // each delay is cut to whole ns
  bool endpoint_delay = true;     // once as a phase begins, and of each message that arrives
  bool reductions = true;         // an arrival that is added takes 3 x bytes / local-mem-bw
  // An all-to-all round a ring of n takes n(n-1)/2 steps of a part; else n-1, in which what is not
  // home yet goes on: as many bytes.
  bool parts_alone = true;
};

// Orrery's rules in the place of one of ASTRA-sim's, for a comparison.
struct ChangedRule {
  const char* what;
  bool Rules::*rule;
};
inline constexpr std::array<ChangedRule, 5> changed_rules = {{
    {"with GB/s of 10^9 bytes", &Rules::binary_gigabytes},
    {"with delays of whole ps", &Rules::whole_nanoseconds},
    {"without endpoint delays", &Rules::endpoint_delay},
    {"without reductions", &Rules::reductions},
    {"with rings of n-1 steps", &Rules::parts_alone},
}};

struct EmulatedJob {
  NetworkFile network;
  SystemFile system;
  MemoryFile memory;
  chakra::GroupRanks groups;              // in the order of the file; none = all NPUs
  std::vector<chakra::RankTrace> traces;  // of NPU 0, 1, ...
  bool shares_links = false;              // congestion_aware
  std::int32_t queues = 1;                // of a dimension
  double injection_scale = 1;             // of the endpoint delay
};

struct EmulatedNpu {
  bool finished = false;
  Duration finish, exposed;  // exposed: less what the NPU computed
};

// Lines on what differs beside these rules, and what the last of them is if it changes something.
std::string told_differences(const EmulatedJob& job, bool parts_matter);

// Throws ConfigError for what it does not emulate.
std::vector<EmulatedNpu> emulate(const EmulatedJob& job, const Rules& rules = {});

}  // namespace orrery::astra
