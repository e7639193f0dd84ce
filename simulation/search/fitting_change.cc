#include "simulation/search/fitting_change.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "simulation/search/fitting.h"
#include "workload/problems.h"

namespace orrery {

namespace {

struct PricedTraining {
  int price = 0;
  TransformerTraining training;
};

// A value of a setting, and the work and traffic that it adds, in prices that compare.
template <typename Value>
struct PricedValue {
  Value value;
  int price = 0;
};

// What sharding more adds. Of a job that has neither tensors nor stages split it is what the field
// does first (FSDP), and hides behind computing.
int price_of(Sharding sharding, const TransformerTraining& written) {
  const bool only_data = written.tensor == 1 && written.pipeline == 1;
  switch (sharding) {
    case Sharding::none:
    case Sharding::zero1:
      return 1;
    case Sharding::zero2:
      return only_data ? 2 : 7;
    case Sharding::zero3:
      return only_data ? 3 : 8;
  }
  return 0;
}

std::vector<PricedValue<Sharding>> shardings(const TransformerTraining& written) {
  std::vector<PricedValue<Sharding>> more{{written.sharding}};
  for (const Sharding sharding : {Sharding::zero1, Sharding::zero2, Sharding::zero3})
    if (sharding > written.sharding) more.push_back({sharding, price_of(sharding, written)});
  return more;
}

std::vector<PricedValue<std::int64_t>> halved(std::int64_t micro_batch) {
  std::vector<PricedValue<std::int64_t>> fewer{{micro_batch}};
  for (int price = 3; micro_batch % 2 == 0; ++price) fewer.push_back({micro_batch /= 2, price});
  return fewer;
}

std::vector<PricedValue<std::int32_t>> shard_groups(const TransformerTraining& written) {
  std::vector<PricedValue<std::int32_t>> larger{{written.shard_group}};
  if (written.shard_group > 0)
    for (int price = 1; larger.back().value <= written.replicas() / 2; ++price)
      larger.push_back({larger.back().value * 2, price});
  return larger;
}

// Sequence parallelism costs nothing, and comes with tensors that are split more.
std::vector<PricedValue<bool>> sequence_parallel(const TransformerTraining& written,
                                                 int doublings) {
  if (doublings > 0) return {{true}};
  if (written.sequence_parallel || written.tensor == 1) return {{written.sequence_parallel}};
  return {{false}, {true}};
}

// What keeps fewer micro-batches in flight costs nothing.
std::vector<PipelineSchedule> schedules(PipelineSchedule written) {
  if (written != PipelineSchedule::gpipe) return {written};
  return {written, PipelineSchedule::one_forward_one_backward};
}

constexpr std::array pipelines{PricedValue<std::int32_t>{1, 0},  PricedValue<std::int32_t>{2, 7},
                               PricedValue<std::int32_t>{3, 9},  PricedValue<std::int32_t>{4, 10},
                               PricedValue<std::int32_t>{6, 12}, PricedValue<std::int32_t>{8, 13}};

std::int32_t changes(const TransformerTraining& training, const TransformerTraining& written) {
  const bool splits = training.tensor != written.tensor;
  return splits + (!splits && training.sequence_parallel != written.sequence_parallel) +
         (training.pipeline != written.pipeline) + (training.sharding != written.sharding) +
         (training.shard_group != written.shard_group) +
         (training.micro_batch != written.micro_batch) + (training.schedule != written.schedule) +
         (training.recompute != written.recompute);
}

// Changes of tensors, stages and sequence parallelism; what is left of `written` is added by all.
std::vector<PricedTraining> split_more(const TransformerTraining& written,
                                       std::int32_t node_ranks) {
  std::vector<PricedTraining> all;
  constexpr int most_doublings = 3;
  for (int t = 0; t <= most_doublings; ++t) {
    if (t > 0 && written.tensor << t > node_ranks) break;
    for (const auto& [factor, stages_cost] : pipelines)
      for (const auto& [shares_sequence, free] : sequence_parallel(written, t)) {
        PricedTraining& one =
            all.emplace_back(PricedTraining{t * 2 + (t > 0) * 2 + stages_cost + free, written});
        one.training.tensor <<= t;
        one.training.pipeline *= factor;
        one.training.sequence_parallel = shares_sequence;
      }
  }
  return all;
}

// Those first that cost least: fewer settings before more.
std::vector<PricedTraining> changed_trainings(const TransformerTraining& written,
                                              std::int32_t node_ranks) {
  constexpr int setting = 100;  // more than the prices add up to
  constexpr int most_changes = 4;
  std::vector<PricedTraining> all;
  for (const PricedTraining& split : split_more(written, node_ranks))
    for (const auto& [sharding, sharded] : shardings(written))
      for (const auto& [group, joined] : shard_groups(written))
        for (const auto& [micro_batch, smaller] : halved(written.micro_batch))
          for (const PipelineSchedule schedule : schedules(written.schedule))
            for (const bool again : {false, true}) {
              if (again && written.recompute == Recompute::full) continue;
              PricedTraining one = split;
              one.training.sharding = sharding;
              one.training.shard_group = group;
              one.training.micro_batch = micro_batch;
              one.training.schedule = schedule;
              if (again) one.training.recompute = Recompute::full;
              const std::int32_t count = changes(one.training, written);
              one.price += sharded + joined + smaller + again * 6 + count * setting;
              if (count <= most_changes) all.push_back(one);
            }
  std::ranges::stable_sort(all, {}, &PricedTraining::price);
  return all;
}

}  // namespace

std::vector<TransformerTraining> fitting_changes(const TransformerWorkload& written,
                                                 const PlatformFacts& platform, Bytes room,
                                                 std::size_t most) {
  std::vector<TransformerTraining> found;
  for (auto& [price, training] : changed_trainings(written.training, node_size(platform))) {
    if (found.size() == most) break;
    if (!found.empty() &&
        changes(training, written.training) > changes(found.front(), written.training) + 1)
      break;
    training.data = data_ranks(training, platform);
    if (problems_of(training, written.model, platform).empty() &&
        most_memory({written.model, training}) <= room)
      found.push_back(training);
  }
  return found;
}

std::optional<TransformerTraining> fitting_change(const TransformerWorkload& written,
                                                  const PlatformFacts& platform, Bytes room) {
  const std::vector<TransformerTraining> found = fitting_changes(written, platform, room, 1);
  return found.empty() ? std::nullopt : std::optional(found.front());
}

std::string changed_settings(const TransformerTraining& training,
                             const TransformerTraining& written, bool writes_data) {
  std::string text;
  const auto add = [&](std::string_view key, const auto& value, const auto& before) {
    if (value != before) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, value);
  };
  add("tensor", training.tensor, written.tensor);
  add("sequence_parallel", training.sequence_parallel, written.sequence_parallel);
  add("pipeline", training.pipeline, written.pipeline);
  add("context", training.context, written.context);
  add("expert", training.experts.parallel, written.experts.parallel);
  if (writes_data) add("data", training.data, written.data);
  add("micro_batch", training.micro_batch, written.micro_batch);
  add("schedule", name_of(training.schedule), name_of(written.schedule));
  add("chunks", training.chunks, written.chunks);
  add("sharding", name_of(training.sharding), name_of(written.sharding));
  add("shard_group", training.shard_group, written.shard_group);
  add("recompute", name_of(training.recompute), name_of(written.recompute));
  add("global_batch", training.global_batch, written.global_batch);
  return text;
}

}  // namespace orrery
