// Every loop, for layers A, B, C, as the list of what a rank is asked to do.
#include "tests/workload/parallelism/three_layers.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

using test::Levels;
using test::Lines;
using test::loop;
using test::pass;
using test::three_layers;

TEST_CASE("DATA: all-reduces run beside the backward and the next forward pass") {
  CHECK(loop(three_layers(ParallelismPolicy::data), 2) == Lines{
                                                              "compute 0 A forward",
                                                              "compute 0 B forward",
                                                              "compute 0 C forward",
                                                              "compute 0 C wg",
                                                              "all_reduce data 303 0 C wg",
                                                              "compute 0 C ig",
                                                              "compute 0 B wg",
                                                              "all_reduce data 302 0 B wg",
                                                              "compute 0 B ig",
                                                              "compute 0 A wg",
                                                              "all_reduce data 301 0 A wg",
                                                              "wait    0 A wg",
                                                              "compute 1 A forward",
                                                              "wait    0 B wg",
                                                              "compute 1 B forward",
                                                              "wait    0 C wg",
                                                              "compute 1 C forward",
                                                              "compute 1 C wg",
                                                              "all_reduce data 303 1 C wg",
                                                              "compute 1 C ig",
                                                              "compute 1 B wg",
                                                              "all_reduce data 302 1 B wg",
                                                              "compute 1 B ig",
                                                              "compute 1 A wg",
                                                              "all_reduce data 301 1 A wg",
                                                              "wait    1 A wg",
                                                              "wait    1 B wg",
                                                              "wait    1 C wg",
                                                          });
}

TEST_CASE("MODEL: every exchange is waited for where it is needed") {
  CHECK(loop(three_layers(ParallelismPolicy::model), 1) == Lines{
                                                               "compute 0 A forward",
                                                               "all_gather model 101 0 A forward",
                                                               "wait    0 A forward",
                                                               "compute 0 B forward",
                                                               "all_gather model 102 0 B forward",
                                                               "wait    0 B forward",
                                                               "compute 0 C forward",
                                                               "all_gather model 103 0 C forward",
                                                               "wait    0 C forward",
                                                               "compute 0 C ig",
                                                               "reduce_scatter model 203 0 C ig",
                                                               "compute 0 C wg",
                                                               "wait    0 C ig",
                                                               "compute 0 B ig",
                                                               "reduce_scatter model 202 0 B ig",
                                                               "compute 0 B wg",
                                                               "wait    0 B ig",
                                                               "compute 0 A wg",
                                                           });
}

// On two levels: A has gradients to sum over both, B exchanges over both, C over level 0 and sums
// over level 1. The loop is that of HYBRID_DATA_MODEL, and layers over the same levels share a
// communicator.
TEST_CASE("HYBRID_CUSTOMIZED: each layer exchanges over the levels of its own policy") {
  LayerTable table = three_layers(ParallelismPolicy::hybrid_customized);
  table.layers[0].policy = ParallelismPolicy::data;
  table.layers[1].policy = ParallelismPolicy::model;
  table.layers[2].policy = ParallelismPolicy::hybrid_data_model;
  CHECK(loop(table, 1) == Lines{
                              "compute 0 A forward",
                              "compute 0 B forward",
                              "all_gather level 0 1 102 0 B forward",
                              "wait    0 B forward",
                              "compute 0 C forward",
                              "all_gather level 0 103 0 C forward",
                              "wait    0 C forward",
                              "compute 0 C ig",
                              "reduce_scatter level 0 203 0 C ig",
                              "compute 0 C wg",
                              "all_reduce level 1 303 0 C wg",
                              "wait    0 C ig",
                              "compute 0 B ig",
                              "reduce_scatter level 0 1 202 0 B ig",
                              "compute 0 B wg",
                              "wait    0 B ig",
                              "compute 0 A wg",
                              "all_reduce level 0 1 301 0 A wg",
                              "wait    0 A wg",
                              "wait    0 C wg",
                          });
  // A single layer's policy is the same loop as that policy of the table, by another name.
  for (LayerSpec& layer : table.layers) layer.policy = ParallelismPolicy::hybrid_model_data;
  const Lines one = loop(three_layers(ParallelismPolicy::hybrid_model_data), 2);
  CHECK(loop(table, 2).size() == one.size());
}

TEST_CASE("MODEL has nothing outstanding between iterations") {
  const LayerTable table = three_layers(ParallelismPolicy::model);
  Lines once = loop(table, 1), twice = loop(table, 2);
  REQUIRE(twice.size() == 2 * once.size());
  CHECK(twice[18] == "compute 1 A forward");
}

