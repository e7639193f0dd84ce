// Training loops with experts and with shared sequences, simulated whole.
#include <catch2/catch.hpp>

#include "simulation/simulate.h"
#include "tests/simulation/small_jobs.h"

using namespace orrery;

namespace {

// 2 nodes of 4 ranks; 2 layers, h = 64, sequences of 64 tokens, 8 experts of 128, 2 for each token.
Experiment experiment() {
  Experiment result = tiny_transformer();
  result.topology.levels = {
      {"node", LevelKind::switched, 4, gigabytes_per_second(100), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, 2, gigabytes_per_second(10), nanoseconds(500),
       Scope::scale_out}};
  result.system.collectives[static_cast<int>(Collective::all_to_all)].algorithms = {"direct"};
  result.npu.peak = teraflops_per_second(1);
  add_experts(result);
  transformer_of(result).model.experts.width = 128;
  transformer_of(result).training.global_batch = 8;
  return result;
}

TransformerTraining& training_of(Experiment& experiment) {
  return transformer_of(experiment).training;
}

std::int64_t bytes_of(const RunResult& result, const std::string& level,
                      const std::string& collective) {
  std::int64_t sum = 0;
  for (const LevelRow& row : result.levels)
    if (row.name == level && row.collective == collective) sum += row.bytes.narrow().value;
  return sum;
}

}  // namespace

// 4 all-to-alls in each of 2 layers: 128 copies of a rank of 128 B, two of them with 4 B more.
// Inside first, each rank sends 3/4 of its buffer inside the node, then 1/2 of it across.
TEST_CASE("bytes of dispatch and combine on the wire") {
  const RunResult result = simulate(experiment());
  const std::int64_t sent = 8 * 2 * 128 * (2 * 128 + 2 * 132);
  CHECK(bytes_of(result, "node", "all_to_all") == sent * 3 / 4);
  CHECK(bytes_of(result, "fabric", "all_to_all") == sent / 2);
}

// What is drawn moves bytes from one rank to another and takes longer, but not one copy is lost:
// what leaves ranks and what stays on them is what would be sent evenly.
TEST_CASE("drawn loads take longer; the same seed, the same time") {
  const Duration even = simulate(experiment()).finish;
  Experiment drawn = experiment();
  training_of(drawn).experts.load.kind = ExpertLoad::zipf;
  const RunResult result = simulate(drawn);
  CHECK(result.finish > even);
  CHECK(bytes_of(result, "fabric", "all_to_allv") > 0);
  CHECK(simulate(drawn).fingerprint == result.fingerprint);
  drawn.seed = 2;
  CHECK(simulate(drawn).fingerprint != result.fingerprint);
}

// Popularity that is nearly even, drawn for many tokens, is nearly as fast as an even one.
TEST_CASE("a flat Dirichlet load comes near the uniform one") {
  Experiment even = experiment();
  std::get<TransformerWorkload>(even.workload.what).model.sequence = 8'192;
  Experiment drawn = even;
  training_of(drawn).experts.load.kind = ExpertLoad::dirichlet;
  training_of(drawn).experts.load.concentration = 1e6;
  const auto time = [](const Experiment& of) {
    return static_cast<double>(simulate(of).finish.value);
  };
  CHECK(time(drawn) == Approx(time(even)).epsilon(0.02));
}

// Node by node: of 2 experts a token has one on the other node with probability 1 - C(4, 2) / C(8,
// 2) = 11/14. 64 tokens: 2 x 64 x 11/14 = 100.57 crossings, own node included, of which half leave;
// inside, 3/4 of 128.
TEST_CASE("tokens that cross once to each node") {
  Experiment by_node = experiment();
  training_of(by_node).experts.node_ranks = 4;
  const RunResult result = simulate(by_node);
  // Chunks of an odd number of bytes are halved unevenly: a byte each.
  CHECK(bytes_of(result, "fabric", "all_to_all") ==
        Approx(8 * 2 * 101 * (2 * 128 + 2 * 132) / 2).epsilon(0.001));
  CHECK(bytes_of(result, "node", "all_to_all") == 8 * 2 * 128 * (2 * 128 + 2 * 132) * 3 / 4);
  training_of(by_node).experts.load.kind = ExpertLoad::zipf;
  CHECK(simulate(by_node).finish > result.finish);
}

