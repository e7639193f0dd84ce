// ASTRA-sim's files: what they give, and what is wrong with them, with its line.
#include "formats/astra/set_up.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/config_error.h"
#include "tests/paths.h"

namespace orrery::astra {
namespace {

namespace fs = std::filesystem;

const std::string network = R"(# a comment
topology: [ Ring, Switch ]  # one word a dimension
npus_count:
  - 4   # inside
  - 2
bandwidth: [ 400.0,
             50 ]
latency: [ 936.25, 0 ]
)";

// "line: path: what" of each mistake.
template <class Read>
std::string mistakes(const Read& read) {
  std::string text;
  try {
    read();
  } catch (const ConfigError& error) {
    for (const Diagnostic& one : error.diagnostics()) {
      CHECK_FALSE(one.remedy.empty());
      text += fmt::format("{}: {}: {}\n", one.line, one.path, one.what);
    }
  }
  return text;
}

std::string mistakes_in_network(const std::string& text) {
  return mistakes([&] { (void)read_network("network.yml", text); });
}
std::string mistakes_in_system(const std::string& text, std::size_t dimensions = 1) {
  return mistakes([&] { (void)read_system("system.json", text, dimensions); });
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("a network has its dimensions, in brackets or a line each") {
  const NetworkFile read = read_network("network.yml", network);
  REQUIRE(read.dimensions.size() == 2);
  CHECK(read.npus() == 8);
  CHECK(read.dimensions[0].shape == Shape::ring);
  CHECK(read.dimensions[0].latency == 936.25);
  CHECK(read.dimensions[1].shape == Shape::switched);
  CHECK(read.dimensions[1].bandwidth == 50);
  CHECK(read.dimensions[1].latency == 0);
  CHECK(read.remarks.empty());
}

TEST_CASE("mistakes of a network have their lines") {
  CHECK(mistakes_in_network("") ==
        "0: topology: is missing\n0: npus_count: is missing\n"
        "0: bandwidth: is missing\n0: latency: is missing\n");
  CHECK(mistakes_in_network(changed(network, "Switch", "Torus")) ==
        "2: topology: \"Torus\" is unknown\n");
  CHECK(mistakes_in_network(changed(network, "- 2", "- 1")) ==
        "5: npus_count: \"1\" is no number from 2 to 1048576\n");
  CHECK(mistakes_in_network(changed(network, "50 ]", "tbd ]")) ==
        "7: bandwidth: \"tbd\" is not a number\n");
  CHECK(mistakes_in_network(changed(network, "400.0", "0")) ==
        "6: bandwidth: \"0\" is out of range\n");
  CHECK(mistakes_in_network(changed(network, "936.25, 0", "936.25")) ==
        "8: latency: has 1 values, topology has 2\n");
  CHECK(mistakes_in_network(changed(network, "936.25, 0 ]", "936.25, 0")) ==
        "8: : a bracket is not closed\n");
  CHECK(mistakes_in_network(network + "latency: [1, 1]\n") == "9: latency: is there twice\n");
  CHECK(mistakes_in_network("{}").starts_with("1: : \"{}\" is no key with a list\n"));
  const NetworkFile read = read_network("network.yml", network + "dimensions-count: [2]\n");
  REQUIRE(read.remarks.size() == 1);
  CHECK(read.remarks[0].key == "dimensions-count");
}

TEST_CASE("what a system file leaves undefined gets a value and a remark") {
  const SystemFile read = read_system("system.json", R"({"boost-mode": 0})", 1);
  CHECK(read.order == Order::lifo);
  CHECK_FALSE(read.bandwidth_aware);
  CHECK(read.splits == 1);
  CHECK(read.endpoint_delay == 10);
  CHECK(read.memory_bandwidth == 0);
  std::string keys;
  for (const Remark& remark : read.remarks) keys += remark.key + ' ';
  CHECK(keys ==
        "scheduling-policy collective-optimization preferred-dataset-splits local-mem-bw "
        "boost-mode ");
}

TEST_CASE("a system file has an algorithm for each dimension") {
  const SystemFile read = read_system("system.json", R"({
    "all-reduce-implementation": ["ring", "direct4", "halvingDoubling"],
    "all-to-all-implementation": ["oneDirect"],
    "all-gather-implementation-custom": ["folder/gather"]})",
                                      3);
  CHECK(read.algorithms[0][1].kind == Algorithm::Kind::direct);
  CHECK(read.algorithms[0][1].window == 4);
  CHECK(read.algorithms[3][0].flat);
  CHECK(read.custom[1] == "folder/gather");
  // More words than dimensions: the others are left out.
  const SystemFile two =
      read_system("system.json", R"({"all-reduce-implementation": ["ring", "ring", "ring"]})", 2);
  CHECK(two.algorithms[0].size() == 2);
}

