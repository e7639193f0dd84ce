#include "simulation/search/least_memory.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace orrery {

namespace {

SearchSpec least_space() {
  SearchSpec space;
  space.schedule = {PipelineSchedule::one_forward_one_backward};
  space.micro_batch = {1};
  return space;
}

// Whatever the memory of a device is.
std::vector<FittingChoice> allowed_choices(const TrainingVariants& variants,
                                           const SearchSpec& space) {
  Experiment unlimited = variants.written();
  unlimited.npu.memory.reset();
  return fitting_choices({std::move(unlimited), variants.given()}, space, 1).fitting;
}

// The same with more replicas, until a rank has room; halved between one and the most.
std::optional<std::int64_t> least_npus(const TrainingVariants& variants,
                                       const TransformerTraining& training, Bytes room) {
  const std::int64_t group = std::int64_t{training.tensor} * training.context;
  const std::int64_t experts = std::int64_t{training.experts.parallel} * training.experts.tensor;
  const std::int64_t step = std::max(
      std::int64_t{1}, std::lcm(std::lcm(std::int64_t{variants.node_ranks()}, group), experts));
  const auto fits = [&](std::int64_t steps) {
    TransformerTraining larger = training;
    larger.data = static_cast<std::int32_t>(steps * step / group);
    larger.global_batch = std::max(larger.global_batch, larger.micro_batch * larger.data);
    larger.sharding = Sharding::zero3;
    return most_memory({variants.model(), larger}) <= room;
  };
  constexpr std::int64_t most_npus = std::int64_t{1} << 20;
  std::int64_t enough = most_npus / step, too_few = 0;
  if (enough == 0 || !fits(enough)) return std::nullopt;
  while (enough - too_few > 1) {
    const std::int64_t middle = (enough + too_few) / 2;
    (fits(middle) ? enough : too_few) = middle;
  }
  return enough * step;
}

}  // namespace

std::optional<FittingChoice> least_memory(const TrainingVariants& variants) {
  const std::vector<FittingChoice> choices = allowed_choices(variants, least_space());
  const auto least = std::ranges::min_element(choices, {}, &FittingChoice::memory);
  return least == choices.end() ? std::nullopt : std::optional(*least);
}

std::optional<std::int32_t> least_npus(const TrainingVariants& variants, Bytes room) {
  SearchSpec space = least_space();
  space.pipeline = {1};
  std::optional<std::int64_t> least;
  for (const FittingChoice& choice : allowed_choices(variants, space))
    if (const auto npus = least_npus(variants, choice.training, room))
      least = std::min(least.value_or(*npus), *npus);
  return least;
}

}  // namespace orrery
