// How a trace is to be read: the keys of `workload.trace`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/chakra/dependencies.h"

namespace orrery::chakra {

// What does one thing at a time.
enum class TraceLanes : std::uint8_t {
  automatic,  // streams, where some node names one; else two
  streams,    // each thread of the host and each stream of the processor, in the order of the file
  two,        // the host and the processor; communication goes on beside them
  free        // nothing: only dependencies hold nodes back
};
std::string_view name_of(TraceLanes lanes);

// Of the nodes that compute.
enum class TraceDurations : std::uint8_t {
  automatic,  // recorded, or from num_ops and tensor_size where none is recorded
  recorded,
  roofline  // from num_ops and tensor_size, where a node has them
};
std::string_view name_of(TraceDurations durations);

enum class TraceCollectives : std::uint8_t { simulated, recorded };
std::string_view name_of(TraceCollectives collectives);

struct TraceSettings {
  std::string files = {};  // a file for each rank, "%d" in its name; or one file
  TraceDependencies dependencies = TraceDependencies::automatic;
  TraceLanes lanes = TraceLanes::automatic;
  TraceDurations durations = TraceDurations::automatic;
  TraceCollectives collectives = TraceCollectives::simulated;
  double compute_scale = 1;    // of recorded durations
  std::int32_t replicate = 0;  // ranks that all run the one file; 0 = it is of one rank
  std::string groups = {};     // a JSON file; "" = as the trace says
  std::string groups_key = "\"groups: FILE\"";  // where a remedy says to name it
};

}  // namespace orrery::chakra
