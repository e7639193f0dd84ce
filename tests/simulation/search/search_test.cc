// Estimates against simulations of the same configurations, and what does not depend on threads.
#include "simulation/search/search.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "frontends/cli/commands.h"
#include "frontends/yaml/searched_experiment.h"
#include "report/search_report.h"
#include "simulation/simulate.h"
#include "system/rank/prediction.h"
#include "tests/simulation/search/small_search.h"

using namespace orrery;
using Catch::Contains;

namespace {

// Eight layers of 512 on 16 NPUs: passes of milliseconds, exchanges of tenths of them.
const std::string medium_experiment = R"(platform:
  npu: {peak: 10 TFLOP/s, memory_bandwidth: 500 GB/s, memory: 64 GiB}
  topology:
    levels:
      - {name: node, kind: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us, scope: local}
      - {name: fabric, kind: switch, size: 4, bandwidth: 5 GB/s, latency: 2 us}
system: {algorithms: ring, schedule: local_bandwidth_aware, chunks: 1}
workload:
  transformer:
    {layers: 8, hidden: 512, heads: 8, vocabulary: 2048, sequence: 256, tied_embeddings: false}
  training: {global_batch: 64}
)";

SearchResult found(const SearchedExperiment& variants, std::size_t workers) {
  return estimate_choices(variants, fitting_choices(variants, variants.spec(), workers), workers);
}

void simulate_all_of(const SearchedExperiment& variants, SearchResult& result) {
  for (SearchRow& row : result.rows)
    row.simulated = simulate(variants.experiment(row.found.training)).finish;
}

}  // namespace

// 4 Mi tokens in samples of 4 are more than a million samples.
TEST_CASE("a search says what it assumes") {
  std::string text = small_experiment;
  text.erase(text.find("  training:"));
  const SearchFile file(text, "assumed");
  const SearchedExperiment variants(file.path(), {});
  CHECK_THAT(search_text(found(variants, 1), 3), Contains("training: batch 1048576 ASSUMED\n"));
  const SearchFile written(small_experiment);
  const SearchedExperiment whole(written.path(), {});
  CHECK_THAT(search_text(found(whole, 1), 3), !Contains("ASSUMED"));
}

// An estimate takes one collective after the other. In a simulation the next gather of ZeRO-3 is in
// the fabric while the last one is still inside the nodes: of S bytes 3/16 cross the fabric at 5
// GB/s (37.5 ps a byte) and 3/4 the node at 50 GB/s (15 ps), so in a row they take 37.5 and
// not 52.5 ps a byte. An estimate is at most 1.4 times the simulation for that, where nothing is
// computed beside.
TEST_CASE("estimates put a whole space into the order of its simulations", "[slow]") {
  const SearchFile file(medium_experiment +
                        "search: {micro_batch: [1, 4], chunks: 2, recompute: none}\n");
  const SearchedExperiment variants(file.path(), {});
  SearchResult result = found(variants, 2);
  CHECK(result.rows.size() > 100);
  simulate_all_of(variants, result);
  const EstimateQuality quality = quality_of(result.rows);
  CAPTURE(quality.least, quality.most);
  CHECK(quality.spearman > 0.98);
  CHECK(quality.least > -0.2);
  CHECK(quality.most < 0.4);
}

// Whichever is the fastest of those that are left, and not by chance: each is, once those that are
// faster are gone.
TEST_CASE("what cannot be the fastest is left out, and nothing else") {
  const SearchFile file(medium_experiment + "search: {micro_batch: [1, 4], chunks: 2}\n");
  const SearchedExperiment variants(file.path(), {});
  std::vector<SearchRow> rows = found(variants, 2).rows;
  CHECK(rows.size() > 100);
  CHECK_FALSE(fastest_choice(variants, {}));
  for (; !rows.empty(); rows.erase(rows.begin(), rows.begin() + std::min<long>(rows.size(), 9))) {
    std::vector<FittingChoice> left;
    for (const SearchRow& row : rows) left.push_back(row.found);
    const std::string first = text_of(left.front().choice, left.front().training.data);
    std::ranges::reverse(left);
    const auto fastest = fastest_choice(variants, left);
    REQUIRE(fastest);
    CHECK(text_of(fastest->choice, fastest->training.data) == first);
  }
}

