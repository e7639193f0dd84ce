// The keys of `system:`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontends/yaml/reader.h"
#include "simulation/experiment.h"
#include "system/collective/named_algorithms.h"
#include "system/measured_protocols.h"
#include "system/problems.h"

namespace orrery::yaml {

// The system-wide schedule, algorithms and chunks, and where they were given.
struct CollectiveDefaults {
  CollectiveSpec spec;
  std::optional<std::int32_t> chunks;
  OneOrMore<NamedAlgorithm> algorithms;
  std::string schedule_origin, algorithms_origin, chunks_origin, protocol_origin;
  bool schedule_given = false;
};

// The algorithms of `kind` where `collective` names none: those of `defaults` if they can do it and
// suit it, else one for each level that does; automatic ones if there are no defaults and the
// schedule is not flat. Says in `origin` which. `open`: no schedule is given.
std::vector<NamedAlgorithm> fallback_algorithms(Collective kind, HierarchicalSchedule schedule,
                                                bool open, const CollectiveDefaults& defaults,
                                                const TopologySpec& topology, std::string& origin);

// The algorithm that `custom` names for this kind of collective; nothing if it is not given, or is
// given in a file and --set gives algorithms, or is wrong.
std::optional<NamedAlgorithm> read_custom(Reader& keys, Collective kind, const std::string& custom,
                                          Bytes size, HierarchicalSchedule schedule,
                                          const TopologySpec& topology);

inline constexpr std::string_view schedule_help =
    "how a collective over several levels is composed; flat: one algorithm over all ranks; without "
    "it algorithms: auto chooses it too, and named ones get local_bandwidth_aware if they can do "
    "it";
inline constexpr std::string_view algorithms_help =
    "one name for each level, innermost first, or a single one for all levels that it can do; "
    "auto: those that are predicted to be fastest, call by call";
inline constexpr std::string_view custom_help =
    "a file with an algorithm, instead of `algorithms`: MSCCL's name.xml or Chakra's name.0.et, "
    "... (name.et)";
inline constexpr std::string_view custom_size_help =
    "the size of the collective for which a Chakra graph was made";
inline constexpr std::string_view chunks_help =
    "parts that a collective is cut into; without it 16, or what is chosen with algorithms: auto "
    "or with a protocol";
inline constexpr std::string_view protocol_help =
    "the protocol whose costs a collective pays; auto, where protocols have costs: the one with "
    "the least predicted time; none: no costs";
inline constexpr std::string_view library_help =
    "the communication library whose measured costs the protocols have, if `protocols` says none; "
    "without it the one that was measured on the nearest device; none: no costs";

// Chunks that are written are not chosen.
inline void set_chunks(CollectiveSpec& spec, const std::optional<std::int32_t>& written) {
  if (!written) return;
  spec.chunks = *written;
  spec.any_chunks = false;
}

// A size range of a collective whose other settings are those of `outside`.
inline void describe_range(Keys& keys, Collective kind, SizeRange& range,
                           const CollectiveSpec& outside, const SystemSpec& system,
                           const TopologySpec& topology, bool topology_known) {
  range.spec = outside;
  range.spec.ranges.clear();
  keys.optional("below", range.below,
                "the range is for calls of fewer bytes; the last range may leave it out", positive);
  OneOrMore<NamedAlgorithm> algorithms;
  keys.required("use", algorithms, algorithms_help);
  keys.optional("schedule", range.spec.schedule, schedule_help, any_value, "outside the ranges");
  std::optional<std::int32_t> chunks;
  keys.optional("chunks", chunks, chunks_help, positive, "outside the ranges");
  keys.optional("protocol", range.spec.protocol, protocol_help, any_value, "outside the ranges");
  keys.check([&](Reader& reader) {
    if (!topology_known || !reader.clean()) return;
    range.spec.algorithms = algorithms.values;
    if (reader.given("schedule")) range.spec.any_schedule = false;
    set_chunks(range.spec, chunks);
    complete_named(range.spec, range.spec.any_schedule, kind, topology);
    reader.report(problems_of_algorithms("use", kind, range.spec, system, topology));
  });
}

inline void describe_collective(Keys& keys, Collective kind, CollectiveSpec& spec,
                                const CollectiveDefaults& defaults, const SystemSpec& system,
                                const TopologySpec& topology, bool topology_known) {
  spec = defaults.spec;
  keys.optional("schedule", spec.schedule, schedule_help, any_value, defaults.schedule_origin);
  OneOrMore<NamedAlgorithm> algorithms;
  std::string origin;
  const bool open = !defaults.schedule_given && !keys.given("schedule");
  if (topology_known)
    algorithms.values = fallback_algorithms(kind, spec.schedule, open, defaults, topology, origin);
  std::string custom_file;
  std::optional<NamedAlgorithm> custom;
  SizeIfGiven custom_size;
  keys.optional("custom", custom_file, custom_help);
  keys.optional("custom_size", custom_size, custom_size_help);
  keys.only_with({"custom"}, "custom_size");
  keys.check([&](Reader& reader) {
    if (!topology_known || custom_file.empty()) return;
    custom = read_custom(reader, kind, custom_file, custom_size.bytes, spec.schedule, topology);
    if (!custom) return;
    algorithms.values = {*custom};
    origin = reader.origin_of("custom");
  });
  keys.optional("algorithms", algorithms, algorithms_help, any_value, origin);
  keys.optional("protocol", spec.protocol, protocol_help, any_value, defaults.protocol_origin);
  std::optional<std::int32_t> chunks = defaults.chunks;
  const bool named = !algorithms.values.empty() && !is_automatic(algorithms.values);
  if (named && spec.protocol == Protocol::none) chunks = chunks.value_or(spec.chunks);
  keys.optional("chunks", chunks, chunks_help, positive, defaults.chunks_origin);
  keys.check([&](Reader& reader) {
    spec.any_schedule = open;
    spec.any_chunks = true;
    set_chunks(spec, chunks);
    if (!topology_known || !reader.clean()) return;
    if (custom) algorithms.values = {*custom};
    spec.algorithms = algorithms.values;
    complete_named(spec, open, kind, topology);
    reader.report(problems_of_algorithms("algorithms", kind, spec, system, topology));
  });
  keys.optional_items("ranges", spec.ranges, "settings by the size of a call, smallest first",
                      [&](Keys& range, SizeRange& values, std::size_t) {
                        describe_range(range, kind, values, spec, system, topology, topology_known);
                      });
  keys.check([&](Reader& reader) {
    if (reader.clean()) reader.report(problems_of(spec.ranges));
  });
}

inline void describe_protocol(Keys& keys, ProtocolCost& cost) {
  keys.required("protocol", cost.protocol, "simple, ll, ll128 or nvls");
  std::optional<NamedAlgorithm> algorithm;
  keys.optional("algorithm", algorithm,
                "the algorithm to which the row applies; without it, all algorithms without a row "
                "of their own");
  keys.optional("scope", cost.scope,
                "of the levels on which the row holds: local (inside nodes) or scale_out; without "
                "it, all");
  keys.optional("launch", cost.launch, "time of a call before its first chunk, once on each rank",
                not_negative);
  keys.optional("step", cost.step, "time of each message before it is handed to the network",
                not_negative);
  keys.optional("efficiency", cost.efficiency,
                "share of the bytes on the wire that is data; of nvls, share of a port's bandwidth "
                "at which the whole buffer passes");
  keys.optional("least", cost.least, "a smaller message takes the wire as long as one of this size",
                not_negative);
  keys.check([&](Reader& reader) { reader.report(problems_of(cost)); });
  if (algorithm) cost.algorithm = algorithm->name.substr(0, algorithm->name.find(':'));
}

inline void describe_endpoint(Keys& keys, EndpointSpec& endpoint) {
  keys.optional("send_overhead", endpoint.send_overhead,
                "LogGP o: the rank's message processor is busy this long for each message it sends",
                not_negative);
  keys.optional("receive_overhead", endpoint.receive_overhead,
                "the same for each message that arrives", not_negative);
  keys.optional("gap", endpoint.gap,
                "LogGP g: time between two messages that leave the rank, and two that arrive",
                not_negative);
  keys.optional("send_copy", endpoint.send_copy,
                "rate of the copy into the network's buffer, before the wire", positive);
  keys.optional("receive_copy", endpoint.receive_copy,
                "rate of the copy out of the network's buffer, after the wire", positive);
}

inline void describe_channels(Keys& keys, ChannelSpec& channels) {
  keys.optional("multiprocessors", channels.multiprocessors,
                "of the device; 0: communication takes none of them", not_negative);
  keys.optional("inside", channels.inside, "of a collective inside a node", not_negative);
  keys.optional("between", channels.between, "of a collective that leaves the node, at most",
                not_negative);
  keys.optional("per_rank", channels.per_rank,
                "of one that leaves the node, for each of its ranks in a node; 0: all of between",
                not_negative);
  keys.optional("pair", channels.pair, "of a send or a receive", not_negative);
  keys.check([&](Reader& reader) { reader.report(problems_of(channels)); });
}

inline void describe_remote_memory(Keys& keys, RemoteMemorySpec& memory) {
  keys.optional("latency", memory.latency, "time of a request before its bytes", not_negative);
  keys.required("bandwidth", memory.bandwidth, "rate of its bytes", positive);
  keys.optional("npus", memory.npus,
                "neighbours that share it, one request at a time; 1 = each NPU has its own, 0 = "
                "all share one (a pool)",
                between(0, 1 << 24));
}

inline void describe_endpoints(Keys& keys, SystemSpec& system) {
  keys.optional("injection_latency", system.injection_latency,
                "time of a message between memory and network at each end, on scale-out levels",
                not_negative);
  keys.optional("local_injection_latency", system.local_injection_latency,
                "the same for local levels", not_negative);
  keys.optional("reduction_bandwidth", system.reduction_bandwidth,
                "rate of adding arrived data; without it reductions take no time", positive);
  keys.map("endpoint", "what each message costs at its ends, on scale-out levels",
           [&](Keys& endpoint) { describe_endpoint(endpoint, system.endpoint); });
  keys.map("local_endpoint", "the same for local levels",
           [&](Keys& endpoint) { describe_endpoint(endpoint, system.local_endpoint); });
}

inline void describe_system(Keys& keys, SystemSpec& system, const TopologySpec& topology,
                            bool topology_known) {
  keys.optional("scheduling", system.scheduling,
                "which waiting chunks start first: lifo, those of the newest collective; fifo");
  CollectiveDefaults defaults;
  keys.optional("schedule", defaults.spec.schedule, schedule_help);
  keys.optional("algorithms", defaults.algorithms, algorithms_help);
  keys.optional("chunks", defaults.chunks, chunks_help, positive);
  keys.optional_items(
      "protocols", system.protocols, "what the protocols of the communication library cost",
      [&](Keys& protocol, ProtocolCost& cost, std::size_t) { describe_protocol(protocol, cost); });
  std::optional<LibraryName> library;
  keys.optional("library", library, library_help);
  const MeasuredProtocols* measured = library ? find_measured_protocols(library->name) : nullptr;
  if (measured != nullptr && system.protocols.empty())
    system.protocols = costs_on(*measured, topology.levels);
  if (!system.protocols.empty()) defaults.spec.protocol = Protocol::automatic;
  keys.optional("protocol", defaults.spec.protocol, protocol_help);
  keys.check([&](Reader& reader) {
    defaults.schedule_origin = reader.origin_of("schedule");
    defaults.algorithms_origin = reader.origin_of("algorithms");
    defaults.chunks_origin = reader.origin_of("chunks");
    defaults.protocol_origin = reader.origin_of("protocol");
    defaults.schedule_given = reader.given("schedule");
    if (topology_known && reader.clean())
      reader.report(problems_of_count("algorithms", defaults.algorithms.values,
                                      defaults.spec.schedule, topology));
    topology_known = topology_known && reader.clean();
  });
  for (int i = 0; i < collective_count; ++i) {
    const auto kind = static_cast<Collective>(i);
    keys.named_map(name_of(kind), "settings of this kind of collective, instead of those for all",
                   [&](Keys& collective) {
                     describe_collective(collective, kind, system.collectives[i], defaults, system,
                                         topology, topology_known);
                   });
  }
  keys.optional("minimum_chunk", system.minimum_chunk, "least size of a chunk", positive);
  keys.optional("first_phase_limit", system.first_phase_limit,
                "chunks of a rank that may be in their first phase at once", positive);
  keys.optional("overlap_limit", system.overlap_limit,
                "collectives of a communicator that a rank has under way at once; without it any "
                "number",
                positive);
  keys.optional("queue_limit", system.queue_limit, "chunks that run at once in a queue of a level",
                positive);
  keys.optional("queues_per_level", system.queues_per_level,
                "queues of a level, which its chunks take in turn", between(1, queues_at_most));
  describe_endpoints(keys, system);
  if (keys.given("remote_memory"))
    keys.map("remote_memory",
             "where loads and stores of a trace go (CXL, a pool): a request takes the latency and "
             "its bytes at the bandwidth; without it what was recorded",
             [&](Keys& memory) { describe_remote_memory(memory, system.remote_memory.emplace()); });
  if (measured != nullptr) system.channels = measured->channels;
  keys.map("channels",
           "multiprocessors that the communication library's kernels take from compute beside them",
           [&](Keys& channels) { describe_channels(channels, system.channels); });
  keys.optional("sm_tax", system.sm_tax,
                "share of a rank's processor that its communication takes from compute beside it, "
                "instead of channels");
  keys.check([&](Reader& reader) {
    reader.report(problems_of_tax(system.sm_tax));
    if (reader.given("sm_tax")) system.channels = {};  // 0 too
  });
}

}  // namespace orrery::yaml