TEST_CASE("mistakes of a system file have their lines") {
  CHECK(mistakes_in_system("{\n\"a\": }") ==
        "2: : the file is not JSON: syntax error while parsing value - unexpected '}'; "
        "expected '[', '{', or a literal\n");
  CHECK(mistakes_in_system("[]") == "0: : the file is a list\n");
  CHECK(mistakes_in_system("{\n\"scheduling-policy\": \"LILO\"}") ==
        "2: scheduling-policy: \"LILO\" is unknown\n");
  CHECK(mistakes_in_system("{\n\n\"preferred-dataset-splits\": 0}") ==
        "3: preferred-dataset-splits: 0 is no whole number from 1 to 65536\n");
  CHECK(mistakes_in_system("{\"endpoint-delay\": 10.5}") ==
        "1: endpoint-delay: 10.5 is no whole number from 0 to 1000000000\n");
  CHECK(mistakes_in_system("{\"local-mem-bw\": 0}") ==
        "1: local-mem-bw: 0 is no number from 0.001 to 1000000000\n");
  CHECK(mistakes_in_system("{\"roofline-enabled\": 1, \"local-mem-bw\": 5}") ==
        "1: roofline-enabled: needs peak-perf and local-mem-bw\n");
  CHECK(mistakes_in_system("{\"all-reduce-implementation\": \"ring\"}") ==
        "1: all-reduce-implementation: \"ring\" is no list of words\n");
  CHECK(mistakes_in_system("{\"all-reduce-implementation\": [\"direct0\"]}") ==
        "1: all-reduce-implementation: \"direct0\" is unknown\n");
  CHECK(mistakes_in_system("{\"all-reduce-implementation\": [\"ring\"]}", 2) ==
        "1: all-reduce-implementation: has 1 word, the network has 2 dimensions\n");
  CHECK(mistakes_in_system("{\"all-reduce-implementation\": [\"oneRing\", \"ring\"]}", 2) ==
        "1: all-reduce-implementation: joins all dimensions by its first word, and has more "
        "words\n");
}

TEST_CASE("a remote memory is what its file says") {
  const MemoryFile read = read_memory("memory.json", R"({"memory-type": "MEMORY_POOL",
    "remote-mem-latency": 1000, "remote-mem-bw": 100})");
  CHECK(read.kind == MemoryKind::pool);
  CHECK(read.latency == 1000);
  CHECK(read.bandwidth == 100);
  const auto wrong = [](const std::string& text) {
    return mistakes([&] { (void)read_memory("memory.json", text); });
  };
  CHECK(wrong(R"({"memory-type": "POOL"})") == "1: memory-type: \"POOL\" is unknown\n");
  CHECK(wrong(R"({"memory-type": "PER_NODE_MEMORY_EXPANSION", "remote-mem-bw": 1})") ==
        "0: num-npus-per-node: is missing\n");
  CHECK(wrong(R"({"memory-type": "MEMORY_POOL", "remote-mem-bw": 0.5})") ==
        "1: remote-mem-bw: 0.5 is no whole number from 1 to 1000000000\n");
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("public files of ASTRA-sim are read, or refused with a reason") {
  fs::path folder = source_folder();
  while (folder.has_relative_path() && !fs::exists(folder / "shared/samples/astra-sim"))
    folder = folder.parent_path();
  folder /= "shared/samples/astra-sim";
  if (!fs::exists(folder)) {
    WARN("skipped: ../shared/samples/astra-sim is not there");
    return;
  }
  int networks = 0, systems = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path& file = entry.path();
    INFO(file);
    if (file.extension() == ".yml") {
      ++networks;
      const std::string wrong = mistakes_in_network(text_of(file));
      if (file.filename() != "dgx_v100_8gpu.yml") CHECK(wrong.empty());
      // "bandwidth: [ tbd, tbd, tbd ]" in line 11, "latency:" in line 15.
      else
        CHECK(wrong ==
              "11: bandwidth: \"tbd\" is not a number\n"
              "15: latency: \"tbd\" is not a number\n");
    } else if (file.extension() == ".json" &&
               text_of(file).find("memory-type") == std::string::npos) {
      ++systems;
      const bool has_three = file.filename() == "dgx_v100_8gpu.json";
      CHECK(mistakes_in_system(text_of(file), has_three ? 3 : 1).empty());
    } else if (file.extension() == ".json") {
      CHECK(read_memory(file, text_of(file)).kind == MemoryKind::none);
    }
  }
  CHECK(networks == 15);
  CHECK(systems == 14);
}

}  // namespace
}  // namespace orrery::astra
