// What messages between stages of a pipeline take behind a taper.
#include "simulation/search/exchange_times.h"

#include <catch2/catch.hpp>

#include "tests/simulation/search/small_search.h"

namespace orrery {
namespace {

const std::string tapered = R"(platform:
  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s, memory: 10 GB}
  topology: {leaf_spine: {leaves: 2, spines: 1, plugs: 4, bandwidth: 100 Gb/s, latency: 0 s}}
system: {injection_latency: 0 s}
workload:
  transformer: {layers: 2, hidden: 8, heads: 2, vocabulary: 16, sequence: 4, tied_embeddings: false}
  training: {global_batch: 8}
)";

}  // namespace

// Four NPUs of a leaf have one link of 12.5 GB/s to the spine. To ranks four away all of them send
// over it, to ranks two away the last two of a leaf, and to the next rank only the last one: 1 MB
// takes 80 us at a port, and 320, 160 and 80 us while all send.
TEST_CASE("messages of stages share the links that leave their leaf") {
  const SearchFile file(tapered, "tapered");
  const Experiment experiment = load_experiment(file.path(), {});
  const Topology topology(experiment.topology);
  EstimatedExchangeTimes times(topology, experiment.system);
  const Bytes size = bytes(1'000'000);
  CHECK(times.message(1, size).sending == microseconds(80));
  CHECK(times.message(2, size).sending == microseconds(160));
  CHECK(times.message(4, size).sending == microseconds(320));
  CHECK(times.message(4, size).arrival == microseconds(320));
}

// Of four tensor-parallel ranks the next one is in the same leaf, and so is the first one of the
// last: nothing of what eight of them pass on leaves it but from the last to the first.
TEST_CASE("what a group passes on in a ring goes over the links of that group") {
  std::string slow = tapered;
  slow.replace(slow.find("bandwidth: 100 Gb/s"), 19,
               "bandwidth: 100 Gb/s, uplink_bandwidth: 10 Gb/s");
  const SearchFile file(slow, "tapered");
  const Experiment experiment = load_experiment(file.path(), {});
  const Topology topology(experiment.topology);
  EstimatedExchangeTimes times(topology, experiment.system);
  const Bytes size = bytes(1'000'000);
  CHECK(times.message(1, size).sending == microseconds(800));
  CHECK(times.shift(1, 4, size).sending == microseconds(80));
  CHECK(times.shift(1, 8, size).sending == microseconds(800));
}

// Two servers of four. Of 8 MB each rank sends its 1 MB to the other server, 100 us at 10 GB/s, and
// receives three times 2 MB inside its own, 60 us at 100 GB/s.
TEST_CASE("an exchange says how long it keeps the ports of each level busy") {
  const SearchFile file(R"(platform:
  npu: {peak: 1 TFLOP/s, memory_bandwidth: 100 GB/s, memory: 10 GB}
  topology:
    levels:
      - {size: 4, bandwidth: 100 GB/s, latency: 0 s}
      - {size: 2, bandwidth: 10 GB/s, latency: 0 s}
system: {injection_latency: 0 s}
workload:
  transformer: {layers: 2, hidden: 8, heads: 2, vocabulary: 16, sequence: 4, tied_embeddings: false}
  training: {global_batch: 8}
)",
                        "ports");
  const Experiment experiment = load_experiment(file.path(), {});
  const Topology topology(experiment.topology);
  EstimatedExchangeTimes times(topology, experiment.system);
  const Communicator all{"all", std::vector<Extent>{{8, 1}}};
  const PortUse& use = times.collective(all, Collective::all_gather, bytes(8'000'000));
  CHECK(use.at_ports[0] == microseconds(60));
  CHECK(use.at_ports[1] == microseconds(100));
  CHECK(use.time >= microseconds(100));
  CHECK(use.time <= microseconds(160));
}

}  // namespace orrery
