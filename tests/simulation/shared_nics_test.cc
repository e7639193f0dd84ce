// What reports say of NPUs that share NICs, and of NICs behind a slow bus.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "frontends/yaml/load_experiment.h"
#include "network/inner_links.h"
#include "report/topology_text.h"
#include "simulation/simulate.h"
#include "simulation/traffic/flows.h"
#include "simulation/what_if.h"
#include "tests/paths.h"

namespace orrery {
namespace {

using Catch::Contains;
using Catch::StartsWith;

Experiment of_servers(const std::string& platform, const std::string& size = "64 MB") {
  const std::string file = build_folder() + "/shared_nics_test.yaml";
  std::ofstream(file) << "platform: {" << platform
                      << "}\nworkload: {program: [{operations: [{all_reduce: " << size << "}]}]}\n";
  return load_experiment(file, {});
}

std::string knob_on(const std::string& level, const Experiment& experiment) {
  const RunResult result = simulate(experiment);
  for (const TimePart& part : result.why)
    if (part.level == level) return part.knob;
  return "none";
}

std::string described(const Experiment& experiment) {
  return topology_text(Topology(experiment.topology), inner_links(experiment.topology));
}

// Each leaf has two NICs below and two links up, all of 12.5 GB/s: 1:1. The eight NPUs of a server
// send 25 GB/s together, and each alone what four of them do.
const std::string not_tapered =
    "server: hgx-h100, nodes: 2, nic: 2x100 Gb/s, leaf_spine: {leaves: 2, spines: 2}";

// With 12 servers on two leaves 12 x 12.5 GB/s of NICs have 2 x 12.5 GB/s up: 6:1.
const std::string tapered =
    "server: hgx-h100, nodes: 12, nic: 2x100 Gb/s, leaf_spine: {leaves: 2, spines: 2}";

}  // namespace

TEST_CASE("NICs that NPUs share are no taper of the fabric behind them") {
  CHECK(knob_on("spine", of_servers(not_tapered)) ==
        "faster NICs, which several NPUs share (now 4:1)");
  CHECK(knob_on("spine", of_servers(tapered)) == "less taper at spine (now 6:1)");
}

// 1 GB among 8 servers of 8 NPUs, two on a leaf: NVLink leaves 125 MB to each NPU, of which half
// goes to the other server of the leaf and comes back, 125 MB in all, and 3/4 of the other half to
// other leaves and back, 93.75 MB. Two NPUs share a NIC of 50 GB/s: 437.5 MB take 8.75 ms, on
// either level. A prediction by which both levels have that NIC to themselves takes 6.25 on the
// first.
TEST_CASE("what several NPUs send by one NIC on several levels is not predicted below its bound") {
  const Experiment automatic = of_servers(
      "server: hgx-h100, nodes: 8, nic: 4x400 Gb/s, leaf_spine: {leaves: 4, spines: 16}", "1 GB");
  Experiment named = automatic;
  CollectiveSpec& spec = named.system.collectives[static_cast<std::size_t>(Collective::all_reduce)];
  spec.algorithms = {NamedAlgorithm("ring"), NamedAlgorithm("ring"), NamedAlgorithm("pat")};
  spec.chunks = 32;
  spec.any_chunks = false;
  for (const Experiment& experiment : {automatic, named}) {
    const RunResult result = simulate(experiment);
    REQUIRE(result.selected.size() == 1);
    CHECK(result.bound >= microseconds(8'750));
    CHECK(result.selected[0].predicted >= result.bound);
    CHECK(result.selected[0].predicted->value <= result.finish.value / 100 * 105);
  }
}

// 100 MB among 4: each rank sends 2 x 3/4 x 100 MB by its port. The slowest, of 25 GB/s, takes 6
// ms, however fast the others are. Where a port is kept for a message as long as the other one
// takes it, a fast port waits for a slow one, which waits for the next.
TEST_CASE("faster ports beside a slow one do not make a collective slower") {
  const auto of_ports = [](int slow) {
    std::string nodes, links;
    for (int i = 0; i < 4; ++i) {
      nodes += fmt::format("{{name: n{}, kind: npu}}, ", i);
      links += fmt::format("{{from: n{}, to: s, bandwidth: {} GB/s, latency: 10 ns}}, ", i,
                           i < slow ? 25 : 50);
    }
    return of_servers(fmt::format("topology: {{graph: {{nodes: [{}{{name: s, kind: switch}}], "
                                  "links: [{}]}}}}",
                                  nodes, links),
                      "100 MB");
  };
  const RunResult all = simulate(of_ports(4)), one = simulate(of_ports(1));
  CHECK(all.backend == "analytical");
  CHECK(one.backend == "fluid");
  CHECK(one.backend_because == "a port that is slower than others of its level does not fill them");
  CHECK(one.finish >= milliseconds(6));
  CHECK(one.finish * 100 <= all.finish * 101);
}

TEST_CASE("oversubscription is of what NPUs can send at once by the NICs that they share") {
  CHECK_THAT(described(of_servers(not_tapered)),
             Contains("oversubscription  1 (what half of the NPUs can send, 25 GB/s, to that)") &&
                 Contains("shared NICs       3.125 GB/s for each NPU of level spine while all"));
  // 12 NICs of the first leaf send 150 GB/s, 25 GB/s get across.
  CHECK_THAT(described(of_servers(tapered)),
             Contains("oversubscription  6 (") && !Contains("\n  taper"));
  CHECK_THAT(described(of_servers("server: hgx-h100, nodes: 2, leaf_spine: {leaves: 2}")),
             !Contains("shared NICs"));
}

// 24 NICs of 25 GB/s. One flow each at once of 1 GB: at an NPU's part, 6.25 GB/s, 160 ms.
TEST_CASE("a load of hosts is of the NICs that they share") {
  const Experiment experiment = of_servers(
      "server: hgx-h200, nodes: 12, nic: 2x200 Gb/s, leaf_spine: {leaves: 3, spines: 2}");
  const Topology topology(experiment.topology);
  const FabricCapacity capacity = capacity_of(topology);
  CHECK(capacity.host == Approx(25e9));
  CHECK(capacity.hosts == Approx(600e9));
  TrafficSpec spec;
  spec.flows.sizes = {{bytes(1'000'000'000), 1.0}};
  spec.flows.at_once = true;
  choose_open_times(spec, topology);
  CHECK(*spec.flows.length == milliseconds(160));
  CHECK(offered(spec, capacity) == Approx(capacity.hosts));
}

// PCIe 5.0 brings 64 GB/s to a NIC of 100: faster NICs gain nothing, a bus of 128 lets the NIC bind
// at 100. 1 GB of 128 ranks on 16 rails: 2 x 15/16 x 125 MB over each NIC, in lines of 120 of 128
// B: 3.906 ms at 64 GB/s, 2.5 at 100.
TEST_CASE("where the bus between NPUs and NICs binds, it is what should be wider") {
  const Experiment slow = of_servers("server: hgx-b200, nodes: 16, nic: 800 Gb/s", "1 GB");
  CHECK(knob_on("unit", slow) == "a wider bus between NPUs and NICs (bus_bandwidth, now 64 GB/s)");
  const RunResult result = simulate(slow);
  const std::vector<Alternative> all = alternatives(slow, result);
  const auto finish = [&](const std::string& change) {
    const auto found = std::ranges::find(all, change, &Alternative::change);
    return found == all.end() ? Duration{} : simulate(found->experiment).finish;
  };
  CHECK(finish("unit: bandwidth x 2") == result.finish);
  const Experiment wide = of_servers(
      "server: {preset: hgx-b200, bus_bandwidth: 128 GB/s}, nodes: 16, nic: 800 Gb/s", "1 GB");
  CHECK(finish("unit: bus between NPUs and NICs x 2") == simulate(wide).finish);
  const Experiment both = of_servers(
      "server: {preset: hgx-b200, bus_bandwidth: 128 GB/s}, nodes: 16, nic: 1600 Gb/s", "1 GB");
  CHECK(finish("unit: bandwidth and bus x 2") == simulate(both).finish);
}

// NICs of 50 GB/s would be held up by a bus of 64 if they were twice as fast, and are not now.
TEST_CASE("a NIC that is slower than its bus is what should be faster, as far as the bus goes") {
  const std::string servers = "server: hgx-b200, nodes: 16, nic: ";
  const Experiment slow = of_servers(servers + "400 Gb/s", "1 GB");
  CHECK(knob_on("unit", slow) == "more bandwidth on unit");
  const RunResult result = simulate(slow);
  const std::vector<Alternative> all = alternatives(slow, result);
  const auto twice = std::ranges::find(all, "unit: bandwidth x 2", &Alternative::change);
  REQUIRE(twice != all.end());
  CHECK(simulate(twice->experiment).finish ==
        simulate(of_servers(servers + "800 Gb/s", "1 GB")).finish);
  CHECK(std::ranges::find(all, "unit: bus between NPUs and NICs x 2", &Alternative::change) ==
        all.end());
}

}  // namespace orrery
