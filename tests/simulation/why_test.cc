// Why a run takes as long as it does, on cases made so that the answer is known.
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "frontends/yaml/load_experiment.h"
#include "report/why_text.h"
#include "simulation/critical_stage.h"
#include "simulation/simulate.h"
#include "tests/simulation/known_causes.h"

namespace orrery {
namespace {

using namespace known_causes;

// From rank 0 to three others on a switch of 1 GB/s and 1 us.
Experiment with_broadcast(const char* algorithm, std::int32_t chunks,
                          Bytes size = bytes(1'000'000)) {
  Experiment experiment =
      without_latency({{"switch", LevelKind::switched, 4, gigabytes_per_second(1), nanoseconds(500),
                        Scope::scale_out}});
  ProgramSpec program;
  const CollectiveCall call{
      .kind = Collective::broadcast, .communicator = 0, .size = size, .update = {}};
  program.parts.emplace_back().steps.push_back({"weights", {0, -1, call}, true});
  experiment.workload.what = std::move(program);
  CollectiveSpec& spec =
      experiment.system.collectives[static_cast<std::size_t>(Collective::broadcast)];
  spec.algorithms = {NamedAlgorithm(algorithm)};
  spec.chunks = chunks;
  experiment.system.queue_limit = experiment.system.first_phase_limit = 128;
  return experiment;
}

const TimePart& largest(const RunResult& result) {
  Duration all;
  for (const TimePart& part : result.why) all += part.time;
  CHECK(all == result.finish);
  REQUIRE_FALSE(result.why.empty());
  return result.why.front();
}

// The largest of the parts that are waited for.
const TimePart& largest_wait(const RunResult& result) {
  largest(result);
  const auto wait = std::ranges::find_if(result.why, [](const TimePart& part) {
    return !part.level.empty() || part.bound_by == BoundBy::late_ranks;
  });
  REQUIRE(wait != result.why.end());
  return *wait;
}

RunResult of_platform(const std::string& topology, const std::string& workload,
                      const std::string& backend) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_why_of." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform: {topology: {" + topology + "}}\nnetwork: {backend: " + backend +
                             "}\nsystem: {library: none, schedule: flat, algorithms: ring, "
                             "chunks: 1}\nworkload: {" +
                             workload + "}\n";
  RunResult result = simulate(load_experiment(file, {}));
  std::filesystem::remove(file);
  return result;
}

TEST_CASE("why: a bubble") {
  const RunResult result = simulate(bubble_only());
  CHECK(largest(result).part == "bubble");
  CHECK(largest(result).bound_by == BoundBy::schedule);
  CHECK(largest(result).share == Approx(0.75).epsilon(0.01));
}

// The head of 144 h^2 parameters, after four layers of 12 h^2, makes the last of two stages take
// four times as long as the first: 16 micro-batches keep it busy for 64 of 65 parts of the time.
// The first stage, which ends with the last backward pass, waits for three quarters of it.
TEST_CASE("why: a stage that the other waits for") {
  const RunResult result = simulate(uneven_stages(144));
  REQUIRE(critical_stage(result) != nullptr);
  CHECK(critical_stage(result)->stage == 1);
  CHECK(result.training->stages[0].bubble.value > result.finish.value * 7 / 10);
  CHECK(largest(result).part == "compute");
  CHECK(largest(result).share > 0.95);
  CHECK(unevenness(result) == Approx(4).epsilon(0.05));  // with the scores, which both have
  CHECK_THAT(largest(result).knob,
             Catch::StartsWith("training.pipeline: 1, data: 8 (stage 1 computes 3.9 times as long "
                               "as others), or a faster processor"));
  CHECK_THAT(largest(simulate(uneven_stages(0))).knob, Catch::StartsWith("a faster processor"));
}

// 10^14 + 7 bytes over three hops take (3 * 10^14 + 21) * 1,000 ps, more than the 2^53 ps that a
// double counts one by one, and 3 us. The parts are still the whole time.
TEST_CASE("why: the parts of days are exact") {
  const RunResult result = simulate(with_broadcast("chain", 1, bytes(100'000'000'000'007)));
  CHECK(result.finish == picoseconds(300'000'000'000'021'000) + microseconds(3));
  largest(result);
}

TEST_CASE("why: tensor parallelism inside of a node") {
  const RunResult result = simulate(tensor_inside());
  CHECK(largest(result).part == "TP");
  CHECK(largest(result).level == "node");
  CHECK(largest(result).bound_by == BoundBy::bandwidth);
  CHECK(largest(result).bandwidth == largest(result).time);
  CHECK(largest(result).share > 0.9);
}

TEST_CASE("why: tensor parallelism across nodes") {
  const RunResult result = simulate(tensor_across());
  CHECK(largest(result).part == "TP");
  CHECK(largest(result).level == "fabric");
  CHECK(largest(result).bound_by == BoundBy::bandwidth);
  CHECK(largest(result).bandwidth == largest(result).time);
}

TEST_CASE("why: exposed gradients") {
  const RunResult result = simulate(exposed_gradients());
  CHECK(largest(result).part == "DP");
  CHECK(largest(result).level == "fabric");
  CHECK(largest(result).bound_by == BoundBy::bandwidth);
  CHECK(largest(result).bandwidth == largest(result).time);
}

TEST_CASE("why: an all-reduce of next to nothing") {
  const RunResult result = simulate(latency_only());
  CHECK(largest(result).part == "all_reduce");
  CHECK(largest(result).level == "ring");
  CHECK(largest(result).bound_by == BoundBy::latency);
  CHECK(largest(result).latency == microseconds(140));
  CHECK(largest(result).bandwidth == nanoseconds(14));
  CHECK(largest(result).rest == Duration{});
}

// A port needs two thirds of the time, and its own bandwidth bounds it. The hot link takes the
// rest, and comes first: a wider port waits for it as long.
TEST_CASE("why: a hot link of ECMP") {
  const RunResult result = simulate(hot_link());
  const TimePart& hot = result.why.at(0);
  const TimePart& port = result.why.at(1);
  CHECK(port.level == "leaf");
  CHECK(port.bound_by == BoundBy::bandwidth);
  CHECK(port.share > 0.66);
  CHECK(port.knob == hot.knob);
  CHECK(hot.bound_by == BoundBy::contention);
  CHECK(hot.share > 0.33);
  CHECK_THAT(hot.held_by, Catch::Contains("spine"));
  CHECK_THAT(hot.knob, Catch::StartsWith("network.routing.policy: spray, or "));
  CHECK_THAT(why_sentence(result, 200), Catch::StartsWith("all_reduce on spine"));
}

// Two servers of 4 NPUs on each of 2 leaves, 4 spines, links of B = 8 GB/s: the 8 NPUs of a leaf
// share 4 uplinks, a taper of 2. Of 64 MB each sends half to the other leaf, 256 MB in all: 64 MB
// on each uplink, 8 ms. They are 16 flows of 16 MB, of which the hash lays 8 on one uplink, 16 ms.
// The taper does not hold it up: all paths at once take 8 ms, and then it does.
TEST_CASE("why: a hash lays more than its part on a link of a taper") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_hash." + std::to_string(getpid()) + ".yaml");
  const auto with = [&](const std::string& policy) {
    std::ofstream(file) << "platform: {topology: {leaf_spine: {leaves: 2, spines: 4, plugs: 8, "
                           "node: {npus: 4, bandwidth: 400 GB/s}, bandwidth: 8 GB/s}}}\n"
                           "system: {library: none, algorithms: direct, chunks: 1}\n"
                           "network: {backend: fluid, routing: {policy: " +
                               policy +
                               "}}\nworkload: {program: [{operations: [{all_to_all: 64 MB}]}]}\n";
    return simulate(load_experiment(file, {}));
  };
  const RunResult hashed = with("ecmp"), even = with("spray");
  std::filesystem::remove(file);
  REQUIRE(hashed.links.front().bytes == bytes(128'000'000));
  CHECK(hashed.finish - even.finish == milliseconds(8));
  CHECK(largest(hashed).level == "spine");
  CHECK(largest(hashed).rest == milliseconds(8));
  CHECK(largest(hashed).bound_by == BoundBy::contention);
  CHECK_THAT(largest(hashed).knob, Catch::StartsWith("network.routing.policy: spray"));
  CHECK(largest(even).bound_by == BoundBy::bandwidth);
  CHECK_THAT(largest(even).knob, Catch::StartsWith("less taper at spine"));
}

// 80 MB at 8 GB/s, S/B = 10 ms, among 2 leaves of 4. Inside of a leaf a ring moves 3/4 S in 7.5 ms.
// Then each rank sends half of its S/4 to the other leaf: 1.25 ms at its own port, but four of them
// share an uplink of B/2, which takes 4 x (S/8) / (B/2) = S/B = 10 ms. All is 17.5 ms, of which the
// spine has 10, though most bytes of a rank stay in the leaf. The three steps on the leaf and the
// one across take less than 0.1 us of latency in all.
TEST_CASE("why: a taper that holds up the phase with the fewest bytes") {
  const auto folder = std::filesystem::temp_directory_path();
  const auto file = folder / ("orrery_why_test." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform:\n"
                         "  topology:\n"
                         "    leaf_spine: {leaves: 2, plugs: 4, spines: 1, bandwidth: 8 GB/s,\n"
                         "                 uplink_bandwidth: 4 GB/s, latency: 1 ns}\n"
                         "system: {algorithms: ring, chunks: 1, schedule: baseline}\n"
                         "workload:\n"
                         "  program: [{operations: [{name: g, reduce_scatter: 80 MB}]}]\n";
  const RunResult result = simulate(load_experiment(file, {}));
  std::filesystem::remove(file);
  CHECK(result.finish > microseconds(17'500));
  CHECK(result.finish < microseconds(17'501));
  CHECK(largest(result).level == "spine");
  CHECK(largest(result).bound_by == BoundBy::bandwidth);  // all its links are as full
  CHECK(largest(result).time >= milliseconds(10));
  CHECK(largest(result).time < microseconds(10'001));
}

// A ring of 4 sends 2 x 3/4 x 1 GB = 1.5 GB over each link: 60 ms at 25 GB/s, 240 ms at the 6.25
// GB/s of d. Nothing else is on that link, so what bounds it is its bandwidth, 1.5 us of latency
// aside.
TEST_CASE("why: one link that is narrower than the others, and that nobody shares") {
  for (const char* backend : {"fluid", "analytical"}) {
    CAPTURE(backend);
    const RunResult result = of_platform(
        "graph: {nodes: [{name: a, kind: npu}, {name: b, kind: npu}, {name: c, kind: npu}, {name: "
        "d, kind: npu}, {name: s, kind: switch}], links: [{from: a, to: s, bandwidth: 25 GB/s, "
        "latency: 1 ns}, {from: b, to: s, bandwidth: 25 GB/s, latency: 1 ns}, {from: c, to: s, "
        "bandwidth: 25 GB/s, latency: 1 ns}, {from: d, to: s, bandwidth: 6.25 GB/s, latency: 1 "
        "ns}]}",
        "program: [{operations: [{all_reduce: 1 GB}]}]", backend);
    CHECK(result.finish >= milliseconds(240));
    CHECK(result.finish < microseconds(240'010));
    CHECK(largest(result).bound_by == BoundBy::bandwidth);
    CHECK(largest(result).held_by == "d -> s");
    CHECK(largest(result).bandwidth >= microseconds(239'900));
    CHECK(largest(result).knob == "more bandwidth on d -> s");
  }
}

// 20 MB at 50 GB/s are 0.4 ms, on every link of the way from one leaf to the other. Nobody else
// sends, so nothing can be shared: all that a run waits for is bandwidth, or the way.
TEST_CASE("why: one message alone, in packets, over two tiers") {
  const RunResult result = of_platform(
      "leaf_spine: {leaves: 2, plugs: 2, bandwidth: 50 GB/s, latency: 500 ns, spines: 2}",
      "program: [{ranks: 0, operations: [{send: 20 MB, to: 2}]}, {ranks: 2, operations: [{receive: "
      "20 MB, from: 0}]}]",
      "packet");
  CHECK(result.finish >= microseconds(400));
  CHECK(largest(result).bound_by == BoundBy::bandwidth);
  for (const TimePart& part : result.why) CHECK(part.bound_by != BoundBy::contention);
}

// Two rings of 9 over 3 leaves: 2 x 8/9 x 900 MB = 1.6 GB over each link, 64 ms at 25 GB/s, and two
// messages at a time leave a leaf, over two spines: an uplink each, as full as the port of the NPU,
// which is on the level of the leaves. Only both together gain. On one spine both jobs share it,
// 128 ms.
TEST_CASE("why: uplinks that jobs do not share are no taper") {
  const auto run = [](const std::string& spines) {
    return of_platform(
        "leaf_spine: {leaves: 3, plugs: 6, bandwidth: 25 GB/s, latency: 1 ns, spines: " + spines +
            "}",
        "jobs: [{name: a, npus: \"0-2,6-8,12-14\", program: [{operations: [{all_reduce: 900 "
        "MB}]}]}, "
        "{name: b, npus: \"3-5,9-11,15-17\", program: [{operations: [{all_reduce: 900 MB}]}]}]",
        "fluid");
  };
  const RunResult enough = run("2");
  CHECK(enough.finish < microseconds(64'010));
  CHECK(largest(enough).level == "spine");
  CHECK(largest(enough).held_by == "leaf");
  CHECK(largest(enough).knob == "more bandwidth on leaf and spine");
  const RunResult shared = run("1");
  CHECK(shared.finish > milliseconds(127));
  CHECK_THAT(largest(shared).knob, Catch::StartsWith("jobs that start apart or share no links") &&
                                       Catch::Contains("less taper at spine"));
}

// Four ranks of a leaf send 1 MB each to the other leaf: 3.2 ms on one uplink of 1.25 GB/s, beside
// which ports carry 1.75 MB in 1.4 ms. With 60 kB of memory the switches lose packets, and timers
// take most of what is beyond. With four uplinks nothing is lost before them; the link to NPU 1
// loses packets of messages that crossed the spine, too.
TEST_CASE("why: losses of TCP, on the level that lost the packets") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_losses." + std::to_string(getpid()) + ".yaml");
  const auto largest_of = [&](int spines, const std::string& switches) {
    std::ofstream(file) << "platform: {topology: {leaf_spine: {leaves: 2, spines: " << spines
                        << ", plugs: 4, bandwidth: 10 Gb/s, latency: 1 us}}}\n"
                           "system: {algorithms: direct, chunks: 1}\n"
                           "network: {backend: packet, transport: {kind: tcp}, switch: "
                        << switches << "}\nworkload: {all_to_all: 2 MB}\n";
    const RunResult result = simulate(load_experiment(file, {}));
    CHECK(result.packets->timeouts > 0);
    return largest(result);
  };
  const TimePart uplink = largest_of(1, "{buffer: 60 kB}");
  CHECK(uplink.level == "spine");
  CHECK(uplink.bound_by == BoundBy::losses);
  CHECK(uplink.bandwidth >= microseconds(3'200));
  const TimePart plug =
      largest_of(4, "{buffer: 2 MB, lossy_links: [{link: \"leaf0 -> npu1\", loss: 5 %}]}");
  CHECK(plug.level == "leaf");
  CHECK(plug.bound_by == BoundBy::losses);
  std::filesystem::remove(file);
}

// 125 B to each of seven and back: two steps over four links of 500 ns, 4 us. In packets the bytes
// and headers of 14 messages add 0.4 us.
TEST_CASE("why: few bytes over two tiers wait for the latency of both") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_tiers." + std::to_string(getpid()) + ".yaml");
  for (const std::string network : {"{transport: roce}", "{backend: fluid}"}) {
    std::ofstream(file) << "platform: {leaf_spine: {nodes: 8, leaves: 2, bandwidth: 100 Gb/s}}\n"
                           "system: {schedule: flat, algorithms: direct, chunks: 1}\n"
                           "workload: {all_reduce: 1 kB}\nnetwork: "
                        << network << "\n";
    const RunResult result = simulate(load_experiment(file, {}));
    INFO(network);
    CHECK(largest(result).bound_by == BoundBy::latency);
    CHECK(largest(result).latency >= microseconds(4));
    CHECK(largest(result).latency <= nanoseconds(4'100));
  }
  std::filesystem::remove(file);
}

// NPU 0 gathers 1 MB from each of 32 through its port of 12.5 GB/s: 2.56 ms. 22 of them cross from
// other leaves: 1.76 ms of the port. If all NPUs got as much over the taper of 11:4, it would take
// 4.84 ms, more than the run with DCQCN, which keeps the senders below the port's rate.
TEST_CASE("why: an incast does not wait for the taper that it crosses") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_incast." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << R"(platform:
  leaf_spine: {leaves: 3, nodes: 33, oversubscription: 3, bandwidth: 100 Gb/s}
system: {schedule: flat, algorithms: direct, chunks: 1}
workload: {program: [{operations: [{gather: 33 MB, root: 0}]}]}
network: {transport: roce}
)";
  const RunResult result = simulate(load_experiment(file, {}));
  std::filesystem::remove(file);
  CHECK(result.finish >= microseconds(2'560));
  CHECK(result.finish <= microseconds(4'840));
  const TimePart& most = largest(result);
  INFO(most.knob);
  CHECK(most.bound_by == BoundBy::window);
  CHECK(most.knob.find("network.transport.congestion_control") != std::string::npos);
  CHECK(most.bandwidth <= microseconds(2'700));
}

// Of 16 MB that each sends, half crosses one of two spines, 8 MB of 12.5 GB/s each. One goes at 0.2
// ms; what it lost is known 50 us later, and sent again 100 us after that. All else that is beyond
// 1.12 ms of the ports is the other spine's link, which carries 32 MB, 2.56 ms.
TEST_CASE("why: a fault delays what it loses, not all that is sent after it") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_fault." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << R"(platform:
  leaf_spine: {leaves: 2, spines: 2, plugs: 4, bandwidth: 100 Gb/s}
system: {algorithms: direct, chunks: 1}
network:
  backend: packet
  transport: {kind: roce, rto: 100 us}
  routing: {policy: ecmp, reroute_delay: 50 us}
  faults: [{at: 200 us, link: leaf0 - spine0, state: down}]
workload: {program: [{operations: [{all_to_all: 16 MB}]}]}
)";
  const RunResult result = simulate(load_experiment(file, {}));
  std::filesystem::remove(file);
  REQUIRE(result.packets->losses->link_down > 0);
  Duration lost;
  for (const TimePart& part : result.why)
    if (part.bound_by == BoundBy::losses) lost += part.time;
  CHECK(lost > microseconds(149));
  CHECK(lost < microseconds(151));
  CHECK(largest(result).bound_by == BoundBy::contention);
}

// 16 segments of 4 KiB, back after 81.92 ns of the last hop and 10 us: 6.5 of 50 GB/s. A full link
// whose end passes segments on needs 2 + 123 of them, 500 KiB, as credit.md derives.
TEST_CASE("why: credits that do not keep a link full") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_credits." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << R"(platform: {levels: [{size: 2, bandwidth: 400 Gb/s, latency: 5 us}]}
network: {backend: credit}
workload: {all_reduce: 16 MB}
)";
  const auto largest_with = [&](const std::vector<Override>& overrides) {
    return largest(simulate(load_experiment(file, overrides)));
  };
  const TimePart short_one = largest_with({{"network.credit.buffer=64 KiB"}});
  CHECK(short_one.bound_by == BoundBy::window);
  CHECK_THAT(short_one.knob, Catch::Contains("a larger network.credit.buffer"));
  CHECK_THAT(short_one.knob, Catch::Contains("500 KiB"));
  CHECK(largest_with({}).bound_by == BoundBy::bandwidth);
  std::filesystem::remove(file);
}

// 16 servers of 8 H100 sum 1 GiB in turn. A NIC carries 2 x 15/16 of an eighth, which counts
// 128/127 of 16/15 for what LL128 adds and rings pass: 5.7 ms. NVLink carries 2 x 7/8 of all, at
// 341 of 450 GB/s: 5.5 ms. Neither alone takes the 6.7 ms that both take.
TEST_CASE("why: two levels that work side by side") {
  const auto file = std::filesystem::temp_directory_path() /
                    ("orrery_beside." + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << "platform: {server: hgx-h100, nodes: 16, topology: rail}\n"
                         "workload: {program: [{operations: [{all_reduce: 1 GiB}]}]}\n";
  const RunResult result = simulate(load_experiment(file, {}));
  std::filesystem::remove(file);
  const TimePart& most = largest(result);
  CHECK(most.level == "unit");
  CHECK(most.beside == "node");
  CHECK(most.knob == "more bandwidth on unit and node");
  REQUIRE(result.why.size() == 2);
  CHECK(result.why[1].beside == "unit");
}

// Three ranks wait 20 ms for the slow one. Itself it is slower by 20.
TEST_CASE("why: a straggler") {
  const RunResult waits = simulate(straggler(3)), is_slow = simulate(straggler(0));
  CHECK(largest(waits).bound_by == BoundBy::late_ranks);
  CHECK(largest(waits).time == milliseconds(20));
  CHECK(largest(is_slow).bound_by == BoundBy::slow_ranks);
  CHECK(largest(is_slow).time == milliseconds(20));
}

TEST_CASE("why: an optimizer that memory holds up") {
  const RunResult result = simulate(optimizer_only());
  CHECK(largest(result).part == "optimizer");
  CHECK(largest(result).bound_by == BoundBy::memory_bandwidth);
}

TEST_CASE("why: experts that are not equally popular") {
  const RunResult result = simulate(popular_experts());
  CHECK(largest_wait(result).part == "EP");
  CHECK(largest_wait(result).bound_by == BoundBy::late_ranks);
}

TEST_CASE("why: workers that all push into one server") {
  const RunResult result = simulate(fan_in());
  CHECK(result.finish == milliseconds(6));
  CHECK(largest(result).bound_by == BoundBy::contention);
  CHECK_THAT(largest(result).held_by, Catch::Contains("npu 3"));
}

TEST_CASE("why: one chunk at a time") {
  const RunResult result = simulate(one_chunk_at_a_time());
  CHECK(largest(result).bound_by == BoundBy::limits);
  CHECK(largest(result).rest == microseconds(10 * 14) * 63);
}

TEST_CASE("why: nothing but computing") {
  const RunResult result = simulate(computing_only());
  REQUIRE(result.why.size() == 1);
  CHECK(largest(result).part == "compute");
  CHECK(largest(result).bound_by == BoundBy::compute_rate);
  CHECK(largest(result).share == 1);
}

// One chunk of 1 MB goes along a chain of 4 from rank 0: 3 x (1 ms + 1 us). A port carries it once
// in that time, but its bytes are under way all the time: twice the bandwidth saves 1.5 ms.
TEST_CASE("why: a chain whose ranks wait for the bytes of the rank before") {
  Experiment experiment = with_broadcast("chain", 1);
  const RunResult result = simulate(experiment);
  CHECK(result.finish == microseconds(3'003));
  CHECK(largest(result).bound_by == BoundBy::bandwidth);
  CHECK(largest(result).bandwidth == milliseconds(3));
  CHECK(largest(result).latency == microseconds(3));
}

// The same in 100 chunks of 10 us: the first takes 3 x 11 us, the others follow at 10 us.
TEST_CASE("why: a chain of many chunks") {
  const RunResult result = simulate(with_broadcast("chain", 100));
  CHECK(result.finish == microseconds(33 + 99 * 10));
  CHECK(largest(result).bandwidth == microseconds(30 + 99 * 10));
  CHECK(largest(result).latency == microseconds(3));
}

// A chunk passes 4 NPUs inside and then 2 across, one after the other: 2 x 3/4 x 4 MB at 4 GB/s and
// 2 x 1/2 x 4 MB at 1 GB/s.
TEST_CASE("time of a collective over two levels is split between them") {
  Experiment experiment = with_program(on_ring(4), {}, bytes(4'000'000));
  experiment.topology.levels.front().bandwidth = gigabytes_per_second(4);
  experiment.topology.levels.push_back(
      {"fabric", LevelKind::switched, 2, gigabytes_per_second(1), Duration{}, Scope::scale_out});
  const RunResult result = simulate(experiment);
  REQUIRE(result.why.size() == 2);
  CHECK(result.why[0].level == "fabric");
  CHECK(result.why[0].time == milliseconds(4));
  CHECK(result.why[1].level == "ring");
  CHECK(result.why[1].time == microseconds(1'500));
}

}  // namespace
}  // namespace orrery
