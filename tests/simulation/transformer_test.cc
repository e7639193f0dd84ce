// Training loops of transformers, simulated whole.
#include <catch2/catch.hpp>

#include "simulation/simulate.h"
#include "tests/simulation/rings.h"
#include "workload/parallelism/stage_layout.h"

using namespace orrery;

namespace {

// A network that costs nothing, and layers of equal work: no vocabulary to speak of, and sequences
// so short that the attention scores are nothing beside the matrices.
Experiment pipeline(PipelineSchedule schedule, int stages, int chunks, int layers, int batch) {
  Experiment experiment;
  experiment.topology.levels = {{"fabric", LevelKind::switched, stages,
                                 Bandwidth{std::int64_t{1} << 60}, Duration{}, Scope::scale_out}};
  experiment.system.injection_latency = experiment.system.local_injection_latency = Duration{};
  experiment.npu.peak = teraflops_per_second(1);
  TransformerWorkload workload;
  workload.model.layers = layers;
  workload.model.hidden = 4'096;
  workload.model.heads = 32;
  workload.model.vocabulary = 1;
  workload.model.sequence = 16;
  workload.model.element = Bytes{2};
  workload.training.pipeline = stages;
  workload.training.chunks = chunks;
  workload.training.schedule = schedule;
  workload.training.global_batch = batch;
  experiment.workload.what = workload;
  return experiment;
}

// What part of the iteration a stage does not compute.
double bubble_of(const Experiment& experiment) {
  const RunResult result = simulate(experiment);
  return 1 - static_cast<double>(result.compute.value) / static_cast<double>(result.finish.value);
}

}  // namespace

// (p-1)/(m+p-1) for gpipe and 1f1b: 3/11. Interleaved over v = 2 chunks, of two layers each:
// 3/(2 x 8 + 3) = 3/19. Zero bubble, weight gradient as long as forward and input gradient, F = B =
// W = 1: (p-1)(F+B-W) of 3m + (p-1), 3/27; zb-h2 is left with the (p-1) F by which stages begin
// after each other, 3/27 too. zbv with half stages of F = 1/2: 3/2 of 3m + 3/2, 3/51.
TEST_CASE("bubbles of pipelines without network cost, p = 4, m = 8") {
  using enum PipelineSchedule;
  CHECK(bubble_of(pipeline(one_forward_one_backward, 4, 1, 8, 8)) ==
        Approx(3.0 / 11).epsilon(0.001));
  CHECK(bubble_of(pipeline(gpipe, 4, 1, 8, 8)) == Approx(3.0 / 11).epsilon(0.001));
  CHECK(bubble_of(pipeline(interleaved, 4, 2, 16, 8)) == Approx(3.0 / 19).epsilon(0.001));
  CHECK(bubble_of(pipeline(zb_h1, 4, 1, 8, 8)) == Approx(3.0 / 27).epsilon(0.005));
  CHECK(bubble_of(pipeline(zb_h2, 4, 1, 8, 8)) == Approx(3.0 / 27).epsilon(0.005));
  CHECK(bubble_of(pipeline(zbv, 4, 1, 8, 8)) == Approx(3.0 / 51).epsilon(0.005));
}

// (p/2-1)(F+2B-W) with F = B = W = 1 for a p-th of the model: 2 x (4/2-1) beside the 3m = 24 of the
// 8 micro-batches that each stage works on, 4 of each direction through two parts. Cut in half: 2
// stages of two quarters of the model, m = 8 through both, 2 beside 48.
TEST_CASE("bubbles of dualpipe without network cost") {
  using enum PipelineSchedule;
  CHECK(bubble_of(pipeline(dualpipe, 4, 1, 8, 8)) == Approx(2.0 / 26).epsilon(0.005));
  CHECK(bubble_of(pipeline(dualpipe_v, 2, 1, 8, 8)) == Approx(2.0 / 50).epsilon(0.005));
}

