// Which parts a stage has, and what of them is exchanged together: parameters counted by hand.
#include "workload/parallelism/stage_layout.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

std::vector<std::int64_t> elements_of(const TransformerWorkload& workload, std::int32_t stage) {
  std::vector<std::int64_t> elements;
  const StageLayout layout = stage_layout(workload, stage);
  for (const ExchangeUnit& unit : layout.units) elements.push_back(unit.elements);
  return elements;
}

// h = 2,048: attention has 4 h^2 + h = 16,779,264 parameters, an MLP 8 h^2 + h = 33,556,480, the
// embedding of 16 words 32,768 and the head h more. From behind, buckets of 40 million: head, MLP
// and attention are 50,370,560; MLP and attention of the other layer 50,335,744; the embedding is
// left. Of 64 million, as 64 ranks have them: with the second MLP 83,927,040, and the rest.
TEST_CASE("gradient buckets grow with the number of data-parallel ranks") {
  TransformerWorkload workload;
  workload.model.layers = 2;
  workload.model.hidden = 2'048;
  workload.model.heads = 16;
  workload.model.vocabulary = 16;
  workload.model.sequence = 4;
  workload.model.tied_embeddings = false;
  using Elements = std::vector<std::int64_t>;
  for (const std::int32_t data : {1, 40}) {
    workload.training.global_batch = workload.training.data = data;
    CHECK(elements_of(workload, 0) == Elements{32'768, 50'335'744, 50'370'560});
  }
  workload.training.global_batch = workload.training.data = 64;
  CHECK(elements_of(workload, 0) == Elements{32'768 + 16'779'264, 83'927'040});
  // The second of two stages has one bucket: a layer and the head.
  workload.training.pipeline = 2;
  CHECK(elements_of(workload, 1) == Elements{50'370'560});
}

// Six layers on four stages. With embedding and loss in the place of a layer there are eight to
// divide, two a stage. Without, the first two stages have two layers.
TEST_CASE("embedding and loss take the place of a layer each, if they are to") {
  TransformerWorkload workload;
  workload.model.layers = 6;
  workload.model.hidden = 8;
  workload.model.heads = 1;
  workload.training.pipeline = 4;
  workload.training.global_batch = 4;
  // First and last layer of each stage.
  const auto layers = [&] {
    std::vector<std::pair<std::int32_t, std::int32_t>> ends;
    for (std::int32_t stage = 0; stage < 4; ++stage) {
      std::vector<std::int32_t> own;
      const StageLayout layout = stage_layout(workload, stage);
      for (const StagePart& part : layout.chunks[0])
        if (part.part == TransformerPart::mlp) own.push_back(part.layer);
      ends.emplace_back(own.front(), own.back());
    }
    return ends;
  };
  using Ends = std::vector<std::pair<std::int32_t, std::int32_t>>;
  CHECK(layers() == Ends{{0, 1}, {2, 3}, {4, 4}, {5, 5}});
  workload.training.ends_take_a_layer = true;
  CHECK(layers() == Ends{{0, 0}, {1, 2}, {3, 4}, {5, 5}});
}

}  // namespace
}  // namespace orrery
