// The fewest settings with which a training fits.
#include "simulation/search/fitting_change.h"

#include <catch2/catch.hpp>

#include "simulation/search/fitting.h"

namespace orrery {
namespace {

// Four stages of a layer each and 16 micro-batches: GPipe keeps the activations of all 16 at a
// time, 1f1b those of 4 on the first stage.
TEST_CASE("of a GPipe that does not fit, 1f1b alone is what changes") {
  TransformerWorkload written;
  written.model.layers = 4;
  written.model.hidden = 64;
  written.model.heads = 4;
  written.model.vocabulary = 64;
  written.model.sequence = 1'024;
  written.model.element = Bytes{2};
  written.training.pipeline = 4;
  written.training.global_batch = 16;
  written.training.schedule = PipelineSchedule::gpipe;
  TransformerWorkload one_by_one = written;
  one_by_one.training.schedule = PipelineSchedule::one_forward_one_backward;
  const Bytes room = most_memory(one_by_one);
  REQUIRE(room.value < most_memory(written).value / 2);
  TopologySpec node;
  node.levels = {{"node", LevelKind::switched, 4, gigabytes_per_second(100), nanoseconds(500)}};
  const auto change = fitting_change(written, facts_of(node), room);
  REQUIRE(change);
  CHECK(changed_settings(*change, written.training) == "schedule: 1f1b");
}

}  // namespace
}  // namespace orrery