// Without the wait for the norm of all gradients stages stay shifted against each other, and in the
// iterations that follow nothing is idle any more: of n iterations only 3 F at the end, 3/(24 n +
// 3).
TEST_CASE("post-validation takes the bubble out of zb-h2") {
  Experiment experiment = pipeline(PipelineSchedule::zb_h2, 4, 1, 8, 8);
  TransformerWorkload& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.training.post_validation = true;
  workload.model.tied_embeddings = false;  // their sum joins the first and the last stage
  experiment.workload.iterations = 4;
  CHECK(bubble_of(experiment) == Approx(3.0 / 99).epsilon(0.01));
}

// Two stages of dualpipe have the same two parts of the model: 2 d ranks sum the gradients of each.
// N = 2 parts of two layers of 12 h^2 + 2h, with the embedding in one and the head, h more, in the
// other; p = 2 here, so both stages have all of it, all 4 ranks sum everything and send 2 (3/4) of
// it.
TEST_CASE("dualpipe sums gradients over both stages that have them") {
  Experiment experiment;
  use_rings(experiment.system, 16);
  experiment.topology.levels = {{"fabric", LevelKind::switched, 4, gigabytes_per_second(10),
                                 nanoseconds(500), Scope::scale_out}};
  experiment.npu.peak = teraflops_per_second(1);
  TransformerWorkload workload;
  workload.model.layers = 4;
  workload.model.hidden = 128;
  workload.model.heads = 4;
  workload.model.vocabulary = 256;
  workload.model.sequence = 64;
  workload.model.element = Bytes{2};
  workload.model.tied_embeddings = false;
  workload.training.pipeline = workload.training.data = 2;
  workload.training.schedule = PipelineSchedule::dualpipe;
  workload.training.global_batch = 8;
  experiment.workload.what = workload;
  const std::int64_t n = 4 * (12 * 128 * 128 + 2 * 128) + 2 * 256 * 128 + 128;
  std::int64_t reduced = 0, sent = 0;
  for (const LevelRow& row : simulate(experiment).levels) {
    if (row.collective == "all_reduce") reduced += row.bytes.narrow().value;
    if (row.collective == "point_to_point") sent += row.bytes.narrow().value;
  }
  CHECK(reduced == 4 * (2 * 3 * n * 4 / 4) + 4 * 6);  // and the norm, 4 B of which 3/4 twice
  // Two pipelines, m = 4: each micro-batch crosses the one boundary, there and back.
  CHECK(sent == 2 * 4 * 2 * (64 * 128 * 2));
}

// One float of each token twice: 3 x 4 T bytes in two all-reduces instead of three, and no other
// traffic; the first layer of each stage of two recomputed takes half of what all do.
TEST_CASE("recomputing some layers, and a fused loss") {
  Experiment experiment = pipeline(PipelineSchedule::one_forward_one_backward, 2, 1, 8, 4);
  TransformerTraining& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  const Duration none = simulate(experiment).compute;
  training.recompute = Recompute::full;
  const Duration full = simulate(experiment).compute;
  training.recompute_layers = 2;  // of 4
  const Duration half = simulate(experiment).compute;
  CHECK(full > none);
  CHECK(2 * (half - none).value == (full - none).value);
}

// 14 layers and two ends on 4 stages x 2 chunks: 2 places in each, of which the embedding and the
// head take one: all stages but these compute two layers more than one with an end.
TEST_CASE("embedding and loss take the place of a layer") {
  Experiment experiment = pipeline(PipelineSchedule::interleaved, 4, 2, 14, 8);
  std::get<TransformerWorkload>(experiment.workload.what).training.ends_take_a_layer = true;
  const RunResult result = simulate(experiment);
  std::vector<Duration> compute;
  for (const RankRow& rank : result.ranks) compute.push_back(rank.compute);
  REQUIRE(compute.size() == 4);
  CHECK(compute[1] == compute[2]);
  const double layers =
      static_cast<double>(compute[0].value) / static_cast<double>(compute[1].value);
  CHECK(layers == Approx(3.0 / 4).epsilon(0.01));
  CHECK(static_cast<double>(compute[3].value) / static_cast<double>(compute[1].value) ==
        Approx(3.0 / 4).epsilon(0.01));
}

