// Topologies of NCCL: what a whole dump says, and what is asked for where there are PCI devices
// only.
#include "formats/import/import_nccl_topology.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/config_error.h"
#include "frontends/yaml/load_experiment.h"
#include "network/topology/topology.h"
#include "simulation/survey/survey.h"
#include "tests/paths.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

// A node of 8 H100: under each PCI switch a GPU, with 5 + 5 + 4 + 4 links to four NVSwitches, and a
// NIC of 200 Gb/s.
std::string h100(const std::string& net = R"(<net name="mlx5" dev="0" speed="200000" port="1"/>)") {
  std::string text = "<system version=\"1\">\n";
  for (int cpu = 0; cpu < 2; ++cpu) {
    text += fmt::format("<cpu numaid=\"{}\" arch=\"x86_64\">\n", cpu);
    for (int i = 4 * cpu; i < 4 * cpu + 4; ++i) {
      text += fmt::format(
          "<pci busid=\"0000:{}0:00.0\" class=\"0x060400\" link_speed=\"32.0 GT/s PCIe\" "
          "link_width=\"16\">\n<pci busid=\"0000:{}1:00.0\" class=\"0x030200\" "
          "device=\"0x2330\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n"
          "<gpu dev=\"{}\" sm=\"90\" rank=\"{}\" gdr=\"1\">\n",
          i, i, i, i);
      const int counts[] = {5, 5, 4, 4};
      for (int s = 0; s < 4; ++s)
        text += fmt::format("<nvlink target=\"0000:f{}:00.0\" count=\"{}\" tclass=\"0x068000\"/>\n",
                            s, counts[s]);
      text += fmt::format(
          "</gpu></pci>\n<pci busid=\"0000:{}2:00.0\" class=\"0x020700\" link_speed=\"32.0 GT/s "
          "PCIe\" link_width=\"16\"><nic>{}</nic></pci>\n</pci>\n",
          i, net);
    }
    text += "</cpu>\n";
  }
  return text + "</system>\n";
}

// Two GPUs and a NIC, as a cloud would publish them.
const std::string hints = R"(<system version="1">
<cpu numaid="0">
<pci busid="0001:00:00.0" class="0x030200" link_speed="" link_width="0"/>
<pci busid="0002:00:00.0" class="0x030200" link_speed="" link_width="0"/>
<pci busid="0101:00:00.0" class="0x020000" link_speed="" link_width="0"/>
</cpu>
</system>
)";

