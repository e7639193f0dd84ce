// Jobs over RoCE, in closed form.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "simulation/simulate.h"
#include "tests/simulation/small_jobs.h"

namespace orrery {
namespace {

TEST_CASE("a ring all-reduce of 64 MB over RoCE takes its closed form") {
  // 8 ranks: 14 steps of 8 MB, 1,954 packets of up to 4,096 B with 82 B of headers each and 16 B
  // once. A rank's link also carries the acknowledgements of what it receives, 86 B a packet. Then
  // the path: 2 us, and the first packet on the first link. 14 x (8,328,288 B x 80 ps + 2.34 us) =
  // 9.36 ms. HPCC's packets and acknowledgements have 10 B of telemetry more, and it fills 95 % of
  // a link.
  for (const std::string control : {"none", "dcqcn", "hpcc", "timely", "swift", "dctcp"}) {
    Experiment experiment =
        with_program(without_latency({{"fabric", LevelKind::switched, 8, gigabits_per_second(100),
                                       microseconds(1), Scope::scale_out}}),
                     Duration{}, bytes(64'000'000));
    for (CollectiveSpec& collective : experiment.system.collectives)
      collective.algorithms = {"ring"};
    experiment.network.backend = "packet";
    experiment.network.transport.congestion_control = control;
    const RunResult result = simulate(experiment);
    const bool hpcc = control == "hpcc";
    const double step = (8'000'000 + 1'954 * (hpcc ? 92 + 96 : 82 + 86) + 16) / (hpcc ? 0.95 : 1);
    const double expected = 14 * (step * 80e-6 + 2 + 4'194 * 80e-6);
    CAPTURE(control);
    CHECK(static_cast<double>(result.finish.value) * 1e-6 == Approx(expected).epsilon(0.02));
    REQUIRE(result.packets);
    CHECK(result.packets->drops == 0);
    REQUIRE(result.packets->roce);
  }
}

// Seven ranks send an eighth of `size` each to rank 0, on a star of 100 Gb/s.
Experiment incast(Bytes size) {
  Experiment experiment =
      without_latency({{"fabric", LevelKind::switched, 8, gigabits_per_second(100), microseconds(1),
                        Scope::scale_out}});
  const CollectiveCall call{
      .kind = Collective::gather, .communicator = 0, .size = size, .update = {}};
  ProgramSpec program;
  program.parts.emplace_back().steps.push_back({"incast", {0, -1, call}});
  experiment.workload.what = std::move(program);
  for (CollectiveSpec& collective : experiment.system.collectives)
    collective.algorithms = {"direct"};
  experiment.network.backend = "packet";
  return experiment;
}

TEST_CASE("pauses of a run are counted, by whom, longest first") {
  // Without control and window 56 MB meet 4 MB of memory. Only
  // the links to the switch are paused, by the switch.
  Experiment experiment = incast(bytes(64'000'000));
  experiment.network.transport.congestion_control = "none";
  experiment.network.transport.roce.window.kind = PairWindow::Kind::none;
  experiment.network.switches.buffer = bytes(4'000'000);
  const RunResult result = simulate(experiment);
  REQUIRE(result.packets);
  REQUIRE(result.packets->roce);
  const PacketResult& packets = *result.packets;
  CHECK(packets.drops == 0);
  REQUIRE(packets.pauses.size() == 7);
  std::uint64_t count = 0;
  Duration time;
  for (const PauseRow& row : packets.pauses) {
    CHECK(row.by == "switch 8");
    CHECK(row.priority == 3);
    CHECK((&row == packets.pauses.data() || row.time <= (&row - 1)->time));
    count += row.count;
    time += row.time;
  }
  CHECK(packets.roce->pauses == count);
  CHECK(packets.roce->paused == time);
  // Each of the seven links may send a seventh of the time, and is paused for the rest, less what
  // the memory and the links take at first.
  const double share =
      static_cast<double>(time.value) / 7 / static_cast<double>(result.finish.value);
  CHECK(share == Approx(6.0 / 7).margin(0.08));
}

TEST_CASE("a control that holds senders back is named before what else there is to change") {
  // Links of 20 us: TIMELY takes the idle round trip, 80 us, for queues (T_low is 50 us) and slows
  // down, so no link is busy.
  Experiment experiment =
      with_program(without_latency({{"fabric", LevelKind::switched, 8, gigabits_per_second(100),
                                     microseconds(20), Scope::scale_out}}),
                   Duration{}, bytes(64'000'000));
  for (CollectiveSpec& collective : experiment.system.collectives) collective.algorithms = {"ring"};
  experiment.network.backend = "packet";
  experiment.network.transport.congestion_control = "timely";
  const RunResult result = simulate(experiment);
  REQUIRE(!result.why.empty());
  CHECK(result.packets->roce->held_by_rate > 0.2);
  CAPTURE(name_of(result.why[0].bound_by), result.why[0].knob);
  CHECK(result.why[0].knob.starts_with(
      "another network.transport.congestion_control (timely kept senders below line rate, "));
}

// 32 NPUs all-reduce 16 MB inside of servers and across: rings of 8 over two spines. By hand 6 MB
// of each of eight NPUs cross two uplinks of a leaf at least, 1.9 ms. DCQCN takes twice as long,
// with links that idle and windows that are no shorter than before.
TEST_CASE("a control is named where links idle, also beside a window that is full") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_control." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file)
      << "platform: {topology: {leaf_spine: {leaves: 4, spines: 2, plugs: 8, bandwidth: 100 Gb/s, "
         "latency: 0.5 us, node: {npus: 4, bandwidth: 100 GB/s, latency: 0.5 us, nics: 4, "
         "bus_bandwidth: 32 GB/s}}}}\n"
         "network: {backend: packet, transport: {kind: roce, congestion_control: dcqcn}}\n"
         "system: {algorithms: ring, chunks: 1, protocol: none}\n"
         "workload: {program: [{operations: [{all_reduce: 16 MB}]}]}\n";
  const Experiment experiment = load_experiment(file, {});
  std::filesystem::remove(file);
  const RunResult result = simulate(experiment);
  Experiment free = experiment;
  free.network.transport.congestion_control = "none";
  CHECK(simulate(free).finish.value < result.finish.value * 6 / 10);
  REQUIRE(!result.why.empty());
  CHECK_THAT(result.why[0].knob,
             Catch::StartsWith("another network.transport.congestion_control (dcqcn kept"));
}

// NPU 0, which takes 10 Gb/s of its 100, beside six that send to it.
RunResult with_slow_receiver(bool pauses) {
  Experiment experiment = incast(bytes(8'000'000));
  experiment.network.transport.congestion_control = "none";
  experiment.network.transport.roce.window.kind = PairWindow::Kind::none;
  experiment.network.switches.buffer = bytes(1'000'000);
  experiment.network.switches.pfc.enabled = pauses;
  experiment.network.switches.slow = {{.npu = 0, .rate = gigabits_per_second(10)}};
  return simulate(experiment);
}

TEST_CASE("a slow receiver is named as the root of its storm, with what it paused") {
  // 7 MB come to a NIC of 262 kB, so it pauses its switch, and that of 1 MB each of the seven
  // links. At a tenth of the rate a pause ends with every packet that the host takes, so none lasts
  // for the watchdog's 10 ms.
  const RunResult result = with_slow_receiver(true);
  REQUIRE(result.packets);
  CHECK(result.packets->roce->watchdogs == 0);
  const auto storm = std::ranges::find_if(result.notices, [](const std::string& notice) {
    return notice.starts_with(
        "PFC storm: the root is npu 0, which takes 1.25 GB/s (network.slow). ");
  });
  REQUIRE(storm != result.notices.end());
  CHECK(storm->find("Paused: switch 8 -> npu 0 for ") != std::string::npos);
  CHECK(storm->find(", npu 1 -> switch 8 for ") != std::string::npos);
  CHECK(result.packets->pauses.size() == 8);
  // Its link is a tenth busy, so there is no contention; the control holds nobody, and a larger
  // window would change nothing.
  REQUIRE(!result.why.empty());
  CHECK(result.why[0].bound_by == BoundBy::slow_receiver);
  CHECK(result.why[0].held_by == "npu 0");
  CHECK(result.why[0].knob ==
        "npu 0 takes what comes more slowly than its links bring it (network.slow)");
  // Without pauses the NIC loses packets, and the notice says so.
  const RunResult lossy = with_slow_receiver(false);
  const auto lost = std::ranges::find_if(lossy.notices, [](const std::string& notice) {
    return notice.starts_with("npu 0 takes 1.25 GB/s (network.slow): its NIC lost ");
  });
  CHECK(lost != lossy.notices.end());
  CHECK(lossy.why[0].bound_by == BoundBy::slow_receiver);
}

}  // namespace
}  // namespace orrery
