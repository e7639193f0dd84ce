// Chakra graphs of messages as collectives: written to disk, read back, timed and refused.
#include "formats/chakra/read_message_graph.h"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include "core/base/config_error.h"
#include "core/base/io_error.h"
#include "formats/chakra/trace_nodes.h"
#include "tests/paths.h"
#include "tests/system/harness.h"

namespace orrery {
namespace {

using namespace orrery::test;
using chakra::Node;
using chakra::NodeType;

const std::string folder = build_folder() + "/chakra_test/";

Node letter(std::uint64_t id, bool sent, int peer, std::int64_t size, std::int64_t tag,
            std::vector<std::uint64_t> after) {
  return {.id = id,
          .name = fmt::format("n{}", id),
          .type = sent ? NodeType::send : NodeType::receive,
          .control_dependencies = {},
          .data_dependencies = std::move(after),
          .duration = {},
          .attributes = {{"comm_size", size},
                         {sent ? "comm_dst" : "comm_src", std::int64_t{peer}},
                         {"comm_tag", tag}}};
}

using Graphs = std::vector<std::vector<Node>>;

// A ring all-reduce of 4 ranks and pieces of 250 bytes: what is sent in a round came in the one
// before.
Graphs ring() {
  Graphs graphs;
  for (int rank = 0; rank < 4; ++rank) {
    auto& nodes = graphs.emplace_back();
    for (std::uint64_t round = 0; round < 6; ++round) {
      std::vector<std::uint64_t> after;
      if (round > 0) after.push_back(2 * round - 1);
      nodes.push_back(letter(2 * round, true, (rank + 1) % 4, 250, 7, after));
      nodes.push_back(letter(2 * round + 1, false, (rank + 3) % 4, 250, 7, after));
    }
  }
  return graphs;
}

CustomAlgorithm read(const Graphs& graphs, Collective kind = Collective::all_reduce,
                     Bytes size = bytes(1000)) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (std::size_t rank = 0; rank < graphs.size(); ++rank)
    chakra::write_trace(fmt::format("{}a.{}.et", folder, rank), graphs[rank]);
  InputTexts texts;
  return read_message_graph(texts, folder + "a.et", kind, size);
}

std::string refusal(const Graphs& graphs, Collective kind = Collective::all_reduce,
                    Bytes size = bytes(1000)) {
  try {
    read(graphs, kind, size);
  } catch (const ConfigError& error) {
    return error.diagnostics().front().what;
  }
  return "";
}

Duration time_of(const NamedAlgorithm& algorithm, Bytes size) {
  SystemSpec spec = plain_system("ring");
  spec.collectives[0].algorithms = {algorithm};
  World world({switch_level(4, gigabytes_per_second(1), nanoseconds(50))}, spec,
              World::everywhere(4, {collective(0, Collective::all_reduce, size)}));
  return world.run();
}

TEST_CASE("a trace that is written is what is read") {
  std::filesystem::create_directories(folder);
  Node node = letter(5, true, 1, 250, 7, {3, 4});
  node.control_dependencies = {2};
  node.duration = microseconds(12);
  node.attributes.push_back({"name", std::string("x")});
  chakra::write_trace(folder + "b.et", {node, {.id = 6, .type = NodeType::compute}});
  std::vector<Node> nodes;
  const chakra::TraceHead head = chakra::read_nodes("b.et", bytes_of_file(folder + "b.et"),
                                                    [&](const Node& one) { nodes.push_back(one); });
  CHECK(head.version == "1.0.0");
  REQUIRE(nodes.size() == 2);
  const Node& read = nodes.front();
  CHECK(read.id == 5);
  CHECK(read.name == "n5");
  CHECK(read.type == NodeType::send);
  CHECK(read.data_dependencies == std::vector<std::uint64_t>{3, 4});
  CHECK(read.control_dependencies == std::vector<std::uint64_t>{2});
  CHECK(read.duration == microseconds(12));
  CHECK(read.number("comm_size") == 250);
  CHECK_FALSE(read.number("name"));
  CHECK(nodes.back().type == NodeType::compute);
}

TEST_CASE("a ring of Chakra nodes is the ring, at the size it was made for and at others") {
  const NamedAlgorithm custom("a.et", read(ring()).algorithm);
  CHECK(time_of(custom, bytes(1000)) == time_of("ring", bytes(1000)));
  CHECK(time_of(custom, bytes(4'000'000)) == time_of("ring", bytes(4'000'000)));
}

// Rank 0 computes 2 us before its first send, for which all others wait in the end: 2 us more.
TEST_CASE("compute nodes take their time") {
  Graphs graphs = ring();
  graphs[0][0].data_dependencies = {100};
  graphs[0].push_back({.id = 100, .type = NodeType::compute, .duration = microseconds(2)});
  const NamedAlgorithm custom("a.et", read(graphs).algorithm);
  CHECK(time_of(custom, bytes(1000)) == time_of("ring", bytes(1000)) + microseconds(2));
}

TEST_CASE("graphs that cannot be the collective are refused") {
  CHECK(refusal(ring()) == "");
  CHECK(
      refusal(ring(), Collective::all_reduce, bytes(2000)) ==
      "this cannot be the all_reduce of 4 ranks: rank 0 receives 6 of the 8 pieces of the buffer, "
      "and needs 8 at least");
  CHECK(refusal(ring(), Collective::all_reduce, bytes(100)).find("a message of 250 bytes") == 0);
  Graphs graphs = ring();
  graphs[2].erase(graphs[2].begin() + 4);
  CHECK(refusal(graphs).find("for ever") != std::string::npos);
  graphs = ring();
  graphs[1][3].attributes[0].value = std::int64_t{500};
  CHECK(refusal(graphs) ==
        "this cannot be the all_reduce of 4 ranks: rank 1, thread 2, step 3: it receives 2 chunks, "
        "and rank 0, thread 1, step 2 sends 1");
  graphs = ring();
  graphs[0][4].data_dependencies = {77};
  CHECK(refusal(graphs) == "node 4 (n4): it depends on node 77, which is not there");
  graphs[0][4].data_dependencies = {4};
  CHECK(refusal(graphs) == "node 4 (n4): it depends on itself, by way of others perhaps");
  graphs = ring();
  graphs[3][0].type = NodeType::collective;
  CHECK(refusal(graphs) == "node 0 (n0): nodes of type collective have no place in a collective");
  graphs = ring();
  graphs[3][0].attributes.erase(graphs[3][0].attributes.begin());
  CHECK(refusal(graphs) == "node 0 (n0): it has no number comm_size");
  // Ranks 0 and 1, and ranks 2 and 3, keep to themselves.
  graphs.assign(4, {});
  for (int rank = 0; rank < 4; ++rank)
    graphs[rank] = {letter(0, true, rank ^ 1, 1000, 0, {}),
                    letter(1, false, rank ^ 1, 1000, 0, {})};
  CHECK(refusal(graphs) ==
        "this cannot be the all_reduce of 4 ranks: rank 0 lacks the contribution of rank 2: no "
        "chain of messages leads from there");
}

// The example of ASTRA-sim: a ring of 8 NPUs, 1 MB. 14 steps of an eighth.
TEST_CASE("the public custom collective of ASTRA-sim is a ring") {
  std::filesystem::path path = source_folder();
  while (path.has_relative_path() && !std::filesystem::exists(path / "shared/samples/astra-sim"))
    path = path.parent_path();
  path /=
      "shared/samples/astra-sim/examples/system/custom_collectives/"
      "custom_ring_allreduce_8npus_1MB/custom_allreduce.et";
  InputTexts texts;
  if (!texts.can_read(message_graph_files(texts, path.string()).front())) {
    WARN("skipped: ../shared/samples/astra-sim is not there");
    return;
  }
  CHECK(message_graph_files(texts, path.string()).size() == 8);
  const CustomAlgorithm custom =
      read_message_graph(texts, path.string(), Collective::all_reduce, bytes(1 << 20));
  CHECK(custom.algorithm != nullptr);
}

TEST_CASE("files that are no Chakra traces are refused") {
  std::filesystem::create_directories(folder);
  const auto refused = [](const std::string& content) {
    std::ofstream(folder + "c.0.et", std::ios::binary) << content;
    try {
      InputTexts texts;
      read_message_graph(texts, folder + "c.et", Collective::all_reduce, bytes(1));
    } catch (const ConfigError& error) {
      return error.diagnostics().front().what;
    }
    return std::string();
  };
  CHECK(refused("<algo/>") == "this is no Chakra trace of format 0.0.4 or 1.0.0, nor one in JSON");
  CHECK(refused("\x1f\x8b") == "the packed file ends too early");
  CHECK(refused({"\x02\x08\x05", 3}) ==
        "this is a Chakra trace of format 0.0.1, which is another format under the same ending");
  CHECK(refused({"\x00\x09\x08", 3}) == "the trace is damaged or cut short in its first node");
  InputTexts texts;
  CHECK_THROWS_AS(read_message_graph(texts, folder + "none.et", Collective::all_reduce, bytes(1)),
                  IoError);
}

}  // namespace
}  // namespace orrery