// Two ranks send half of Y = 16 x 4,096 x 2 B each instead of all of it, and gather it on the other
// side, where each receives the other's half: m = 4 micro-batches, there and back.
TEST_CASE("activations that are scattered for the way between stages") {
  Experiment experiment = pipeline(PipelineSchedule::one_forward_one_backward, 2, 1, 2, 4);
  experiment.topology.levels.insert(
      experiment.topology.levels.begin(),
      {"node", LevelKind::switched, 2, gigabytes_per_second(100), Duration{}, Scope::local});
  TransformerTraining& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.tensor = 2;
  training.scatter_gather = true;
  std::get<TransformerWorkload>(experiment.workload.what).model.vocabulary = 2;
  std::int64_t sent = 0, gathered = 0;
  for (const LevelRow& row : simulate(experiment).levels) {
    if (row.collective == "point_to_point") sent += row.bytes.narrow().value;
    if (row.collective == "all_gather") gathered += row.bytes.narrow().value;
  }
  constexpr std::int64_t y = 16 * 4'096 * 2;
  CHECK(sent == 2 * 4 * 2 * y / 2);
  CHECK(gathered == 2 * 4 * 2 * y / 2);
}

// p = 4, m = 8, two layers a stage; a head of V = 3 h takes 2 T h V operations for each of its
// three products, 1.610612736 ms, an eighth of the stage's forward pass. The last stage is the
// slowest and sets the pace: put off, m such products come while the others drain their pipeline,
// for which these take 6 forward passes; with a limit of 3, three of them.
TEST_CASE("weight gradients of the head in the time in which the pipeline drains") {
  const auto finish = [](bool deferred, int limit) {
    Experiment experiment = pipeline(PipelineSchedule::one_forward_one_backward, 4, 1, 8, 8);
    auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
    workload.model.vocabulary = 3 * 4'096;
    workload.model.tied_embeddings = false;
    workload.training.defer_head_gradients = deferred;
    workload.training.deferral_limit = limit;
    return simulate(experiment).finish;
  };
  const Duration product = picoseconds(1'610'612'736);
  CHECK(finish(false, 0) - finish(true, 0) == product * 8);
  CHECK(finish(false, 0) - finish(true, 3) == product * 3);
}

// The bucket with the head is exchanged when its last gradient is there, whatever layers it shares
// it with: the bytes are those of the same job without putting off, the time is no longer. With
// every gradient of the stage in one bucket nothing is left beside which to exchange it.
TEST_CASE("the gradients of a head that were put off are still exchanged once") {
  for (const std::optional<Bytes> bucket : {std::optional<Bytes>{}, std::optional(Bytes{1})}) {
    Experiment experiment = pipeline(PipelineSchedule::interleaved, 2, 2, 8, 4);
    experiment.topology.levels.push_back({"replicas", LevelKind::switched, 2,
                                          gigabytes_per_second(100), nanoseconds(500),
                                          Scope::scale_out});
    auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
    workload.model.vocabulary = 4'096;
    workload.model.tied_embeddings = false;
    workload.training.data = 2;
    workload.training.order = RankOrder::tensor_pipeline_data;
    workload.training.global_batch = 8;
    workload.training.bucket = bucket;
    const RunResult before = simulate(experiment);
    workload.training.defer_head_gradients = true;
    const RunResult after = simulate(experiment);
    const auto reduced = [](const RunResult& result) {
      std::int64_t sum = 0;
      for (const LevelRow& row : result.levels)
        if (row.collective == "all_reduce") sum += row.bytes.narrow().value;
      return sum;
    };
    CHECK(reduced(after) == reduced(before));
    std::int64_t computed = 0;
    for (std::size_t i = 0; i < after.ranks.size(); ++i)
      computed += (after.ranks[i].compute - before.ranks[i].compute).value;
    CHECK(computed == 0);
  }
}

// Gradients that are not overlapped are exchanged when a stage is through with all its backward
// passes: no stage waits for another one's exchange. So p = 4 stages of two chunks take as long as
// without replicas, and then each two all-reduces of two layers of 12 h^2 + 2 h, 4 B each, of which
// a ring of two sends as much as there is, at 10 GB/s; the embedding and the head are nothing here.
TEST_CASE("gradients that are not overlapped are exchanged behind the pipeline") {
  using enum PipelineSchedule;
  for (const auto& [schedule, chunks] :
       {std::pair{interleaved, 2}, {one_forward_one_backward, 1}}) {
    const Experiment alone = pipeline(schedule, 4, chunks, 8 * chunks, 8);
    Experiment replicated = alone;
    replicated.topology.levels.push_back({"replicas", LevelKind::switched, 2,
                                          gigabytes_per_second(10), Duration{}, Scope::scale_out});
    auto& training = std::get<TransformerWorkload>(replicated.workload.what).training;
    training.data = 2;
    training.order = RankOrder::tensor_pipeline_data;
    training.global_batch = 16;
    training.overlap_gradients = false;
    const double layer = (12.0 * 4'096 * 4'096 + 2 * 4'096) * 4 / 10e9;
    const Duration longer = simulate(replicated).finish - simulate(alone).finish;
    CHECK(static_cast<double>(longer.value) * 1e-12 == Approx(2 * chunks * layer).epsilon(0.001));
  }
}

// A stage that does not overlap them waits until what it sends has left: 64 x 128 x 2 B at 1 GB/s,
// 16.4 us, after each forward pass.
TEST_CASE("sends that are not overlapped are waited for") {
  Experiment experiment = pipeline(PipelineSchedule::gpipe, 2, 1, 2, 4);
  experiment.topology.levels[0].bandwidth = gigabytes_per_second(1);
  TransformerTraining& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.overlap_p2p = false;
  const Duration waits = simulate(experiment).finish;
  training.overlap_p2p = true;
  CHECK(simulate(experiment).finish < waits);
}

// The bytes of pipeline, tensor and data parallelism in closed form. t = 2, p = 2, d = 2; b = 1,
// m = 2, s = 64, h = 128, 4 layers of 12 h^2 + 2h parameters, V = 256.
TEST_CASE("bytes on the wire of tensor, data and pipeline parallelism") {
  Experiment experiment;
  use_rings(experiment.system, 16);
  experiment.topology.levels = {
      {"node", LevelKind::switched, 2, gigabytes_per_second(100), nanoseconds(500), Scope::local},
      {"fabric", LevelKind::switched, 4, gigabytes_per_second(10), nanoseconds(500),
       Scope::scale_out}};
  experiment.npu.peak = teraflops_per_second(1);
  TransformerWorkload workload;
  workload.model.layers = 4;
  workload.model.hidden = 128;
  workload.model.heads = 4;
  workload.model.vocabulary = 256;
  workload.model.sequence = 64;
  workload.model.element = Bytes{2};
  workload.model.tied_embeddings = false;
  workload.training.tensor = workload.training.pipeline = workload.training.data = 2;
  workload.training.global_batch = 4;
  experiment.workload.what = workload;
  const RunResult result = simulate(experiment);

  const auto bytes_of = [&](const std::string& level, const std::string& collective) {
    std::int64_t sum = 0;
    for (const LevelRow& row : result.levels)
      if (row.name == level && row.collective == collective) sum += row.bytes.narrow().value;
    return sum;
  };
  // Point to point: m micro-batches of s x h x 2 B each way, for each of t x d = 4 pipelines.
  CHECK(bytes_of("fabric", "point_to_point") == 4 * 2 * 2 * (64 * 128 * 2));
  // Tensor parallel: a ring all-reduce of Y sends 2(t-1)/t Y a rank, Y = 16,384 B here. Two forward
  // and two backward in each of 2 layers per stage, on all 8 ranks, for 2 micro-batches; one more
  // of the embedding (first stage, 4 ranks), one of the head's input gradient, and three of 4 B a
  // token in the loss (last stage).
  const std::int64_t y = 64 * 128 * 2;
  const std::int64_t layers = 8 * 2 * 2 * 4 * y, embedding = 4 * 2 * y;
  const std::int64_t head = 4 * 2 * (y + 3 * 64 * 4);
  // The norm of the gradients: 4 B over all, of which the node carries a ring's 2(t-1)/t.
  const std::int64_t norm = 8 * 4;
  CHECK(bytes_of("node", "all_reduce") == layers + embedding + head + norm);
  // Data parallel: 2(d-1)/d of a stage's gradients, 4 B each, on its 4 ranks; and the norm of the
  // gradients over the other 4 nodes, 2 x 3/4 of 4 B.
  const std::int64_t layer = 12 * 128 * 128 / 2 + 2 * 128;
  const std::int64_t stages = 2 * layer + 256 * 128 / 2 + 2 * layer + 256 * 128 / 2 + 128;
  CHECK(bytes_of("fabric", "all_reduce") == 4 * (stages * 4) + 8 * 6);
}

// Parts of the iteration add up, and tensor parallel traffic is called that.
TEST_CASE("exposed time is told apart by kind of parallelism") {
  Experiment experiment = pipeline(PipelineSchedule::one_forward_one_backward, 4, 1, 8, 8);
  const RunResult result = simulate(experiment);
  Duration sum;
  std::string kinds;
  for (const ExposedBy& row : result.exposed_by) {
    sum += row.exposed;
    kinds += row.kind + ' ';
  }
  CHECK(sum == result.exposed);
  CHECK_THAT(kinds, Catch::Contains("PP "));
}

// t = 4 on one switch of 1 GB/s, one sample of T = 1,024 tokens, h = 256, one layer. What a rank
// shifts, 256 x 256 x 2 B, takes s = 131.072 us; at 200 GFLOP/s a part of 256 rows of a product
// takes
//   into queries, keys, values  2 x 256 x 256 x 192   125.829120 us   forwards
//   projection                  2 x 256 x 64 x 256     41.943040 us   forwards and backwards
//   both of the MLP             2 x 256 x 256 x 256   167.772160 us
// and of the three shifts of a product 3 (s - p) are left where p < s. The rest of the exchanges is
// as without.
TEST_CASE("tensor-parallel exchanges beside their own products leave what is longer") {
  Experiment experiment;
  experiment.topology.levels = {
      {"node", LevelKind::switched, 4, gigabytes_per_second(1), Duration{}, Scope::local}};
  experiment.system.injection_latency = experiment.system.local_injection_latency = Duration{};
  experiment.npu.peak = FlopRate{200'000'000'000};
  TransformerWorkload workload;
  workload.model.layers = 1;
  workload.model.hidden = 256;
  workload.model.heads = 4;
  workload.model.vocabulary = 4;
  workload.model.sequence = 1'024;
  workload.model.element = Bytes{2};
  workload.training.tensor = 4;
  workload.training.sequence_parallel = true;
  workload.training.global_batch = 1;
  experiment.workload.what = workload;
  const RunResult whole = simulate(experiment);
  std::get<TransformerWorkload>(experiment.workload.what).training.overlap_tensor = true;
  const RunResult parts = simulate(experiment);
  Duration ring;
  std::int64_t shifted = 0;
  for (const LayerRow& row : parts.layers)
    if (row.name == "tensor ring") ring += row.exposed;
  for (const LevelRow& row : parts.levels)
    if (row.collective == "point_to_point") shifted += row.bytes.narrow().value;
  CHECK(ring == picoseconds(3 * (131'072'000 - 125'829'120) + 6 * (131'072'000 - 41'943'040)));
  CHECK(shifted == 4 * 6 * 3 * 131'072);  // 4 ranks, 4 products forwards and 2 backwards
  CHECK(parts.compute == whole.compute);
  // Whole, each of the six takes 3 s.
  CHECK(whole.exposed - parts.exposed == picoseconds(6 * 3 * 131'072'000LL) - ring);
}

// The rows are the tree's: this one has those of H100 in bf16 around it.
TEST_CASE("a training at a measured efficiency says how far off its time may be") {
  Experiment experiment = pipeline(PipelineSchedule::gpipe, 4, 1, 8, 8);
  CHECK_FALSE(simulate(experiment).expected_error);  // the efficiency is the file's own
  experiment.npu.efficiency_in_force.name = "none";
  CHECK_FALSE(simulate(experiment).expected_error);  // the data sheet was not compared
  experiment.npu.efficiency_in_force = {.name = "h100-2024", .because = "", .error = 0.062};
  const auto expected = simulate(experiment).expected_error;
  CHECK(expected == expected_error({"h100-2024", false, 4, 16, 4'096}, validation_rows()));
  CHECK(expected->devices == std::vector<std::string>{"H100"});
}

// A layer's last product again, 2 x 16 x 16,384 x 4,096 operations, takes 2,147.484 us at 1
// TFLOP/s. Of 8 layers on two stages, a stage does that 4 times for each of 4 micro-batches.
TEST_CASE("recomputation that stops early saves the last product of each layer") {
  Experiment experiment = pipeline(PipelineSchedule::one_forward_one_backward, 2, 1, 8, 4);
  TransformerTraining& training = std::get<TransformerWorkload>(experiment.workload.what).training;
  training.recompute_stops_early = true;
  const Duration none = simulate(experiment).compute;
  training.recompute_stops_early = false;
  CHECK(simulate(experiment).compute == none);  // nothing is recomputed
  training.recompute = Recompute::full;
  const Duration whole = simulate(experiment).compute;
  training.recompute_stops_early = true;
  const Duration early = simulate(experiment).compute;
  CHECK(static_cast<double>((whole - early).value) == Approx(16 * 2'147.483648e6).epsilon(1e-6));
}

// Two tensor-parallel ranks at 1 TFLOP/s and 1 GB/s; Y = 16 x 4,096 x 2 B = 131,072 B, whose sum in
// a ring of two takes Y/B = 131.072 us. Beside the weight gradients of FC1 (2 x 16 x 4,096 x 8,192
// operations, 1,074 us) and of QKV (805 us) it is hidden whole, beside that of the head's one
// column (2 x 16 x 4,096: 0.131 us) that long. Software that waits takes these 262.275 us more.
TEST_CASE("sums of input gradients are hidden beside weight gradients, or not") {
  Experiment experiment = pipeline(PipelineSchedule::gpipe, 2, 1, 1, 1);
  experiment.topology.levels[0].bandwidth = gigabytes_per_second(1);
  use_rings(experiment.system, 1);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.training.pipeline = 1;
  workload.training.tensor = 2;
  workload.model.vocabulary = 2;
  const Duration hidden = simulate(experiment).finish;
  workload.training.overlap_gradient_sums = false;
  const Duration exposed = simulate(experiment).finish;
  CHECK(static_cast<double>((exposed - hidden).value) == Approx(262.275e6).epsilon(1e-5));
}

// Two replicas and a memory of 50 GB/s: a step of 52 B a parameter takes 22 B/(50 GB/s) = 0.44 ns a
// parameter more than one of 30 B. Of states in two parts each rank updates half.
TEST_CASE("an older optimizer moves more of the memory for each parameter") {
  Experiment experiment = pipeline(PipelineSchedule::gpipe, 2, 1, 1, 2);
  experiment.npu.memory_bandwidth = gigabytes_per_second(50);
  auto& workload = std::get<TransformerWorkload>(experiment.workload.what);
  workload.training.pipeline = 1;
  workload.training.data = 2;
  const auto added = [&] {
    workload.training.optimizer_traffic = Bytes{30};
    const Duration newer = simulate(experiment).finish;
    workload.training.optimizer_traffic = Bytes{52};
    return static_cast<double>((simulate(experiment).finish - newer).value);
  };
  const auto parameters = static_cast<double>(stage_layout(workload, 0).trained);
  REQUIRE(parameters > 12.0 * 4'096 * 4'096);
  CHECK(added() == Approx(440 * parameters).epsilon(1e-6));
  workload.training.sharding = Sharding::zero1;
  CHECK(added() == Approx(220 * parameters).epsilon(1e-6));
}
