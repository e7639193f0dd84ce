#include "simulation/search/search_space.h"

#include <fmt/format.h>

#include <algorithm>

#include "workload/assumed_batch.h"

namespace orrery {

namespace {

using Schedule = PipelineSchedule;

template <class T>
std::vector<T> listed_or(const std::vector<T>& listed, std::vector<T> otherwise) {
  std::vector<T> values = listed.empty() ? std::move(otherwise) : listed;
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<std::int32_t> divisors(std::int64_t number, std::int64_t at_most) {
  std::vector<std::int32_t> list;
  for (std::int64_t i = 1; i <= std::min(number, at_most); ++i)
    if (number % i == 0) list.push_back(static_cast<std::int32_t>(i));
  return list;
}

// How many ranks may share a sequence: one, or powers of two where it is long. Each keeps 8,192
// tokens at least: of fewer a ring between nodes takes longer to pass keys and values on than their
// attention takes. (50 GB/s and 700 TFLOP/s: n tokens with 4 query heads to a pair of key and value
// are n h B x 14,000 flop/B to pass and 4 n^2 h flop to compute, equal at n = 3,500 of all pairs
// and at 7,000 of the causal half.)
std::vector<std::int32_t> sharing_ranks(std::int64_t sequence, std::int32_t at_most) {
  constexpr std::int64_t long_sequence = 32'768, least_tokens = 8'192;
  std::vector<std::int32_t> list{1};
  if (sequence < long_sequence) return list;
  for (std::int32_t ranks = 2; ranks <= at_most && sequence / ranks >= least_tokens; ranks *= 2)
    if (sequence % ranks == 0) list.push_back(ranks);
  return list;
}

// A schedule, and into how many chunks it cuts a stage.
struct Order {
  Schedule schedule;
  std::int32_t chunks;
};

std::vector<Order> orders(const SearchSpec& spec, const TransformerSpec& model,
                          std::int32_t stages) {
  if (stages == 1) return {{Schedule::one_forward_one_backward, 1}};
  const auto schedules = listed_or(
      spec.schedule, {Schedule::one_forward_one_backward, Schedule::interleaved, Schedule::zb_h1});
  const std::int64_t layers = (model.layers + stages - 1) / stages;
  std::vector<Order> list;
  for (const Schedule schedule : schedules) {
    if (schedule != Schedule::interleaved) {
      list.push_back({schedule, 1});
      continue;
    }
    for (const std::int32_t chunks : listed_or(spec.chunks, divisors(layers, layers)))
      if (chunks > 1 && std::int64_t{chunks} * stages <= model.layers)
        list.push_back({schedule, chunks});
  }
  return list;
}

// What none of the others is.
std::vector<Recompute> recomputations(const SearchSpec& spec, const TransformerSpec& model) {
  auto kinds = listed_or(spec.recompute, {Recompute::none, Recompute::selective, Recompute::full});
  const bool both =
      std::ranges::count(kinds, Recompute::none) + std::ranges::count(kinds, Recompute::selective);
  if (both && model.attention == AttentionKernel::flash && kinds.front() == Recompute::none)
    std::erase(kinds, Recompute::selective);
  return kinds;
}

class Choices {
 public:
  Choices(const SearchSpec& spec, const TransformerSpec& model)
      : model_(model),
        spec_(spec),
        micro_batches_(listed_or(spec.micro_batch, micro_batches(std::max<std::int64_t>(
                                                       16, largest_micro_batch(model.sequence))))),
        shardings_(listed_or(spec.sharding,
                             {Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3})),
        recomputations_(recomputations(spec, model)) {}

  // What can be combined with these sizes. Without replicas there is nothing to shard.
  void add(const ParallelChoice& sizes, bool replicated) {
    const std::vector<Sharding> shardings =
        replicated ? shardings_ : std::vector<Sharding>{shardings_.front()};
    for (const std::int64_t micro_batch : micro_batches_)
      for (const auto& [schedule, chunks] : orders(spec_, model_, sizes.pipeline))
        for (const Sharding sharding : shardings)
          for (const Recompute recompute : recomputations_) {
            ParallelChoice choice = sizes;
            choice.micro_batch = micro_batch;
            choice.schedule = schedule;
            choice.chunks = chunks;
            choice.sharding = sharding;
            choice.recompute = recompute;
            add_overlaps(choice);
          }
  }

  std::vector<ParallelChoice> all;

 private:
  void add_overlaps(ParallelChoice choice) {
    for (const bool experts : {false, true})
      for (const bool tensor : {false, true}) {
        if ((experts && (!spec_.overlap_experts || choice.expert == 1)) ||
            (tensor && (!spec_.overlap_tensor || choice.tensor == 1 || model_.parallel_blocks)))
          continue;
        choice.overlap_experts = experts;
        choice.overlap_tensor = tensor;
        all.push_back(choice);
      }
  }

  const TransformerSpec& model_;
  const SearchSpec& spec_;
  std::vector<std::int64_t> micro_batches_;
  std::vector<Sharding> shardings_;
  std::vector<Recompute> recomputations_;
};

}  // namespace

std::vector<std::int64_t> micro_batches(std::int64_t largest) {
  std::vector<std::int64_t> all;
  for (std::int64_t samples = 1; samples <= largest; samples *= 2) all.push_back(samples);
  return all;
}

std::vector<ParallelChoice> parallel_choices(const SearchSpec& spec, const TransformerSpec& model,
                                             const SearchedCluster& cluster) {
  const std::int64_t experts = std::max<std::int64_t>(1, model.experts.count);
  Choices choices(spec, model);
  ParallelChoice sizes;
  for (const auto tensor : listed_or(spec.tensor, divisors(cluster.npus, cluster.node_ranks)))
    for (const auto pipeline : listed_or(spec.pipeline, divisors(cluster.npus, model.layers)))
      for (const auto context :
           listed_or(spec.context, sharing_ranks(model.sequence, cluster.npus / tensor / pipeline)))
        for (const auto expert : listed_or(spec.expert, divisors(experts, cluster.npus))) {
          sizes.tensor = tensor;
          sizes.pipeline = pipeline;
          sizes.context = context;
          sizes.expert = expert;
          choices.add(sizes, tensor * pipeline != cluster.npus);
        }
  return std::move(choices.all);
}

std::string recompute_of(const ParallelChoice& choice) {
  if (choice.recompute_layers > 0) return fmt::format("first-{}", choice.recompute_layers);
  return std::string(name_of(choice.recompute));
}

std::string text_of(const ParallelChoice& choice, std::int32_t data) {
  std::string text = fmt::format("tp{} pp{} dp{}", choice.tensor, choice.pipeline, data);
  if (choice.context > 1) text += fmt::format(" cp{}", choice.context);
  if (choice.expert > 1) text += fmt::format(" ep{}", choice.expert);
  text += fmt::format(" mb{}", choice.micro_batch);
  if (choice.pipeline > 1) text += fmt::format(" {}", name_of(choice.schedule));
  if (choice.chunks > 1) text += fmt::format(" x{}", choice.chunks);
  if (choice.sharding != Sharding::none) text += fmt::format(" {}", name_of(choice.sharding));
  if (choice.recompute != Recompute::none)
    text += fmt::format(" recompute-{}", recompute_of(choice));
  if (choice.overlap_tensor) text += " overlap-tensor";
  if (choice.overlap_experts) text += " overlap-experts";
  return text;
}

}  // namespace orrery
