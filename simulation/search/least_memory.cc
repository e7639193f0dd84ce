#include "simulation/search/least_memory.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "simulation/search/fitting_change.h"
#include "workload/assumed_batch.h"
#include "workload/memory/stage_memory.h"

namespace orrery {

namespace {

SearchSpec least_space() {
  SearchSpec space;
  space.schedule = {PipelineSchedule::one_forward_one_backward};
  space.micro_batch = {1};
  space.overlap_tensor = space.overlap_experts = space.fewest_layers_again = false;
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
std::optional<LargerPlatform> least_npus(const TrainingVariants& variants,
                                         const TransformerTraining& training, Bytes room) {
  const std::int64_t group = std::int64_t{training.tensor} * training.context;
  const std::int64_t experts = std::int64_t{training.experts.parallel} * training.experts.tensor;
  const std::int64_t step = std::max(
      std::int64_t{1}, std::lcm(std::lcm(std::int64_t{variants.node_ranks()}, group), experts));
  const auto larger = [&](std::int64_t steps) {
    TransformerTraining changed = training;
    changed.data = static_cast<std::int32_t>(steps * step / group);
    const std::int64_t unit = changed.micro_batch * changed.data;
    changed.global_batch = (changed.global_batch + unit - 1) / unit * unit;
    changed.sharding = Sharding::zero3;
    return changed;
  };
  const auto fits = [&](std::int64_t steps) {
    return most_memory({variants.model(), larger(steps)}) <= room;
  };
  constexpr std::int64_t most_npus = std::int64_t{1} << 20;
  std::int64_t enough = most_npus / step, too_few = 0;
  if (enough == 0 || !fits(enough)) return std::nullopt;
  while (enough - too_few > 1) {
    const std::int64_t middle = (enough + too_few) / 2;
    (fits(middle) ? enough : too_few) = middle;
  }
  return LargerPlatform{static_cast<std::int32_t>(enough * step), larger(enough)};
}

}  // namespace

std::optional<FittingChoice> least_memory(const TrainingVariants& variants) {
  const std::vector<FittingChoice> choices = allowed_choices(variants, least_space());
  const auto least = std::ranges::min_element(choices, {}, &FittingChoice::memory);
  return least == choices.end() ? std::nullopt : std::optional(*least);
}

namespace {

// The same experiment on so many nodes.
Experiment on_nodes(const TrainingVariants& variants, std::int64_t nodes) {
  Experiment larger = variants.written();
  LevelSpec node = larger.topology.levels.front(), fabric = larger.topology.levels.back();
  node.size = variants.node_ranks();
  node.scope = Scope::local;
  fabric.size = static_cast<std::int32_t>(nodes);
  fabric.scope = Scope::scale_out;
  larger.topology.levels = {node, fabric};
  return larger;
}

// Numbers of nodes to try: from the fewest on which parameters, gradients and optimizer states
// could have room if every rank had the same part of them, and then doublings of the platform,
// which divide what it divides.
std::vector<std::int64_t> larger_numbers(const TrainingVariants& variants, Bytes room) {
  constexpr std::int64_t in_a_row = 16;  // each takes as long as a search for what fits
  constexpr int doublings = 6;
  const std::int64_t nodes = variants.npus() / variants.node_ranks();
  std::int64_t first = nodes + 1;
  if (const auto least = least_memory(variants)) {
    const StageMemory memory = stage_memory({variants.model(), least->training}, 0);
    const Bytes states = memory.parameters + memory.gradients + memory.optimizer;
    first = std::max(first, states.value / std::max<std::int64_t>(room.value, 1) * nodes);
  }
  std::vector<std::int64_t> numbers(in_a_row);
  std::iota(numbers.begin(), numbers.end(), first);
  for (int i = 1; i <= doublings; ++i)
    if (nodes << i > numbers.back()) numbers.push_back(nodes << i);
  return numbers;
}

// Without a pipeline, whatever the batch is.
std::optional<LargerPlatform> least_npus_of_shares(const TrainingVariants& variants, Bytes room) {
  SearchSpec space = least_space();
  space.pipeline = {1};
  std::optional<LargerPlatform> least;
  for (const FittingChoice& choice : allowed_choices(variants, space)) {
    auto larger = least_npus(variants, choice.training, room);
    if (larger && (!least || larger->npus < least->npus)) least = std::move(larger);
  }
  return least;
}

}  // namespace

std::optional<LargerPlatform> least_npus(const TrainingVariants& variants, Bytes room) {
  const bool is_assumed = variants.written().parallelism_chosen.find("batch ") != std::string::npos;
  for (const std::int64_t nodes : larger_numbers(variants, room)) {
    Experiment larger = on_nodes(variants, nodes);
    TransformerTraining& training = std::get<TransformerWorkload>(larger.workload.what).training;
    if (is_assumed)
      training.global_batch =
          assumed_batch(variants.model().sequence, nodes * variants.node_ranks());
    const auto least = least_memory({std::move(larger), variants.given()});
    if (least && least->memory <= room)
      return LargerPlatform{static_cast<std::int32_t>(nodes * variants.node_ranks()),
                            least->training};
  }
  return least_npus_of_shares(variants, room);
}

std::optional<LargerPlatform> fitting_servers(const TrainingVariants& variants, Bytes room) {
  for (const std::int64_t nodes : larger_numbers(variants, room)) {
    const Experiment larger = on_nodes(variants, nodes);
    const auto& workload = std::get<TransformerWorkload>(larger.workload.what);
    const PlatformFacts platform = facts_of(larger.topology);
    if (const auto training = fitting_change(workload, platform, room))
      return LargerPlatform{platform.npus, *training};
  }
  return std::nullopt;
}

}  // namespace orrery
