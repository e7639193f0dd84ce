// network.transport.capture from the YAML file to the files in the folder of results.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "frontends/yaml/load_experiment.h"
#include "network/backends.h"
#include "report/result_folder.h"
#include "simulation/simulate.h"
#include "tests/network/pcap_file.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

struct Folder {
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::string file(const std::string& text) const {
    std::ofstream(path / "job.yaml") << text;
    return (path / "job.yaml").string();
  }
  fs::path path = fs::temp_directory_path() / "orrery-capture-test";
};

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// NPU 0 sends 1 MB to NPU 1, on a switch (node 2).
constexpr const char* captured_job = R"(
platform:
  topology:
    levels: [{kind: switch, size: 2, bandwidth: 100 Gb/s, latency: 0.5 us, scope: scale_out}]
network:
  backend: ns3
  transport:
    minimum_rto: 1 ms
    retries: 3
    capture: [{link: npu 0 - switch 2}, {link: switch 2 -> npu 0, between: [1, 0]}]
workload:
  program:
    - {ranks: 0, operations: [{send: 1 MB, to: 1}]}
    - {ranks: 1, operations: [{receive: 1 MB, from: 0}]}
)";

// The same job in a second file.
std::string without_capture(const std::string& file) {
  std::string text = contents(file);
  const std::size_t at = text.find("    capture:");
  text.erase(at, text.find('\n', at) + 1 - at);
  std::ofstream(file + ".without.yaml") << text;
  return file + ".without.yaml";
}

bool has_ns3() { return find_backend("ns3") != nullptr; }

TEST_CASE("captures are files beside the results, and go when results without them come") {
  if (!has_ns3()) return;
  const Folder folder;
  const std::string file = folder.file(captured_job);
  const RunResult result = simulate(load_experiment(file, {}));
  CHECK(result.notices.empty());
  write_run(folder.path / "out", result, {}, Overwrite::refuse);
  // 1 MB in segments of 8,960 B: 112, and as many acknowledgements as come back, which are all
  // that the second capture has: one for two segments, but the last is sent when the job is over.
  const auto both = test::read_pcap(contents(folder.path / "out/capture-1.pcap"));
  const auto back = test::read_pcap(contents(folder.path / "out/capture-2.pcap"));
  CHECK(both.size() == 112 + back.size());
  CHECK(back.size() >= 55);

  const RunResult without = simulate(load_experiment(without_capture(file), {}));
  CHECK(without.finish == result.finish);
  write_run(folder.path / "out", without, {}, Overwrite::allow);
  CHECK_FALSE(fs::exists(folder.path / "out/capture-1.pcap"));
  CHECK_FALSE(fs::exists(folder.path / "out/capture-2.pcap"));
}

TEST_CASE("a full capture and an empty one are told, and a backend without packets has none") {
  if (!has_ns3()) return;
  const Folder folder;
  const std::string file = folder.file(captured_job);
  const RunResult result = simulate(load_experiment(
      file, {{"network.transport.capture_limit=100"},
             {"network.transport.capture=[{link: npu 0 -> switch 2}, "
              "{link: npu 0 -> switch 2, between: [0, 1]}, {link: npu 1 - switch 2}]"},
             {"network.transport.delayed_ack_count=200"}}));
  REQUIRE(result.notices.size() == 3);
  CHECK(result.notices[0] ==
        "network.transport.capture[0] has the first 100 of 112 packets: raise "
        "network.transport.capture_limit for more");
  const RunResult analytical = simulate(load_experiment(file, {{"network.backend=analytical"}}));
  CHECK_FALSE(analytical.packets);
  CHECK(std::count(analytical.ignored.begin(), analytical.ignored.end(),
                   "network.transport.capture") == 1);
}

TEST_CASE("the depth of a watched queue is a table beside the results") {
  if (!has_ns3()) return;
  // Seven segments (the window of a SYN: 7 x 8,960 B fit in 65,535 B) come to the port at once. One
  // leaves, six of 9,038 B wait until it has, 0.72 us later.
  const Folder folder;
  const RunResult result = simulate(
      load_experiment(folder.file(captured_job), {{"network.switch.watch=[npu 0 -> switch 2]"}}));
  write_run(folder.path / "out", result, {}, Overwrite::refuse);
  // Nothing is lost or marked.
  CHECK(contents(folder.path / "out/depths.csv").find(",npu 0 -> switch 2,0,1000000,54228,0,0\n") !=
        std::string::npos);
}

TEST_CASE("a connection that is given up leaves the capture of how it died") {
  if (!has_ns3()) return;
  // The link is down from 20 us to 1 s: 27 segments of 723 ns have gone up; then nothing is
  // acknowledged, and after three timeouts that double (1, 2, 4, 8 ms) TCP gives up.
  const Folder folder;
  const std::string file = folder.file(captured_job);
  try {
    simulate(
        load_experiment(file, {{"network.faults=[{at: 20 us, link: npu 0 - switch 2, state: down}, "
                                "{at: 1 s, link: npu 0 - switch 2, state: up}]"}}));
    FAIL("it ended");
  } catch (const StuckError& stuck) {
    CHECK(std::string(stuck.what()).find("TCP gave up the connection 0 -> 1") == 0);
    CHECK(stuck.partial.partial);
    CHECK(stuck.partial.partial_reason == "network");
    REQUIRE(stuck.partial.packets);
    CHECK(stuck.partial.packets->timeouts >= 3);
    const auto packets = test::read_pcap(stuck.partial.packets->captures.at(0).pcap);
    std::int64_t last = 0, up = 0;
    for (const test::PcapPacket& packet : packets) {
      last = std::max(last, packet.at_ns);
      up += packet.data() > 0;
    }
    CHECK(last <= 20'000);
    CHECK(up == 28);  // the one that began at 19.5 us too
  }
}

}  // namespace
}  // namespace orrery
