#include "workload/model/expert_loads.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/base/elementary.h"
#include "core/base/random.h"
#include "workload/model/expert_routing.h"

namespace orrery {

namespace {

// Probabilities that sum to k, in proportion to the weights as far as none exceeds 1.
std::vector<double> capped(std::vector<double> weights, std::int64_t k) {
  std::vector<bool> certain(weights.size(), false);
  while (true) {
    double sum = 0;
    auto left = static_cast<double>(k);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      sum += certain[i] ? 0 : weights[i];
      left -= certain[i] ? 1 : 0;
    }
    const double scale = sum > 0 ? left / sum : 0;
    bool is_done = true;
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (!certain[i] && weights[i] * scale > 1) {
        certain[i] = true;
        is_done = false;
      }
    if (!is_done) continue;
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = certain[i] ? 1 : weights[i] * scale;
    return weights;
  }
}

std::string name_of(const ExpertLoads::Draw& draw, Redraw redraw) {
  std::string name = fmt::format("expert popularity layer {}", draw.layer);
  if (redraw != Redraw::layer) name += fmt::format(" iteration {}", draw.iteration);
  if (redraw == Redraw::micro_batch) name += fmt::format(" micro-batch {}", draw.micro_batch);
  return name;
}

std::vector<double> zipf(std::size_t count, double alpha, RandomStream& stream) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < count; ++i)
    weights.push_back(power(static_cast<double>(i + 1), -alpha));
  for (std::size_t i = count; i > 1; --i) std::swap(weights[i - 1], weights[stream.uniform_int(i)]);
  return weights;
}

}  // namespace

std::size_t kept_matrices(const TransformerTraining& training) {
  const std::int64_t groups = std::int64_t{training.expert_replicas()} * training.pipeline;
  const std::int64_t size = 8 * std::int64_t{training.experts.parallel} * training.experts.parallel;
  constexpr std::int64_t least = 16;
  return static_cast<std::size_t>(
      std::clamp(8 * groups, least, std::max(least, 256'000'000 / size)));
}

ExpertLoads::ExpertLoads(const TransformerWorkload& workload, std::int64_t tokens)
    : experts_(workload.model.experts),
      training_(workload.training.experts),
      tokens_(tokens),
      capacity_(std::min(tokens, expert_capacity(experts_, training_, tokens))),
      expert_layers_(0),
      micro_batches_(workload.training.micro_batches()),
      drawn_(kept_matrices(workload.training)) {
  for (std::int64_t layer = 0; layer < workload.model.layers; ++layer)
    index_of_layer_.push_back(experts_.in_layer(layer) ? expert_layers_++ : -1);
}

std::vector<double> ExpertLoads::popularity(const Draw& draw) const {
  const ExpertLoadSpec& load = training_.load;
  const auto count = static_cast<std::size_t>(experts_.count);
  RandomStream stream(load.seed, name_of(draw, load.redraw));
  std::vector<double> weights(count, 1);
  if (load.kind == ExpertLoad::zipf) weights = zipf(count, load.alpha, stream);
  if (load.kind == ExpertLoad::dirichlet)
    for (double& weight : weights) weight = stream.gamma(load.concentration);
  if (load.kind == ExpertLoad::trace) {
    const std::int64_t batch = std::int64_t{draw.iteration} * micro_batches_ + draw.micro_batch;
    const std::int64_t row = batch * expert_layers_ + index_of_layer_[draw.layer];
    weights = load.weights[static_cast<std::size_t>(row) % load.weights.size()];
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double skew = 1;
  for (std::int32_t i = 0; i < draw.iteration; ++i) skew *= load.persistence;
  const double even = 1 / static_cast<double>(count);
  for (double& weight : weights) weight = even + (weight / sum - even) * skew;
  return weights;
}

std::vector<double> ExpertLoads::chosen(const Draw& draw) const {
  return capped(popularity(draw), experts_.top_k);
}

const ExpertLoads::Counts& ExpertLoads::counts(const Draw& draw) {
  return drawn_.get(draw, [&] { return draw_counts(draw); });
}

ExpertLoads::Counts ExpertLoads::draw_counts(const Draw& draw) const {
  const std::vector<double> probabilities = chosen(draw);
  const auto ranks = static_cast<std::size_t>(training_.parallel);
  const std::size_t local = probabilities.size() / ranks;
  Counts counts{std::vector<std::int64_t>(ranks * ranks), std::vector<std::int64_t>(ranks)};
  for (std::size_t source = 0; source < ranks; ++source) {
    RandomStream stream(
        training_.load.seed,
        fmt::format("expert tokens iteration {} micro-batch {} layer {} group {} "
                    "rank {}",
                    draw.iteration, draw.micro_batch, draw.layer, draw.group, source));
    std::int64_t left = tokens_ * experts_.top_k;
    auto weight = static_cast<double>(experts_.top_k);
    for (std::size_t j = 0; j < probabilities.size(); ++j) {
      const auto after = static_cast<std::int64_t>(probabilities.size() - 1 - j);
      const double share = weight > 0 ? std::min(1.0, probabilities[j] / weight) : 1;
      const std::int64_t copies =
          std::clamp(stream.binomial(left, share),
                     std::max<std::int64_t>(0, left - tokens_ * after), std::min(left, tokens_));
      left -= copies;
      weight -= probabilities[j];
      const std::size_t target = j / local;
      counts.pairs[source * ranks + target] += std::min(copies, capacity_);
      counts.arriving[target] += std::min(copies, capacity_);
    }
    CHECK(left == 0, "{} copies were left over", left);
  }
  return counts;
}

}  // namespace orrery
