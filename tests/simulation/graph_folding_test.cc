// On graphs too a folded run is the run of all ranks, bit for bit: random jobs on small networks of
// every builder, on both backends that fold.
#include <catch2/catch.hpp>

#include <array>
#include <string>
#include <vector>

#include "network/topology/builders/dragonfly.h"
#include "network/topology/builders/hyperx.h"
#include "network/topology/builders/rail.h"
#include "network/topology/builders/tree.h"
#include "tests/simulation/equal_runs.h"
#include "tests/simulation/random_job.h"
#include "tests/simulation/search/small_search.h"
#include "tests/simulation/small_jobs.h"

namespace orrery {
namespace {

using test::check_equal;
using test::RandomJob;
using test::run;

constexpr std::array builders = {"leaf_spine", "fat_tree", "rail", "dragonfly", "hyperx"};

class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed) : random_(seed, "graph folding") {}

  // Nothing if what was drawn is no network, or one that is too large.
  std::optional<TopologySpec> make(const std::string& builder) {
    const NodeSpec node = random_node();
    if (builder == "leaf_spine") {
      TreeSpec spec{node,
                    {{"leaf", between(2, 4) * node.plugs(), between(1, 4), wire()},
                     {"spine", between(2, 4), 0, wire()}}};
      return built(spec, build_tree);
    }
    if (builder == "fat_tree") {
      TreeSpec spec{node, tiers_by_radix(4, 3, {}, wire())};
      return built(spec, build_tree);
    }
    if (builder == "rail") {
      RailSpec spec{node,          between(2, 8), one_of<std::int32_t>({0, 2, 4}),
                    between(1, 3), wire(),        wire()};
      return built(spec, build_rail);
    }
    if (builder == "dragonfly") {
      DragonflySpec spec{node,  between(1, 2) * node.plugs(), between(2, 3), 1, 0, wire(), wire(),
                         wire()};
      return built(spec, build_dragonfly);
    }
    HyperxSpec spec{
        node, between(1, 2) * node.plugs(), {between(2, 4), between(2, 3)}, wire(), {wire()}};
    return built(spec, build_hyperx);
  }

  RoutingPolicy policy() {
    using enum RoutingPolicy;
    return one_of<RoutingPolicy>({automatic, automatic, ecmp_expected, spray, ecmp, d_mod_k});
  }

 private:
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[random_.uniform_int(values.size())];
  }
  std::int32_t between(std::int32_t first, std::int32_t last) {
    return first + static_cast<std::int32_t>(
                       random_.uniform_int(static_cast<std::uint64_t>(last - first + 1)));
  }
  Wire wire() {
    return {gigabytes_per_second(one_of<std::int64_t>({1, 1, 2, 3})),
            nanoseconds(one_of<std::int64_t>({1, 2, 12}))};
  }
  NodeSpec random_node() {
    NodeSpec node;
    node.npus = one_of<std::int32_t>({1, 1, 2, 4});
    if (node.npus > 1)
      node.inside = one_of<NodeInside>({NodeInside::switched, NodeInside::fully_connected});
    node.link = wire();
    node.nics = one_of<std::int32_t>({0, node.npus, node.npus, (node.npus + 1) / 2});
    node.bus = wire();
    return node;
  }
  template <class Spec, class Build>
  std::optional<TopologySpec> built(const Spec& spec, const Build& build) {
    if (problem_of(spec)) return std::nullopt;
    TopologySpec topology = build(spec);
    std::int64_t npus = 1;
    for (const LevelSpec& level : topology.levels) npus *= level.size;
    if (npus > 72) return std::nullopt;
    return topology;
  }

  RandomStream random_;
};

// How many folded.
int compare(std::uint64_t first, std::uint64_t end, const std::string& backend) {
  int folds = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const std::string builder = builders[seed % builders.size()];
    RandomGraph graph(seed);
    std::optional<TopologySpec> topology = graph.make(builder);
    if (!topology) continue;
    Experiment experiment = RandomJob(seed, seed % 2 == 1).make(*std::move(topology));
    experiment.network.backend = backend;
    experiment.network.routing.policy = graph.policy();
    const RunResult folded = run(experiment, true), full = run(experiment, false);
    INFO("seed " << seed << ", " << builder << " on " << backend << ": " << folded.ranks.size()
                 << " of " << full.ranks.size() << " ranks, " << folded.unfolded_because);
    check_equal(folded, full);
    folds += folded.folded;
  }
  return folds;
}

TEST_CASE("on graphs a folded run is the run of all ranks") {
  CHECK(compare(1, 150, "analytical") > 50);
  CHECK(compare(200, 350, "fluid") > 50);
}

// HyperX of nodes of four NPUs that are joined in pairs. Of a class of inner links the first stands
// for all, and leads to another NPU than the representative: ends of one time at its two ports were
// taken in the order of their sends, not in that of the ports.
TEST_CASE("ports of a representative may be links of others") {
  CHECK(compare(2'084, 2'085, "analytical") == 1);
}

// Each of four fully connected NPUs has links from the three others. By the numbers of the links,
// NPU 0 would have its neighbour above first and NPU 3 the one below: nothing would fold.
TEST_CASE("nodes without a switch inside fold") {
  NodeSpec node;
  node.npus = node.nics = 4;
  node.inside = NodeInside::fully_connected;
  node.link = {gigabytes_per_second(4), nanoseconds(10)};
  node.bus = {gigabytes_per_second(2), nanoseconds(12)};
  const Wire wire{gigabytes_per_second(1), nanoseconds(12)};
  Experiment experiment = with_program(without_latency({}), microseconds(5), Bytes{96'000});
  experiment.topology = build_tree({node, {{"leaf", 8, 2, wire}, {"spine", 2, 0, wire}}});
  for (const char* backend : {"analytical", "fluid"}) {
    experiment.network.backend = backend;
    const RunResult folded = run(experiment, true), full = run(experiment, false);
    INFO(backend << ": " << folded.unfolded_because);
    CHECK(folded.folded);
    check_equal(folded, full);
  }
}

TEST_CASE("on graphs a folded run is the run of all ranks, many of them", "[slow]") {
  CHECK(compare(1'000, 3'000, "analytical") > 600);
  CHECK(compare(4'000, 6'000, "fluid") > 600);
}

// A DLRM exchanges embeddings among everyone while it reduces gradients among everyone: over leaf
// and spine as one level, and over each of them. Both wait at the outermost level, in other lines.
TEST_CASE("an exchange over joined levels passes a reduction over the same ones") {
  const SearchFile file(
      "platform: {leaf_spine: {nodes: 8, node: hgx-h100, leaves: 4, oversubscription: 2}}\n"
      "workload: {model: dlrm-dcnv2}\n",
      "joined");
  const Experiment experiment = load_experiment(file.path(), {});
  for (const char* backend : {"analytical", "fluid"}) {
    Experiment on = experiment;
    on.network.backend = backend;
    const RunResult folded = run(on, true), full = run(on, false);
    INFO(backend << ": " << folded.ranks.size() << " of " << full.ranks.size() << " ranks");
    CHECK(folded.folded);
    check_equal(folded, full);
  }
}

}  // namespace
}  // namespace orrery