// One stage and one rank: nothing is exchanged, and nothing is left to estimate.
TEST_CASE("without exchanges the estimate is what is simulated") {
  std::string text = medium_experiment;
  text.replace(text.find("size: 4"), 7, "size: 2");
  const SearchFile file(text +
                        "search: {tensor: 1, pipeline: 1, micro_batch: [1, 2], sharding: none, "
                        "recompute: [none, full]}\n");
  const SearchedExperiment variants(file.path(),
                                    {{"platform.topology.levels.0.bandwidth=1000 TB/s"},
                                     {"platform.topology.levels.1.bandwidth=1000 TB/s"},
                                     {"platform.topology.levels.0.latency=1 ps"},
                                     {"platform.topology.levels.1.latency=1 ps"},
                                     {"system.injection_latency=0 s"},
                                     {"system.local_injection_latency=0 s"}});
  SearchResult result = found(variants, 1);
  REQUIRE(result.rows.size() == 4);
  simulate_all_of(variants, result);
  for (const SearchRow& row : result.rows)
    CHECK(static_cast<double>(row.estimate.value) ==
          Approx(static_cast<double>(row.simulated->value)).epsilon(1e-4));
}

// Two passes that are done together send their tokens over the same port. Of 256 tokens with two
// copies of 512 x 2 B each, three quarters leave an NPU: 393,216 B, 0.393 ms at 1 GB/s. A layer has
// four such journeys for a micro-batch (8 B of probabilities in each 2,052 more are left out), two
// layers and four micro-batches 12.58 ms in whatever order. As if those of two passes were beside
// each other, five passes would do for eight: 7.9 ms.
TEST_CASE("what experts exchange beside another micro-batch takes its turn at the ports") {
  const SearchFile file(R"(platform:
  npu: {peak: 1000 TFLOP/s, memory_bandwidth: 100 TB/s, memory: 64 GiB}
  topology: {levels: [{kind: switch, size: 4, bandwidth: 1 GB/s, latency: 1 ns, scope: local}]}
system: {algorithms: direct, chunks: 1, library: none, injection_latency: 0 s}
workload:
  transformer:
    {layers: 2, hidden: 512, heads: 8, vocabulary: 64, sequence: 256, tied_embeddings: false,
     experts: {count: 4, top_k: 2, width: 64}}
  training: {global_batch: 16, overlap_experts: true, sharding: none}
search: {tensor: 1, pipeline: 1, expert: 4, micro_batch: 1, sharding: none, recompute: none}
)",
                        "beside");
  const SearchedExperiment variants(file.path(), {});
  SearchResult result = found(variants, 1);
  REQUIRE(result.rows.size() == 1);
  simulate_all_of(variants, result);
  const SearchRow& row = result.rows.front();
  CHECK(row.found.training.experts.overlap_batches);
  CHECK(row.estimate > microseconds(12'580));
  CHECK(static_cast<double>(row.estimate.value) ==
        Approx(static_cast<double>(row.simulated->value)).epsilon(0.02));
}

// 16 ranks as 1 or 4 stages with 257 or 1,028 micro-batches a pipeline, of which the estimate plays
// 160 at most, twice. Four equal stages take (m + 3)(F + B), whatever the order: as simulated, but
// for the microseconds of the network, and 0.4 % of zero3 (its gathers are estimated in a row).
TEST_CASE("of many micro-batches an estimate plays some") {
  const SearchFile file(medium_experiment +
                        "search: {tensor: 1, pipeline: [1, 4], micro_batch: 1, "
                        "schedule: [1f1b, interleaved, zb-h1, gpipe], chunks: 2, recompute: none, "
                        "sharding: [none, zero1, zero2, zero3]}\n");
  const SearchedExperiment variants(file.path(),
                                    {{"platform.topology.levels.0.bandwidth=1000 TB/s"},
                                     {"platform.topology.levels.1.bandwidth=1000 TB/s"},
                                     {"workload.training.global_batch=4112"}});
  SearchResult result = found(variants, 1);
  REQUIRE(result.rows.size() == 4 + 3 * 4);
  for (SearchRow& row : result.rows) {
    row.simulated = simulate(variants.experiment(row.found.training)).finish;
    CAPTURE(text_of(row.found.choice, row.found.training.data));
    CHECK(static_cast<double>(row.estimate.value) ==
          Approx(static_cast<double>(row.simulated->value)).epsilon(0.005));
  }
}

TEST_CASE("the number of threads changes nothing, and the Pareto set is one") {
  const SearchFile file(medium_experiment);
  const SearchedExperiment variants(file.path(), {});
  const SearchResult one = found(variants, 1), four = found(variants, 4);
  CHECK(search_csv(one) == search_csv(four));
  CHECK(search_text(one, 20) == search_text(four, 20));
  const std::string text = search_text(one, 1);
  CHECK_THAT(text.substr(text.find("\nslower ones")),
             !Contains("simulated") && !Contains("Pareto"));
  for (const SearchRow& row : one.rows) {
    const bool beaten = std::ranges::any_of(one.rows, [&](const SearchRow& other) {
      return other.estimate <= row.estimate && other.found.memory <= row.found.memory &&
             (other.estimate < row.estimate || other.found.memory < row.found.memory);
    });
    const bool first_of_equals = !std::any_of(one.rows.data(), &row, [&](const SearchRow& other) {
      return other.estimate == row.estimate && other.found.memory == row.found.memory;
    });
    CHECK(row.pareto == (!beaten && first_of_equals));
  }
}

// 2 layers on 2 x 2 NPUs, and room for all. Bytes and latency of the fabric are all that counts, a
// pass takes a few microseconds. One stage of four data-parallel ranks sums 1,832 gradients of 4 B
// over the fabric: 7.3 us, and latencies. Two stages send activations of 64 B there, and each sums
// its gradients inside a node: the fastest. Tensor parallelism waits for gathers and scatters in
// each layer and pass of each micro-batch: the three slowest (2 x 2 has nothing to shard).
TEST_CASE("the optimum of a space that can be thought through") {
  const SearchFile file(small_experiment +
                        "search: {micro_batch: 1, schedule: 1f1b, sharding: [none, zero3], "
                        "recompute: none, overlap_tensor: false}\n");
  const SearchedExperiment variants(file.path(), {{"platform.npu.memory=1 GB"}});
  SearchResult result = found(variants, 2);
  REQUIRE(result.rows.size() == 7);
  const auto check_order = [&] {
    CHECK(text_of(result.rows[0].found.choice, 2) == "tp1 pp2 dp2 mb1 1f1b");
    CHECK(text_of(result.rows[1].found.choice, 4) == "tp1 pp1 dp4 mb1");
    for (std::size_t i = 4; i < 7; ++i) CHECK(result.rows[i].found.choice.tensor == 2);
  };
  check_order();
  simulate_all_of(variants, result);
  sort_by_time(result.rows);
  check_order();
  CHECK(quality_of(result.rows).spearman == Approx(1));
}

TEST_CASE("simulated times that leave out something of the file are marked") {
  const SearchFile file(medium_experiment);
  const SearchedExperiment variants(file.path(), {});
  SearchResult result = found(variants, 1);
  CHECK_THAT(search_text(result, 10), !Contains("IGNORED"));
  result.backend = "analytical";
  result.rows[0].simulated = milliseconds(1);
  result.rows[0].ignored = {"network.faults", "network.transport"};
  CHECK_THAT(search_text(result, 10),
             Contains("* IGNORED by the analytical backend: network.faults; network.transport\n") &&
                 Contains(" *  "));
  CHECK_THAT(search_json(result, 10), Contains("\"ignored\": [\n        \"network.faults\","));
  CHECK_THAT(search_csv(result), Contains(",1000000000,network.faults; network.transport,"));
}

// One thread, stopped after the third estimate: three rows are there, in their order, and the
// others of the seven are counted.
TEST_CASE("a search that is stopped keeps what it estimated, and says so") {
  const SearchFile file(small_experiment +
                        "search: {micro_batch: 1, schedule: 1f1b, sharding: [none, zero3], "
                        "recompute: none, overlap_tensor: false}\n");
  const SearchedExperiment variants(file.path(), {{"platform.npu.memory=1 GB"}});
  const SearchResult result =
      estimate_choices(variants, fitting_choices(variants, variants.spec(), 1), 1,
                       [](std::size_t done) { return done < 3; });
  REQUIRE(result.rows.size() == 3);
  CHECK(result.not_estimated == 4);
  CHECK(result.partial);
  for (const SearchRow& row : result.rows) CHECK(row.estimate > Duration{});
  CHECK(std::ranges::is_sorted(result.rows, {}, &SearchRow::estimate));
  CHECK_THAT(search_text(result, 10),
             Contains("PARTIAL RESULT") && Contains("4  fit, and were not"));
  CHECK_THAT(search_json(result, 10),
             Contains("\"partial\": true") && Contains("\"not_reached\": 4"));
  const FittingChoices few =
      fitting_choices(variants, variants.spec(), 1, [](std::size_t done) { return done < 2; });
  CHECK(few.enumerated == 2);
  CHECK(few.unchecked > 0);
  CHECK(estimate_choices(variants, few, 1).partial);
}

// Without a search file's wires: the four platforms that are graphs, and one that is built.
TEST_CASE("platforms that are graphs can be searched") {
  const std::string workload =
      "workload:\n  transformer: {layers: 4, hidden: 256, heads: 8, vocabulary: 1024, sequence: "
      "128}\n  training: {global_batch: 64}\n"
      "search: {micro_batch: 1, pipeline: [1, 2], schedule: 1f1b, recompute: none}\n";
  const std::string leaf_spine =
      "{npu: {preset: a100}, topology: {leaf_spine: {leaves: 2, spines: 1, plugs: 4, bandwidth: "
      "100 Gb/s, latency: 1 us}}}";
  for (const std::string& platform :
       {leaf_spine, std::string("{file: polaris}"), std::string("{file: tg40}"),
        std::string("{file: dgx-h100-rail}")}) {
    CAPTURE(platform);
    const SearchFile file("platform: " + platform + '\n' + workload);
    const SearchedExperiment variants(file.path(), {});
    const SearchResult result = found(variants, 1);
    REQUIRE(!result.rows.empty());
    for (const SearchRow& row : result.rows) CHECK(row.estimate > Duration{});
  }
}

// All NPUs of two below one leaf and two below the other sum S = 8 MB by a ring: 2 x 3 steps of S/4
// at 12.5 GB/s (160 us each). A level of a graph is a switch of the same latency: the nearest two
// NPUs are two links of 1 us apart, so a level that is taken for itself has two links of 1 us.
TEST_CASE("a level of a graph is estimated as a switch of its latency") {
  const auto star_of = [](Duration crossing) {
    GraphSpec graph;
    for (int i = 0; i < 4; ++i) graph.nodes.push_back({NodeKind::npu, ""});
    graph.nodes.push_back({NodeKind::switched, ""});
    for (int i = 0; i < 4; ++i) {
      graph.links.push_back({{i}, {4}, 0, Bandwidth{12'500'000'000}, microseconds(1)});
      graph.links.push_back({{4}, {i}, 0, Bandwidth{12'500'000'000}, microseconds(1)});
    }
    return Topology({{{"all", LevelKind::graph, 4, Bandwidth{12'500'000'000}, crossing}},
                     std::make_shared<const GraphSpec>(graph)});
  };
  const LevelSpec alone = level_alone(star_of(microseconds(2)), 0, 4);
  CHECK(alone.kind == LevelKind::switched);
  CHECK(alone.latency == microseconds(1));
  CHECK(level_alone(star_of(Duration{3}), 0, 2).latency == Duration{2});
  SystemSpec system;
  system.injection_latency = system.local_injection_latency = {};
  CollectiveSpec ring;
  ring.algorithms = {"ring"};
  ring.chunks = 1;
  CHECK(estimated_time({alone}, system, ring, Collective::all_reduce, bytes(8'000'000)) ==
        (microseconds(160) + microseconds(2)) * 6);
}

TEST_CASE("orrery search prints which times are estimates, and writes the fastest") {
  const SearchFile file(medium_experiment + "search: {tensor: [1, 4], micro_batch: 1}\n");
  const std::filesystem::path folder = file.path() + ".out";
  cli::SearchOptions options;
  options.file = file.path();
  options.top = 3;
  options.simulate = 2;
  options.jobs = 2;
  options.output = folder;
  std::ostringstream out, error;
  REQUIRE(cli::search(options, {out, error}) == ok);
  CHECK_THAT(out.str(), Contains("2  of them simulated, on the fluid backend"));
  const Experiment best = load_experiment(folder / "best.yaml", {});
  CHECK(simulate(best).finish.value > 0);
  const SearchResult all = found(SearchedExperiment(file.path(), {}), 1);
  const std::string picture = search_picture(all);
  CHECK_THAT(picture, Contains("memory of a rank (GB)") && Contains("unbeaten in time and memory"));
  CHECK((picture.find("memory of an NPU") != std::string::npos) == all.choices.room.has_value());
  std::filesystem::remove_all(folder);
}
