#include "simulation/search/chosen_parallelism.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "simulation/search/fitting.h"
#include "simulation/search/least_memory.h"
#include "simulation/search/search.h"
#include "simulation/search/search_space.h"
#include "simulation/written.h"
#include "workload/assumed_batch.h"

namespace orrery {

namespace {

// Estimates of more would take longer than the run that is asked for.
bool is_small_enough(const TrainingVariants& variants) {
  constexpr std::int32_t most_npus = 131'072;
  constexpr std::int64_t most_layers = 1'000;
  return variants.npus() <= most_npus && variants.model().layers <= most_layers;
}

// What stays free of the memory of a device, unless the user says it: a tenth, or what the driver,
// the device's context, communicators and fragments take, if that is less (docs/models/memory.md
// has the readings). Small devices have communicators of fewer channels.
Bytes kept_free(NpuSpec npu) {
  constexpr Bytes outside_allocator{std::int64_t{4} << 30};
  const Bytes tenth{npu.memory->value / 10};
  if (*npu.memory <= outside_allocator) return tenth;
  npu.reserve = outside_allocator;
  return std::min(tenth, *npu.memory - room_without_fragments(npu));
}

bool keeps_free(const Experiment& experiment) {
  return experiment.npu.reserve == Bytes{} && !is_written(experiment, "npu.reserve");
}

// What is left of memory for a choice.
struct Room {
  Bytes reserve;  // which it cannot have
  std::string text;
};

// The largest last: where nothing fits beside what is kept free, fragments of what is chosen have
// to find room; and else only what is allocated.
std::vector<Room> rooms_of(const Experiment& experiment) {
  const NpuSpec& npu = experiment.npu;
  const Bytes fragments = *npu.memory - room_without_fragments(npu);
  std::vector<Room> rooms{{fragments, keeps_free(experiment) ? " in memory with fragments" : ""},
                          {npu.reserve, " in memory without fragments"}};
  if (!keeps_free(experiment)) return rooms;
  const Bytes kept = std::max(kept_free(npu), fragments);
  const std::int64_t share = (*npu.memory - kept).value * 100 / npu.memory->value;
  rooms.insert(rooms.begin(), {kept, fmt::format(" in {} % of memory", share)});
  return rooms;
}

TrainingVariants with_room(const TrainingVariants& variants, Experiment platform,
                           const Room& room) {
  platform.npu.reserve = room.reserve;
  return {std::move(platform), variants.given()};
}

std::vector<std::int32_t> sizes_of(const TopologySpec& topology) {
  std::vector<std::int32_t> sizes;
  for (const LevelSpec& level : topology.levels) sizes.push_back(level.size);
  return sizes;
}

// The platform as it is written, and then with another of its dimensions first for each size, if
// they are alike but for their sizes.
std::vector<Experiment> turned(const Experiment& written) {
  const auto is_like = [&](const LevelSpec& level) {
    const LevelSpec& first = written.topology.levels.front();
    return level.kind == first.kind && level.bandwidth == first.bandwidth &&
           level.latency == first.latency && level.scope == first.scope;
  };
  std::vector<Experiment> platforms{written};
  if (!std::ranges::all_of(written.topology.levels, is_like)) return platforms;
  const std::vector<std::int32_t> sizes = sizes_of(written.topology);
  for (auto size = sizes.begin() + 1; size != sizes.end(); ++size) {
    if (std::find(sizes.begin(), size, *size) != size) continue;
    std::vector<std::int32_t> order(sizes);
    std::rotate(order.begin(), order.begin() + (size - sizes.begin()),
                order.begin() + (size - sizes.begin()) + 1);
    Experiment& platform = platforms.emplace_back(written);
    for (std::size_t i = 0; i < order.size(); ++i) platform.topology.levels[i].size = order[i];
  }
  return platforms;
}

// The fastest of all platforms, the first of equally fast ones.
std::optional<ChosenParallelism> choose_fastest(const TrainingVariants& variants,
                                                const std::vector<Experiment>& platforms,
                                                const SearchSpec& space, const Room& room) {
  std::optional<SearchRow> best;
  std::vector<std::int32_t> torus;
  std::size_t estimates = 0;
  for (const Experiment& platform : platforms) {
    const TrainingVariants roomy = with_room(variants, platform, room);
    FittingChoices found = even_ones_of(fitting_choices(roomy, space, 1), platform.topology);
    estimates += found.fitting.size();
    const auto fastest = fastest_choice(roomy, found.fitting);
    if (!fastest) continue;
    found.fitting = {*fastest};
    SearchRow row = estimate_choices(roomy, std::move(found), 1).rows.front();
    if (best && best->estimate <= row.estimate) continue;
    best = std::move(row);
    torus = sizes_of(platform.topology);
  }
  if (!best) return std::nullopt;
  if (torus == sizes_of(platforms.front().topology)) torus.clear();
  const std::string order = torus.empty() ? "" : fmt::format(" along {}", fmt::join(torus, "x"));
  return ChosenParallelism{best->found.choice, torus,
                           fmt::format("{}{}, best of {} estimates{}",
                                       text_of(best->found.choice, best->found.training.data),
                                       order, estimates, room.text)};
}

std::optional<ChosenParallelism> choose_least(const TrainingVariants& variants) {
  const auto least = least_memory(variants);
  if (!least) return std::nullopt;
  return ChosenParallelism{
      least->choice, {}, text_of(least->choice, least->training.data) + ", least memory"};
}

}  // namespace

std::optional<ChosenParallelism> choose_parallelism(const TrainingVariants& variants,
                                                    const FixedParallelism& fixed) {
  if (!variants.written().npu.memory || !is_small_enough(variants)) return std::nullopt;
  SearchSpec space;
  space.schedule = {PipelineSchedule::one_forward_one_backward, PipelineSchedule::interleaved};
  space.recompute = {Recompute::none, Recompute::full};
  space.overlap_tensor = space.overlap_experts = space.fewest_layers_again = false;
  space.micro_batch = micro_batches(largest_micro_batch(variants.model().sequence));
  if (fixed.micro_batch) space.micro_batch = {*fixed.micro_batch};
  if (fixed.recompute) space.recompute = {*fixed.recompute};
  const std::vector<Experiment> platforms =
      fixed.torus_is_fixed ? std::vector{variants.written()} : turned(variants.written());
  for (const Room& room : rooms_of(variants.written()))
    if (auto chosen = choose_fastest(variants, platforms, space, room)) return chosen;
  return choose_least(variants);
}

}  // namespace orrery
