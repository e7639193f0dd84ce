// How many operations an iteration has, as each convention counts them.
#include "workload/training_flops.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

// h = 64, L = 2, s = 32, V = 100, B = 8. By D. Narayanan et al., SC'21, equation 3 with 72 for 96
// and V/12 for V/16: 72 x 8 x 32 x 2 x 64^2 (1 + 32/384 + 100/(12 x 2 x 64)) =
// 150,994,944 x 1.1484375 = 173,408,256.
TransformerWorkload gpt() {
  TransformerWorkload workload;
  workload.model.layers = 2;
  workload.model.hidden = 64;
  workload.model.heads = 4;
  workload.model.vocabulary = 100;
  workload.model.sequence = 32;
  workload.model.element = Bytes{2};
  workload.training.global_batch = 8;
  workload.training.micro_batch = 2;
  return workload;
}

// Attention is s/6h = 1/12 of the 150,994,944: 12,582,912, of which causality leaves half. N =
// 2 (12 x 64^2 + 2 x 64) + 100 x 64 + 64 = 105,024: 6 N for each of 256 tokens. Full recomputation
// does the layers' third again: 4 (150,994,944 + 12,582,912) / 3 + 9,830,400 of the head.
TEST_CASE("operations of a GPT's iteration in each convention") {
  TransformerWorkload workload = gpt();
  using enum FlopConvention;
  CHECK(training_flops(workload, model) == Approx(173'408'256).epsilon(1e-9));
  CHECK(training_flops(workload, causal) == Approx(173'408'256 - 6'291'456).epsilon(1e-9));
  CHECK(training_flops(workload, six_n) == Approx(161'316'864).epsilon(1e-9));
  CHECK(training_flops(workload, palm) == Approx(161'316'864 + 12'582'912).epsilon(1e-9));
  CHECK(training_flops(workload, recomputed) == training_flops(workload, model));
  workload.training.recompute = Recompute::full;
  CHECK(training_flops(workload, recomputed) == Approx(227'934'208).epsilon(1e-9));
  // The second matrix of the MLP is 4 h^2 of a layer's 12 h^2: a third of 150,994,944 / 3 less.
  workload.training.recompute_stops_early = true;
  CHECK(training_flops(workload, recomputed) == Approx(211'156'992).epsilon(1e-9));
  CHECK(training_flops(workload, model) == Approx(173'408'256).epsilon(1e-9));
}

TEST_CASE("how a model is spread over ranks does not change its operations") {
  TransformerWorkload spread = gpt();
  spread.training.tensor = 2;
  spread.training.pipeline = 2;
  spread.training.data = 2;
  spread.training.recompute = Recompute::full;
  spread.training.recompute_layers = 1;  // of each stage's one
  for (const FlopConvention convention : flop_conventions) {
    TransformerWorkload alone = gpt();
    alone.training.recompute = Recompute::full;
    CHECK(training_flops(spread, convention) == training_flops(alone, convention));
  }
}

// DualPipe has every part of the model on two stages. With L = 4 and B = 8 the layers' 150,994,944
// + 12,582,912 of two layers count twice, and the head's 9,830,400 once.
TEST_CASE("a model that is on the stages twice is counted once") {
  TransformerWorkload spread = gpt();
  spread.model.layers = 4;
  TransformerWorkload alone = spread;
  spread.training.micro_batch = 1;
  spread.training.pipeline = 4;
  spread.training.schedule = PipelineSchedule::dualpipe;
  CHECK(training_flops(spread, FlopConvention::model) ==
        Approx(2 * (150'994'944 + 12'582'912) + 9'830'400).epsilon(1e-9));
  for (const FlopConvention convention : flop_conventions)
    CHECK(training_flops(spread, convention) == training_flops(alone, convention));
}

// Of 8 experts as wide as the MLP a token goes to 2: the MLP's 8 h^2 per token, 2/3 of a layer's
// matrices, twice; and the router's h x E. A layer's 12 h^2 become 20 h^2 + 8 h.
TEST_CASE("of experts count those that a token goes to") {
  TransformerWorkload workload = gpt();
  workload.model.experts.count = 8;
  workload.model.experts.top_k = 2;
  const double tokens = 256, h = 64, layers = 2, attention = 12'582'912, head = 9'830'400;
  CHECK(training_flops(workload, FlopConvention::model) ==
        Approx(6 * tokens * layers * (20 * h * h + 8 * h) + attention + head).epsilon(1e-9));
}

}  // namespace
}  // namespace orrery