TEST_CASE("HYBRID_DATA_MODEL: exchanges as in MODEL, gradients as in DATA") {
  CHECK(loop(three_layers(ParallelismPolicy::hybrid_data_model), 2) ==
        Lines{
            "compute 0 A forward",
            "all_gather model 101 0 A forward",
            "wait    0 A forward",
            "compute 0 B forward",
            "all_gather model 102 0 B forward",
            "wait    0 B forward",
            "compute 0 C forward",
            "all_gather model 103 0 C forward",
            "wait    0 C forward",
            "compute 0 C ig",
            "reduce_scatter model 203 0 C ig",
            "compute 0 C wg",
            "all_reduce data 303 0 C wg",
            "wait    0 C ig",
            "compute 0 B ig",
            "reduce_scatter model 202 0 B ig",
            "compute 0 B wg",
            "all_reduce data 302 0 B wg",
            "wait    0 B ig",
            "compute 0 A wg",
            "all_reduce data 301 0 A wg",
            "wait    0 A wg",
            "compute 1 A forward",
            "all_gather model 101 1 A forward",
            "wait    1 A forward",
            "wait    0 B wg",
            "compute 1 B forward",
            "all_gather model 102 1 B forward",
            "wait    1 B forward",
            "wait    0 C wg",
            "compute 1 C forward",
            "all_gather model 103 1 C forward",
            "wait    1 C forward",
            "compute 1 C ig",
            "reduce_scatter model 203 1 C ig",
            "compute 1 C wg",
            "all_reduce data 303 1 C wg",
            "wait    1 C ig",
            "compute 1 B ig",
            "reduce_scatter model 202 1 B ig",
            "compute 1 B wg",
            "all_reduce data 302 1 B wg",
            "wait    1 B ig",
            "compute 1 A wg",
            "all_reduce data 301 1 A wg",
            "wait    1 A wg",
            "wait    1 B wg",
            "wait    1 C wg",
        });
}

TEST_CASE("HYBRID_MODEL_DATA is the same loop with the levels exchanged") {
  CHECK(loop(three_layers(ParallelismPolicy::hybrid_model_data), 2) ==
        loop(three_layers(ParallelismPolicy::hybrid_data_model), 2));
}

TEST_CASE("HYBRID_DLRM: the embedding's exchange runs beside the bottom MLP") {
  LayerTable table = three_layers(ParallelismPolicy::hybrid_dlrm);  // A embedding, B bottom, C top
  table.last_bottom_layer = 1;
  table.layers[0].forward.collective = Collective::all_to_all;
  table.layers[0].input_gradient.collective = Collective::all_to_all;
  table.layers[0].weight_gradient.collective.reset();
  const Lines expected = {
      "compute 0 A forward",
      "highest all_to_all world 101 0 A forward",
      "compute 0 B forward",
      "wait    0 A forward",
      "compute 0 C forward",
      "compute 0 C wg",
      "all_reduce world 303 0 C wg",
      "compute 0 C ig",
      "highest all_to_all world 201 0 A ig",
      "compute 0 B wg",
      "all_reduce world 302 0 B wg",
      "compute 0 B ig",
      "compute 0 A wg",
      "wait    0 A ig",
      "compute 1 A forward",
      "highest all_to_all world 101 1 A forward",
      "wait    0 B wg",
      "compute 1 B forward",
      "wait    1 A forward",
      "wait    0 C wg",
      "compute 1 C forward",
      "compute 1 C wg",
      "all_reduce world 303 1 C wg",
      "compute 1 C ig",
      "highest all_to_all world 201 1 A ig",
      "compute 1 B wg",
      "all_reduce world 302 1 B wg",
      "compute 1 B ig",
      "compute 1 A wg",
      "wait    1 A ig",
      "wait    1 B wg",
      "wait    1 C wg",
  };
  CHECK(loop(table, 2) == expected);

  SECTION("HYBRID_DLRM_ENHANCED leaves the backward exchange until the end") {
    Lines enhanced = expected;
    std::erase(enhanced, "wait    0 A ig");
    std::erase(enhanced, "wait    1 A ig");
    enhanced.insert(enhanced.end(), {"wait    0 A ig", "wait    1 A ig"});
    table.policy = ParallelismPolicy::hybrid_dlrm_enhanced;
    CHECK(loop(table, 2) == enhanced);
  }
  SECTION("without a bottom MLP the exchange is waited for at once") {
    table.last_bottom_layer = 0;
    const Lines lines = loop(table, 1);
    CHECK(lines[2] == "wait    0 A forward");
    // B is the first top layer: its input gradient is what the backward exchange carries.
    CHECK(lines[10] == "compute 0 B ig");
    CHECK(lines[11] == "highest all_to_all world 201 0 A ig");
  }
}

TEST_CASE("DISTRIBUTED_INFERENCE: the forward pass of MODEL") {
  CHECK(loop(three_layers(ParallelismPolicy::distributed_inference), 1) ==
        Lines{
            "compute 0 A forward",
            "all_gather model 101 0 A forward",
            "wait    0 A forward",
            "compute 0 B forward",
            "all_gather model 102 0 B forward",
            "wait    0 B forward",
            "compute 0 C forward",
            "all_gather model 103 0 C forward",
            "wait    0 C forward",
        });
}

