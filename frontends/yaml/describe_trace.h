// The keys of `workload.trace`.
#pragma once

#include "formats/chakra/trace_settings.h"
#include "frontends/yaml/reader.h"
#include "frontends/yaml/word_types.h"
#include "workload/platform_facts.h"
#include "workload/workload_spec.h"

namespace orrery::yaml {

template <>
inline constexpr auto last_word<chakra::TraceDependencies> = chakra::TraceDependencies::all;
template <>
inline constexpr auto last_word<chakra::TraceLanes> = chakra::TraceLanes::free;
template <>
inline constexpr auto last_word<chakra::TraceDurations> = chakra::TraceDurations::roofline;
template <>
inline constexpr auto last_word<chakra::TraceCollectives> = chakra::TraceCollectives::recorded;

// Reads the files.
void read_trace(Reader& trace, const chakra::TraceSettings& settings, GraphWorkload& workload,
                const PlatformFacts& platform);

inline void describe_trace(Keys& keys, GraphWorkload& workload, const PlatformFacts& platform) {
  chakra::TraceSettings settings;
  keys.required("files", settings.files,
                "Chakra traces (.et, .et.gz, or JSON): one for each rank, with \"%d\" where the "
                "number of the rank is, or one file");
  keys.optional("dependencies", settings.dependencies,
                "what nodes wait for: data dependencies, all, or all where they have no cycle");
  keys.optional("lanes", settings.lanes,
                "what does one thing at a time: each stream and thread in the order of the file; "
                "one host and one processor; nothing. auto is streams, where nodes name one, else "
                "two");
  keys.optional("durations", settings.durations,
                "of nodes that compute: recorded, from num_ops and tensor_size, or that where none "
                "is recorded");
  keys.optional("collectives", settings.collectives,
                "simulated, or as long as they took when the trace was recorded");
  keys.optional("compute_scale", settings.compute_scale,
                "recorded times of the nodes that are not communication are multiplied by this",
                between(0, 1'000'000'000));
  keys.optional("replicate", settings.replicate,
                "so many ranks run the one file (data parallel); 0 = it is that of one rank",
                between(0, 1 << 24));
  keys.optional("groups", settings.groups,
                "the ranks of each group, in JSON: {\"1\": [0, 1], \"2\": [2, 3]}; else as the "
                "trace says");
  keys.check([&](Reader& reader) {
    if (reader.clean() && platform.known) read_trace(reader, settings, workload, platform);
  });
}

}  // namespace orrery::yaml