// What is wrong with it: "line: path: what", one after the other.
std::string refusal_of_topology(const std::string& text,
                                const NcclTopologyOptions& options = {.nodes = 2}) {
  std::string all;
  try {
    import_nccl_topology("topo.xml", text, options);
  } catch (const ConfigError& error) {
    for (const Diagnostic& problem : error.diagnostics())
      all += (all.empty() ? "" : "; ") +
             fmt::format("{}: {}: {}", problem.line, problem.path, problem.what);
  }
  return all;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

// Of the experiment that the file makes.
Experiment loaded(const std::string& yaml) {
  const fs::path file = fs::path(build_folder()) / "imported_platform.yaml";
  std::ofstream(file) << yaml;
  return load_cluster(file.string(), {});
}

TEST_CASE("A dump of a node with H100 becomes a platform", "[import]") {
  const Imported import = import_nccl_topology("topo.xml", h100(), {.nodes = 16});
  // 18 NVLinks of 25 GB/s in one direction; 32 GT/s on 16 lanes are 64 GB/s; 200 Gb/s are 25 GB/s.
  CHECK(import.yaml == R"(# From topo.xml by `orrery import nccl-topo`.
platform:
  npu: {preset: h100}
  topology:
    leaf_spine:
      leaves: 2  # assumed, without oversubscription
      nodes: 16
      bandwidth: 25 GB/s
      node:
        npus: 8
        inside: switch
        bandwidth: 450 GB/s
        latency: 0.5 us  # an estimate
        nics: 8
        bus_bandwidth: 64 GB/s
        bus_latency: 0.4 us  # an estimate
        affinity: [0, 1, 2, 3, 4, 5, 6, 7]
)");
  CHECK(import.read == 24 + 8 + 32);  // PCI devices, networks, NVLinks
  CHECK(import.assumed.size() == 2);  // latencies, the network
  const Experiment experiment = loaded(import.yaml);
  CHECK(Topology(experiment.topology).npu_count() == 128);
  CHECK(find_suspicions(Topology(experiment.topology)).empty());  // `orrery topo check`
}

TEST_CASE("One node needs no network", "[import]") {
  const Imported import = import_nccl_topology("topo.xml", h100(""), {.nodes = 1});
  CHECK(import.yaml.find("{name: node, kind: switch, size: 8, bandwidth: 450 GB/s") !=
        std::string::npos);
  CHECK(Topology(loaded(import.yaml).topology).npu_count() == 8);
}

TEST_CASE("What PCI devices do not say is asked for by name", "[import]") {
  CHECK(refusal_of_topology(hints, {}) ==
        "0: --nodes: the file does not say how many nodes there are; 0: --npu: the file does not "
        "say which GPUs these are; 0: --nic: the file does not say how fast a NIC is");
  CHECK(refusal_of_topology(hints, {.npu = "v100", .nodes = 2}) ==
        "0: --nvlink: the file does not say what joins the GPUs; 0: --nic: the file does not say "
        "how fast a NIC is; 0: --bus: the file does not say how fast PCI is");
  const Imported import = import_nccl_topology(
      "topo.xml", hints, {.npu = "h100", .nic = gigabits_per_second(400), .nodes = 4});
  CHECK(import.yaml.find("bandwidth: 450 GB/s") != std::string::npos);
  CHECK(import.yaml.find("affinity: [0, 0]") != std::string::npos);
  // That the inside and PCI are those of a data sheet is said.
  CHECK(import.assumed.size() == 4);
  CHECK(Topology(loaded(import.yaml).topology).npu_count() == 8);
}

TEST_CASE("What no topology of NCCL is, is refused by name", "[import]") {
  const auto first_words = [](const std::string& text) { return text.substr(0, 40); };
  CHECK(first_words(refusal_of_topology("<topology version=\"2.0\"/>")) ==
        "1: : this is a topology of hwloc, not of");
  CHECK(first_words(refusal_of_topology("<graphs version=\"1\"/>")) ==
        "1: : this is a graph file of NCCL (NCCL_");
  CHECK(refusal_of_topology("<system version=\"2\"/>") ==
        "1: : version \"2\" of NCCL's topology is not known");
  CHECK(refusal_of_topology("<plan/>") == "1: : <plan> is no topology of NCCL");
  CHECK(first_words(refusal_of_topology("<system version=\"1\">")) ==
        "1: : this is not XML: Start-end tags mis");
  CHECK(refusal_of_topology("<system version=\"1\"/>").starts_with("1: : the file has no GPU"));
  CHECK(refusal_of_topology(replaced(h100(), "count=\"5\"", "count=\"many\""))
            .find("no number that can") != std::string::npos);
  CHECK(refusal_of_topology(h100(), {.npu = "h10", .nodes = 1}) ==
        "0: --npu: \"h10\" is not known");
  CHECK(refusal_of_topology(replaced(h100(), "speed=\"200000\"", "speed=\"100000\""))
            .find("NICs differ") != std::string::npos);
  CHECK(refusal_of_topology(h100(""), {.nodes = 2}).find("--nic") != std::string::npos);
}

TEST_CASE("NVLinks that join some GPUs more than others are no node", "[import]") {
  const auto two = [](int first, int second) {
    return fmt::format(
        "<system version=\"1\"><cpu>"
        "<pci busid=\"1\" class=\"0x030200\" device=\"0x1db1\"><gpu dev=\"0\" sm=\"70\">"
        "<nvlink target=\"2\" count=\"{}\" tclass=\"0x030200\"/></gpu></pci>"
        "<pci busid=\"2\" class=\"0x030200\" device=\"0x1db1\"><gpu dev=\"1\" sm=\"70\">"
        "<nvlink target=\"1\" count=\"{}\" tclass=\"0x030200\"/></gpu></pci>"
        "</cpu></system>",
        first, second);
  };
  const Imported import = import_nccl_topology("topo.xml", two(2, 2), {.nodes = 1});
  CHECK(import.yaml.find("kind: fully_connected, size: 2, bandwidth: 50 GB/s") !=
        std::string::npos);
  CHECK(refusal_of_topology(two(2, 1), {.nodes = 1}).find("neither by switches nor all alike") !=
        std::string::npos);
}

TEST_CASE("Files that clouds publish are read", "[import]") {
  const fs::path folder = fs::path(source_folder()).parent_path() / "shared/samples/nccl-topo";
  if (!fs::exists(folder)) {
    WARN("no samples of others in " << folder << ": not tested");
    return;
  }
  const auto text = [&](const char* name) {
    std::ifstream stream(folder / name);
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  struct Sample {
    const char *file, *npu;
    int npus;
  };
  for (const Sample& sample : {Sample{"ndv5-topo.xml", "h100", 8},
                               {"ndv4-topo.xml", "a100", 8},
                               {"p4d-24xl-topo.xml", "", 8},
                               {"p4de-24xl-topo.xml", "", 8},
                               {"ndv2-topo.xml", "v100", 8}}) {
    INFO(sample.file);
    const bool is_mesh = std::string(sample.npu) == "v100";
    NcclTopologyOptions options{.npu = sample.npu, .nic = gigabits_per_second(400), .nodes = 2};
    if (is_mesh) options.nvlink = gigabytes_per_second(150);
    const Imported import = import_nccl_topology(sample.file, text(sample.file), options);
    const Topology topology(loaded(import.yaml).topology);
    CHECK(topology.npu_count() == 2 * sample.npus);
    CHECK(find_suspicions(topology).empty());  // `orrery topo check`
  }
  CHECK(refusal_of_topology(text("ncv4-graph.xml")).find("graph file of NCCL") !=
        std::string::npos);
  // Its four GPUs have NVLinks that end at themselves.
  CHECK(refusal_of_topology(text("ncv4-topo.xml")).find("--nvlink") != std::string::npos);
}

}  // namespace
}  // namespace orrery