// c = 4 inside the node. Ring: 3 steps of 2 x 16 tokens x 64 x 2 B, and twice that backwards, in
// each of 2 layers on 8 ranks. All-gather: (c-1)/c of c blocks forwards; again and the sums
// backwards. Ulysses: 3/4 of 16 x (3 x 64) and of 16 x 64 elements, both twice.
TEST_CASE("bytes of context parallelism") {
  Experiment shared = experiment();
  auto& workload = std::get<TransformerWorkload>(shared.workload.what);
  workload.model.experts = {};
  workload.training.experts = {};
  workload.training.data = 2;
  workload.training.context = 4;
  workload.training.global_batch = 2;
  const std::int64_t block = 2 * 16 * 64 * 2;
  CHECK(bytes_of(simulate(shared), "node", "point_to_point") == 8 * 2 * 3 * (block + 2 * block));
  workload.training.context_method = ContextMethod::all_gather;
  const RunResult gathered = simulate(shared);
  CHECK(bytes_of(gathered, "node", "all_gather") == 8 * 2 * 2 * 3 * block);
  CHECK(bytes_of(gathered, "node", "reduce_scatter") == 8 * 2 * 3 * block);
  workload.training.context_method = ContextMethod::ulysses;
  CHECK(bytes_of(simulate(shared), "node", "all_to_all") == 8 * 2 * 2 * (16 * 4 * 64 * 2) * 3 / 4);
}

// Two stages of 4 ranks, c = 2, d = 2, whose experts are on all 4: whatever the order of the
// micro-batches, they all go through all layers once, with the same products, dispatches and rings;
// only where parts of the model are differs.
TEST_CASE("experts and shared sequences under every schedule") {
  using enum PipelineSchedule;
  const auto run = [](PipelineSchedule schedule) {
    Experiment shared = experiment();
    auto& workload = std::get<TransformerWorkload>(shared.workload.what);
    workload.model.layers = 8;
    workload.model.tied_embeddings = false;
    workload.training.schedule = schedule;
    workload.training.chunks = schedule == interleaved ? 2 : 1;
    workload.training.pipeline = workload.training.context = workload.training.data = 2;
    workload.training.experts.parallel = 4;
    workload.training.global_batch = 8;
    return simulate(shared);
  };
  const auto computed = [](const RunResult& result) {
    Duration sum;
    for (const RankRow& rank : result.ranks) sum += rank.compute * rank.multiplicity;
    return sum;
  };
  const RunResult plain = run(one_forward_one_backward);
  // m = 4 micro-batches, 8 layers: 4 all-to-alls of 32 tokens, two copies each; rings of one step.
  const std::int64_t copies = 4 * 4 * 8 * 64 * (2 * 128 + 2 * 132);
  CHECK(bytes_of(plain, "node", "all_to_all") == copies * 3 / 4);
  CHECK(bytes_of(plain, "node", "point_to_point") == 4 * 4 * 8 * 3 * (2 * 32 * 64 * 2));
  for (const PipelineSchedule schedule :
       {gpipe, interleaved, zb_h1, zb_h2, zbv, dualpipe, dualpipe_v}) {
    CAPTURE(name_of(schedule));
    const RunResult result = run(schedule);
    CHECK(computed(result) == computed(plain));
    for (const char* collective : {"all_to_all", "point_to_point"})
      CHECK(bytes_of(result, "node", collective) == bytes_of(plain, "node", collective));
  }
}

// Four stages, whose all-to-alls of 2,048 copies of 132 B, 3/4 of them at 10 GB/s, take a tenth of
// the 200 us that the attention of a layer does: alone, a pass waits for each of them; where a
// forward and a backward pass go together each has a part of the other beside it. What is left are
// passes that are alone. dualpipe: of 32 on the first stage 5 forward and 5 backward ones, 16 %.
// interleaved, with two chunks: of 64 on stage s the 2 (3 - s) + 4 + 1 of its warm-up, 12 % on
// average, and as many at the end.
TEST_CASE("passes that go together hide what experts exchange") {
  using enum PipelineSchedule;
  const auto exposed = [](PipelineSchedule schedule, bool together = false) {
    Experiment wide = experiment();
    wide.topology.levels[0].bandwidth = gigabytes_per_second(10);
    wide.topology.levels[1].size = 4;
    auto& workload = std::get<TransformerWorkload>(wide.workload.what);
    workload.model.layers = 8;
    workload.model.sequence = 1'024;
    workload.model.tied_embeddings = false;
    workload.training.schedule = schedule;
    workload.training.chunks = schedule == interleaved ? 2 : 1;
    workload.training.pipeline = workload.training.data = 4;
    workload.training.experts.parallel = 4;
    workload.training.experts.overlap_batches = together;
    workload.training.global_batch = 128;
    const RunResult result = simulate(wide);
    double sum = 0;
    for (const ExposedBy& row : result.exposed_by)
      if (row.kind == "EP") sum += static_cast<double>(row.exposed.value);
    return sum / static_cast<double>(result.finish.value);
  };
  const double alone = exposed(one_forward_one_backward), both_ways = exposed(dualpipe);
  const double chunks = exposed(interleaved), together = exposed(interleaved, true);
  CAPTURE(alone, both_ways, chunks, together);
  CHECK(both_ways < 0.25 * alone);
  CHECK(together < 0.25 * chunks);
}
