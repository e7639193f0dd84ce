#include <catch2/catch.hpp>
#include <memory>

#include "core/base/config_error.h"
#include "formats/hpcc/hpcc_format.h"
#include "frontends/yaml/load_experiment.h"
#include "network/topology/builders/dragonfly.h"
#include "network/topology/builders/tree.h"
#include "report/topology_drawing.h"
#include "simulation/survey/survey.h"

namespace orrery {
namespace {

// Switches 1 and 4; hosts 0, 2, 3 become NPUs 0, 1, 2.
constexpr const char* text = R"(5 2 4
1 4
0 1 100Gbps 0.001ms 0
2 1 100Gbps 0.001ms 0.000000

3 4 25Gbps 500ns 0
1 4 400Gbps 1us 0
)";

TEST_CASE("the topology format of HPCC is read") {
  const Topology topology(parse_hpcc_topology(text, "t.txt"));
  CHECK(topology.npu_count() == 3);
  CHECK(topology.node_count() == 5);
  REQUIRE(topology.links().size() == 8);
  const Link& last = topology.links()[7];
  CHECK(last.from == NodeId{4});
  CHECK(last.to == NodeId{3});
  CHECK(last.bandwidth == gigabits_per_second(400));
  CHECK(last.latency == microseconds(1));
}

TEST_CASE("what is written in HPCC's format reads back the same") {
  const Wire wire{gigabits_per_second(200), nanoseconds(350)};
  const Topology tree(build_tree({{}, tiers_by_radix(4, 3, {}, wire), 0}));
  const Topology again(parse_hpcc_topology(hpcc_text(tree), "tree.txt"));
  CHECK(hpcc_text(again) == hpcc_text(tree));
  CHECK(again.npu_count() == tree.npu_count());
  REQUIRE(again.links().size() == tree.links().size());
  for (std::size_t i = 0; i < tree.links().size(); ++i) {
    CHECK(again.links()[i].from == tree.links()[i].from);
    CHECK(again.links()[i].bandwidth == tree.links()[i].bandwidth);
    CHECK(again.links()[i].latency == tree.links()[i].latency);
  }
}

// 8 bits a byte: 2^32 x 10^9 B/s are more bits than 63 hold, and no bits are lost below a kilobit.
TEST_CASE("rates of HPCC's format are exact at both ends") {
  const auto written = [](std::int64_t bytes_per_second) {
    const Wire wire{Bandwidth{bytes_per_second}, nanoseconds(350)};
    const std::string lines =
        hpcc_text(Topology(build_tree({{}, tiers_by_radix(4, 2, {}, wire), 0})));
    const std::size_t end = lines.find("bps");
    const std::size_t begin = lines.rfind(' ', end) + 1;
    return lines.substr(begin, end + 3 - begin);
  };
  CHECK(written(4'294'967'296'000'000'000) == "34359738368Gbps");
  CHECK(written(4'294'967'296'000'000'001) == "34359738368000000008bps");
  CHECK(written(125'000'000) == "1Gbps");
  CHECK(written(1'000) == "8000bps");
  CHECK(written(126) == "1008bps");
  CHECK(written(3) == "24bps");
}

std::string problem_of_text(const std::string& wrong) {
  try {
    parse_hpcc_topology(wrong, "t.txt");
  } catch (const ConfigError& error) {
    const Diagnostic& first = error.diagnostics()[0];
    return std::to_string(first.line) + ": " + first.what;
  }
  return "none";
}

TEST_CASE("what is wrong with a topology text is said with its line") {
  CHECK(problem_of_text("") == "1: the file ends here");
  CHECK(problem_of_text("5 x 4\n") == "1: the number of switches is \"x\"");
  CHECK(problem_of_text("3 1 2\n2\n0 2 fast 1us 0\n") == "3: the third field is not a rate");
  CHECK(problem_of_text("3 1 2\n2\n0 0 1Gbps 1us 0\n") == "3: a link from a node to itself");
  CHECK(problem_of_text("3 1 2\n2\n0 2 1Gbps 1us 0.1\n") == "3: the error rate is not 0");
  CHECK(problem_of_text("3 1 2\n2\n0 2 1Gbps 1us 0\n") == "4: the file ends here");
}

// Al-Fares' tree carries what its hosts send: 16 hosts of 100 Gb/s, 8 in each half. With 3:1 at the
// leaves of a 2-tier tree of radix 8, a third: 8 leaves of 6 hosts with 2 cables up; half of the
// leaves have 8 of 100 Gb/s.
TEST_CASE("bisection and diameter of trees") {
  const Wire wire{gigabits_per_second(100), nanoseconds(500)};
  const Topology full(build_tree({{}, tiers_by_radix(4, 3, {}, wire), 0}));
  CHECK(survey_bisection(full).capacity == gigabits_per_second(800));
  CHECK(survey_distances(full).diameter == 6);
  CHECK(survey_distances(full).exact);
  const Topology thin(build_tree({{}, tiers_by_radix(8, 2, {3}, wire), 0}));
  CHECK(survey_bisection(thin).capacity == gigabits_per_second(800));
  CHECK(survey_bisection(thin).injection == gigabits_per_second(2'400));
}

// A ring of 8 is cut in two places; a torus of 4 x 8 in 4 x 2; a mesh of 8 in one.
// Three rows of five: 7 NPUs are two columns of three and one NPU, which 3 links to the next column
// and one inside its own leave, whichever axis is said first.
TEST_CASE("bisection of a mesh does not depend on the order of its axes") {
  for (const auto& [a, b] : {std::pair(5, 3), std::pair(3, 5)}) {
    const Bisection cut = survey_bisection(
        Topology({{{"a", LevelKind::mesh, a, gigabytes_per_second(50), {}, Scope::scale_out},
                   {"b", LevelKind::mesh, b, gigabytes_per_second(50), {}, Scope::scale_out}}}));
    CHECK(cut.capacity == gigabytes_per_second(200));
  }
}

// What 25 and 12.5 GB/s send through 12.5 GB/s is three times that.
TEST_CASE("NPUs send no more than their own links take") {
  auto graph = std::make_shared<GraphSpec>();
  for (int npu = 0; npu < 4; ++npu) graph->nodes.push_back({NodeKind::npu, ""});
  for (int s = 0; s < 2; ++s) graph->nodes.push_back({NodeKind::switched, ""});
  const auto join = [&](std::int32_t from, std::int32_t to, std::int64_t gigabits) {
    graph->links.push_back({{from}, {to}, 0, gigabits_per_second(gigabits), {}});
    graph->links.push_back({{to}, {from}, 0, gigabits_per_second(gigabits), {}});
  };
  join(0, 4, 200);
  join(1, 4, 100);
  join(2, 5, 200);
  join(3, 5, 50);
  join(4, 5, 100);
  const Topology topology(
      {{{"network", LevelKind::graph, 4, gigabytes_per_second(25), {}, Scope::scale_out}}, graph});
  CHECK(survey_bisection(topology).capacity == gigabits_per_second(100));
  CHECK(survey_bisection(topology).injection == gigabits_per_second(300));
  CHECK(PortSurvey(topology).least(0) == gigabits_per_second(50));
}

TEST_CASE("bisection of rings, tori and meshes") {
  const auto level = [](LevelKind kind, std::int32_t size) {
    return LevelSpec{"", kind, size, gigabytes_per_second(1), nanoseconds(10), Scope::local};
  };
  CHECK(survey_bisection(Topology({{level(LevelKind::ring, 8)}})).capacity ==
        gigabytes_per_second(2));
  CHECK(survey_bisection(Topology({{level(LevelKind::ring, 4), level(LevelKind::ring, 8)}}))
            .capacity == gigabytes_per_second(8));
  CHECK(survey_bisection(Topology({{level(LevelKind::mesh, 8)}})).capacity ==
        gigabytes_per_second(1));
}

// Three groups of two routers a, b with three NPUs each. Cables go from group 0's a to group 1's b,
// 0's b to 2's a, 1's a to 2's b. Nine of the 18 NPUs: group 0 and 1's a; cut are the three cables
// and the one inside group 1. Halving the groups would cut the three inside and the three cables.
TEST_CASE("an odd number of groups is cut through the middle one") {
  const Wire wire{gigabits_per_second(100), nanoseconds(500)};
  DragonflySpec dragonfly;
  dragonfly.plugs = 3;
  dragonfly.routers = 2;
  dragonfly.globals = 1;
  dragonfly.plug_wire = dragonfly.local_wire = dragonfly.global_wire = wire;
  const Bisection cut = survey_bisection(Topology(build_dragonfly(dragonfly)));
  CHECK(cut.capacity == gigabits_per_second(400));
  CHECK(cut.injection == gigabits_per_second(900));
}

TEST_CASE("what is suspicious in a graph is named") {
  GraphSpec graph;
  graph.nodes.resize(3, {NodeKind::npu, ""});
  graph.nodes.resize(5, {NodeKind::switched, ""});
  const auto add = [&](std::int32_t from, std::int32_t to) {
    graph.links.push_back({{from}, {to}, 0, gigabytes_per_second(1), nanoseconds(10), 1});
  };
  for (const std::int32_t npu : {0, 1}) {
    add(npu, 3);
    add(3, npu);
  }
  add(3, 4);
  const Topology topology(
      {{{"", LevelKind::graph, 3, gigabytes_per_second(1), {}, Scope::scale_out}},
       std::make_shared<const GraphSpec>(graph)});
  CHECK(find_suspicions(topology) ==
        std::vector<std::string>{"switch 3 -> switch 4 without an equal link back",
                                 "npu 2 and 1 more without a link out",
                                 "no path from npu 0 to npu 2, nor between 3 more pairs of NPUs"});
}

TEST_CASE("pictures name every node") {
  const Wire wire{gigabits_per_second(100), nanoseconds(500)};
  const Topology tree(build_tree({{}, tiers_by_radix(4, 2, {}, wire), 0}));
  for (const std::string& picture : {dot_text(tree), svg_text(tree, "a < b")})
    for (std::int32_t node = 0; node < tree.node_count(); ++node)
      CHECK_THAT(picture, Catch::Contains(tree.node_name({node})));
  CHECK_THAT(svg_text(tree, "a < b"), Catch::Contains("a &lt; b"));
}

}  // namespace
}  // namespace orrery
