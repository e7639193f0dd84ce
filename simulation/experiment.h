// One experiment, resolved: everything a simulation needs, as plain data, and where each value came
// from. Filled by frontends/yaml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/event/ties.h"
#include "core/units/units.h"
#include "network/network_spec.h"
#include "network/topology/topology.h"
#include "system/compute/roofline.h"
#include "system/compute/variation.h"
#include "system/system_spec.h"
#include "workload/workload_spec.h"

namespace orrery {

// What is known of an efficiency by its name, for reports.
struct EfficiencyInForce {
  std::string name;  // of what was measured; "none" = the data sheet; "" = the file's own numbers
  std::string because;               // it was chosen, as a clause; "" if the file names it
  std::optional<double> error = {};  // mean absolute, of published iterations it was not fitted to
  std::int32_t runs = 0;             // as many of them
  bool of_another_device = false;    // chosen for want of one: nobody measured how far off it is
};

// What the protocols of the communication library cost, by its name, for reports.
struct ProtocolsInForce {
  std::string name;                  // as above; "" = none, or the file's own numbers
  std::string because;               // as above
  std::optional<double> error = {};  // mean absolute, of measured all-reduces among the GPUs of a
                                     // node; none if they were measured on another device
  std::int32_t sizes = 0;            // as many of them
};

struct NpuSpec {
  std::string preset;  // "" = none
  FlopRate peak;       // of the data type that the model computes in
  std::optional<Bandwidth> memory_bandwidth;
  std::optional<Bytes> memory;  // none = whether a model fits is not checked
  Bytes reserve;                // of it, that the model cannot have
  Share fragmentation{5, 100};  // of what is allocated, that an allocator reserves besides
  EfficiencySpec efficiency;
  EfficiencyInForce efficiency_in_force;
  std::int64_t measured_speed = 1;  // measured compute times are divided by it (what_if.h)
  VariationSpec variation;          // but for its seed, which is that of the experiment

  // Of a job of so many ranks. Where each rank has a pace of its own, the slowest is not expected.
  RooflineSpec roofline(std::int32_t ranks) const {
    return {peak, memory_bandwidth, efficiency, measured_speed, variation.jitter ? 1 : ranks};
  }
};

// One value of the resolved configuration, for `explain`.
struct ResolvedValue {
  std::string path;    // "system.chunks"
  std::string value;   // as exact text: "128", "500 ns"
  std::string origin;  // "hier.yaml:12", "--set", "default", "preset v100"
  std::string help;    // one sentence: what it does
};

struct Experiment {
  std::string name;
  std::string description;  // a sentence for `orrery list platforms`
  NpuSpec npu;
  TopologySpec topology;
  SystemSpec system;
  ProtocolsInForce protocols_in_force;
  NetworkSpec network;
  WorkloadSpec workload;
  std::string network_chosen;      // of servers (network_of_servers.h); "" = named
  std::string parallelism_chosen;  // of a transformer, and why (chosen_parallelism.h); "" = named
  std::uint64_t seed = 1;
  Ties ties = Ties::call;      // Ties::seed: of the order of events of one picosecond
  std::uint64_t tie_draw = 0;  // which of the orders that belong to the seed
  std::vector<ResolvedValue> resolved;
};

}  // namespace orrery
