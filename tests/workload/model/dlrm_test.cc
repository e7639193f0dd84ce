#include <catch2/catch.hpp>

#include "workload/workload.h"

namespace orrery {
namespace {

// The parameter table of HOTI'20 (Rashidi et al., IEEE 9188288): preset dlrm-hoti20.
DlrmSpec hoti20() {
  DlrmSpec spec;
  spec.global_batch = 65536;
  spec.sparse_features = 64;
  spec.embedding_dimension = 64;
  spec.pooling = 60;
  spec.dense_features = 1600;
  spec.bottom_mlp = {1024, 1024, 1024, 1024, 1024, 1024, 64};
  spec.top_mlp = {2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 2048, 1};
  spec.element = bytes(2);
  return spec;
}

TEST_CASE("the layers of the HOTI'20 model on 128 ranks") {
  const LayerTable table = make_dlrm(hoti20(), 128);
  REQUIRE(table.layers.size() == 20);  // 1 embedding, 7 bottom, 12 top
  CHECK(table.policy == ParallelismPolicy::hybrid_dlrm);
  CHECK(table.last_bottom_layer == 7);
  CHECK(table.layers[0].name == "Embedding");
  CHECK(table.layers[1].name == "MLP_Bottom_0");
  CHECK(table.layers[7].name == "MLP_Bottom_6");
  CHECK(table.layers[8].name == "MLP_Top_0");
  CHECK(table.layers[19].name == "MLP_Top_11");
}

TEST_CASE("gradient sizes of the HOTI'20 model") {
  const LayerTable table = make_dlrm(hoti20(), 128);
  const auto gradients = [&](int layer) { return table.layers[layer].weight_gradient.size; };
  CHECK(gradients(1) == bytes(1600 * 1024 * 2));  // 3,276,800
  CHECK(gradients(2) == bytes(1024 * 1024 * 2));  // 2,097,152
  CHECK(gradients(7) == bytes(1024 * 64 * 2));    // 131,072
  CHECK(gradients(8) == bytes(17'039'360));       // (64 + 1) * 64 = 4160 wide: 4160 * 2048 * 2
  CHECK(gradients(9) == bytes(2048 * 2048 * 2));  // 8,388,608
  CHECK(gradients(19) == bytes(2048 * 1 * 2));    // 4,096

  // 1,638,400 + 5 * 1,048,576 + 65,536 + 8,519,680 + 10 * 4,194,304 + 2,048 parameters
  Bytes all;
  for (int layer = 1; layer < 20; ++layer) {
    CHECK(table.layers[layer].weight_gradient.collective == Collective::all_reduce);
    all += gradients(layer);
  }
  CHECK(all == bytes(2 * 57'411'584));  // 57.41 M parameters, 114.8 MB
}

TEST_CASE("compute of the HOTI'20 model") {
  const LayerTable table = make_dlrm(hoti20(), 128);
  const FlopRate v100 = teraflops_per_second(60);
  // 512 samples a rank: 2 * 512 * 4160 * 2048 / 60e12 = 145.40 us for MLP_Top_0
  CHECK(table.layers[8].forward.compute.flops == flops(2LL * 512 * 4160 * 2048));
  CHECK(compute_time(table.layers[8].forward.compute.flops, v100) == picoseconds(145'402'539));

  // 2 * 512 * 57,411,584 / 60e12 = 979,824,366.9 ps a pass; each of 19 layers rounds up.
  Duration forward, input_gradient, weight_gradient;
  for (const LayerSpec& layer : table.layers) {
    forward += compute_time(layer.forward.compute.flops, v100);
    input_gradient += compute_time(layer.input_gradient.compute.flops, v100);
    weight_gradient += compute_time(layer.weight_gradient.compute.flops, v100);
  }
  CHECK(forward >= picoseconds(979'824'367));
  CHECK(forward <= picoseconds(979'824'367 + 19));
  CHECK(input_gradient == forward);   // with MLP_Bottom_0's: it is not layer 0
  CHECK(weight_gradient == forward);  // together 2.94 ms an iteration
}

TEST_CASE("the embedding exchanges one vector per sample and table") {
  DlrmSpec spec = hoti20();
  const LayerSpec plain = make_dlrm(spec, 128).layers[0];
  CHECK(plain.forward.collective == Collective::all_to_all);
  CHECK(plain.forward.size == bytes(4'194'304));  // 512 samples * 64 tables * 64 * 2 B
  CHECK(plain.input_gradient.collective == Collective::all_to_all);
  CHECK(plain.input_gradient.size == bytes(4'194'304));
  CHECK_FALSE(plain.weight_gradient.collective.has_value());
  CHECK_FALSE(plain.forward.compute.measured.has_value());
  CHECK(plain.forward.compute.flops == flops(0));

  spec.embedding_lookup_time = microseconds(280);
  spec.embedding_update_time = microseconds(420);
  const LayerSpec timed = make_dlrm(spec, 128).layers[0];
  CHECK(timed.forward.compute.measured == microseconds(280));
  CHECK(timed.weight_gradient.compute.measured == microseconds(420));
}

TEST_CASE("dot interaction makes the top MLP narrower") {
  DlrmSpec spec = hoti20();
  spec.interaction = Interaction::dot;
  const LayerTable table = make_dlrm(spec, 128);
  // 65 * 64 / 2 + 64 = 2144 wide: 2144 * 2048 * 2
  CHECK(table.layers[8].weight_gradient.size == bytes(8'781'824));
  // 2 * 512 * 2144 * 2048 / 60e12 = 74.9 us
  CHECK(compute_time(table.layers[8].forward.compute.flops, teraflops_per_second(60)) ==
        picoseconds(74'938'232));
}

TEST_CASE("twice the ranks have half the samples each, and the same gradients") {
  const LayerTable on128 = make_dlrm(hoti20(), 128), on256 = make_dlrm(hoti20(), 256);
  CHECK(on128.layers[0].forward.size == on256.layers[0].forward.size * 2);
  CHECK(on128.layers[5].forward.compute.flops == on256.layers[5].forward.compute.flops * 2);
  CHECK(on128.layers[5].weight_gradient.size == on256.layers[5].weight_gradient.size);
}

// DLRM-DCNv2 on 64 ranks: 2,112 samples each. 26 x 128 wide vectors and the dense one side by side
// are 3,456 wide; a cross layer is 3,456 x 512 and 512 x 3,456. Dense parameters: bottom 170,496,
// cross 3 x 2 x 3,456 x 512 = 10,616,832, top 5,243,136: 16,030,464, of 2 B.
TEST_CASE("cross layers are two products each, and tables cost the traffic of their rows") {
  DlrmSpec spec;
  spec.global_batch = 135'168;
  spec.sparse_features = 26;
  spec.embedding_dimension = 128;
  spec.pooling = 1;
  spec.lookups = 214;
  spec.embedding_traffic = true;
  spec.dense_features = 13;
  spec.bottom_mlp = {512, 256, 128};
  spec.top_mlp = {1'024, 1'024, 512, 256, 1};
  spec.interaction = Interaction::cross;
  spec.cross_layers = 3;
  spec.cross_rank = 512;
  spec.element = bytes(2);
  const LayerTable table = make_dlrm(spec, 64);
  REQUIRE(table.layers.size() == 1 + 3 + 6 + 5);
  Bytes gradients{};
  for (const LayerSpec& layer : table.layers) gradients += layer.weight_gradient.size;
  CHECK(gradients == bytes(2 * 16'030'464));
  CHECK(table.layers[0].forward.size == bytes(2'112 * 6'656));
  CHECK(table.layers[4].name == "Cross_0");
  CHECK(table.layers[4].forward.compute.flops == flops(2LL * 2'112 * 3'456 * 512));
  // 135,168 x 214 rows over 64 ranks, 256 B each.
  CHECK(table.layers[0].forward.compute.memory_traffic == bytes(451'968LL * 256));
  CHECK(table.layers[0].weight_gradient.compute.memory_traffic == bytes(2 * 451'968LL * 256));
}

}  // namespace
}  // namespace orrery