TEST_CASE("MICRO: the weight-gradient columns, nothing waited for until the end") {
  CHECK(loop(three_layers(ParallelismPolicy::micro), 2) == Lines{
                                                               "compute 0 A wg",
                                                               "all_reduce data 301 0 A wg",
                                                               "compute 0 B wg",
                                                               "all_reduce data 302 0 B wg",
                                                               "compute 0 C wg",
                                                               "all_reduce data 303 0 C wg",
                                                               "compute 1 A wg",
                                                               "all_reduce data 301 1 A wg",
                                                               "compute 1 B wg",
                                                               "all_reduce data 302 1 B wg",
                                                               "compute 1 C wg",
                                                               "all_reduce data 303 1 C wg",
                                                               "wait    0 A wg",
                                                               "wait    1 A wg",
                                                               "wait    0 B wg",
                                                               "wait    1 B wg",
                                                               "wait    0 C wg",
                                                               "wait    1 C wg",
                                                           });
}

// 27 layers: checkpoints at 0, 9 and 18, and before the input gradients of 26, 17 and 8 the layers
// from there on run forward again.
TEST_CASE("HYBRID_TRANSFORMER: layers above a checkpoint run forward again") {
  LayerTable table;
  table.policy = ParallelismPolicy::hybrid_transformer;
  table.groups.tensor = 4;
  table.groups.checkpoints = {0, 9, 18};
  table.groups.recomputed_at = {8, 17, 26};
  for (int i = 0; i < 27; ++i)
    table.layers.push_back({.name = std::to_string(i),
                            .forward = pass(1, Collective::all_reduce, 100),
                            .input_gradient = pass(1, Collective::all_reduce, 200),
                            .weight_gradient = pass(1, Collective::all_reduce, 300),
                            .update = {}});
  const Lines lines = loop(table, 1);
  Lines expected;
  const auto forward = [&](int layer) {
    const std::string row = "0 " + std::to_string(layer) + " forward";
    expected.insert(expected.end(),
                    {"compute " + row, "all_reduce model 100 " + row, "wait    " + row});
  };
  const auto backward = [&](int layer) {
    const std::string row = "0 " + std::to_string(layer);
    expected.insert(
        expected.end(),
        {"compute " + row + " ig", "all_reduce model 200 " + row + " ig", "wait    " + row + " ig",
         "compute " + row + " wg", "all_reduce data 300 " + row + " wg"});
  };
  for (int layer = 18; layer < 26; ++layer) forward(layer);
  for (int layer = 26; layer >= 18; --layer) backward(layer);
  for (int layer = 9; layer < 17; ++layer) forward(layer);
  const auto begin = lines.begin() + 3 * 27;  // behind the forward pass
  CHECK(Lines(begin, begin + static_cast<std::ptrdiff_t>(expected.size())) == expected);
}

// 16 ranks, 2 tensor-parallel, 4 that share experts: 8 replicas, of which 2 have the same experts.
TEST_CASE("HYBRID_TRANSFORMER: whom a collective joins") {
  LayerTable table = three_layers(ParallelismPolicy::hybrid_transformer);
  table.groups.tensor = 2;
  table.groups.experts = 4;
  table.layers.resize(1);
  table.layers[0].forward.group = PassGroup::experts;
  table.layers[0].weight_gradient.group = PassGroup::expert_data;
  Job job = make_training_job(table, 2, 16, {}, 1);
  CHECK(test::describe(job, 0) ==
        Lines{"compute 0 A forward", "all_gather experts 101 0 A forward", "wait    0 A forward",
              "compute 0 A ig", "reduce_scatter model 201 0 A ig", "wait    0 A ig",
              "compute 0 A wg", "all_reduce expert data 301 0 A wg", "wait    0 A wg"});
  using Extents = std::vector<Extent>;
  REQUIRE(job.communicators.size() == 4);
  CHECK(std::get<Extents>(job.communicators[0].groups) == Extents{{2, 1}});
  CHECK(std::get<Extents>(job.communicators[1].groups) == Extents{{4, 2}});
  CHECK(std::get<Extents>(job.communicators[2].groups) == Extents{{8, 2}});
  CHECK(std::get<Extents>(job.communicators[3].groups) == Extents{{2, 8}});
  // The same table as one of two stages on all 32 ranks, and on the 16 of a stage.
  table.groups.stages = 2;
  table.groups.ranks = 32;
  CHECK(data_replicas(table.groups, 32) == 8);
  CHECK(data_replicas(table.groups, 16) == 8);
}

}  // namespace
}  // namespace orrery
