#include "simulation/search/search.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>

#include "simulation/search/exchange_times.h"
#include "simulation/search/parallel_for.h"
#include "system/compute/roofline.h"
#include "workload/schedule_estimate.h"

namespace orrery {

namespace {

// What a thread estimates with.
class Worker {
 public:
  Worker(const TrainingVariants& variants, const Topology& topology)
      : compute_(variants.written().npu.roofline(variants.npus())),
        exchanges_(topology, variants.written().system),
        estimator_(variants.model(), compute_, exchanges_) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Duration estimate(const TransformerTraining& training) { return estimator_.iteration(training); }
  Duration least(const TransformerTraining& training) { return estimator_.least(training); }

 private:
  Roofline compute_;
  EstimatedExchangeTimes exchanges_;
  ScheduleEstimator estimator_;
};

// Keeps the rows that the work reached.
void drop_the_rest(SearchResult& result, const std::vector<std::uint8_t>& reached) {
  std::vector<SearchRow> rows;
  for (std::size_t i = 0; i < reached.size(); ++i)
    if (reached[i] != 0) rows.push_back(std::move(result.rows[i]));
  result.not_estimated = reached.size() - rows.size();
  result.partial = result.not_estimated > 0 || result.choices.unchecked > 0;
  result.rows = std::move(rows);
}

// REQUIRES: sorted by estimate.
void mark_pareto(std::vector<SearchRow>& rows) {
  std::optional<Bytes> least;
  for (SearchRow& row : rows) {
    row.pareto = !least || row.found.memory < *least;
    if (row.pareto) least = row.found.memory;
  }
}

// The place of each value in their order; equal ones share the mean of their places.
std::vector<double> ranks_of(const std::vector<Duration>& values) {
  std::vector<double> ranks;
  for (const Duration value : values) {
    const auto below = std::ranges::count_if(values, [&](Duration v) { return v < value; });
    const auto equal = std::ranges::count(values, value);
    ranks.push_back(static_cast<double>(below) + static_cast<double>(equal - 1) / 2);
  }
  return ranks;
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 1;
}

}  // namespace

SearchResult estimate_choices(const TrainingVariants& variants, FittingChoices choices,
                              std::size_t workers,
                              const std::function<bool(std::size_t done)>& progress) {
  SearchResult result;
  result.name = variants.written().name;
  result.backend = variants.written().network.backend;
  result.efficiency = variants.written().npu.efficiency_in_force;
  result.protocols = variants.written().protocols_in_force;
  result.assumed = variants.written().parallelism_chosen;
  result.npus = variants.npus();
  for (FittingChoice& fitting : choices.fitting) {
    SearchRow& row = result.rows.emplace_back();
    row.found = std::move(fitting);
  }
  choices.fitting.clear();
  result.choices = std::move(choices);

  const Topology topology(variants.written().topology);
  std::vector<std::unique_ptr<Worker>> estimators;
  for (std::size_t worker = 0; worker < workers; ++worker)
    estimators.push_back(std::make_unique<Worker>(variants, topology));
  std::atomic<std::size_t> done{0};
  std::vector<std::uint8_t> reached(result.rows.size());
  parallel_for(result.rows.size(), workers, [&](std::size_t worker, std::size_t i) {
    SearchRow& row = result.rows[i];
    row.estimate = estimators[worker]->estimate(row.found.training);
    reached[i] = 1;
    return !progress || progress(++done);
  });
  drop_the_rest(result, reached);
  sort_by_time(result.rows);
  mark_pareto(result.rows);
  return result;
}

std::optional<FittingChoice> fastest_choice(const TrainingVariants& variants,
                                            const std::vector<FittingChoice>& fitting) {
  const Topology topology(variants.written().topology);
  Worker worker(variants, topology);
  std::vector<std::pair<Duration, std::size_t>> by_least;
  for (std::size_t i = 0; i < fitting.size(); ++i)
    by_least.emplace_back(worker.least(fitting[i].training), i);
  std::ranges::sort(by_least);
  std::optional<std::tuple<Duration, Bytes, std::size_t>> fastest;
  for (const auto& [least, i] : by_least) {
    if (fastest && least > std::get<Duration>(*fastest)) break;
    const std::tuple found(worker.estimate(fitting[i].training), fitting[i].memory, i);
    if (!fastest || found < *fastest) fastest = found;
  }
  if (!fastest) return std::nullopt;
  return fitting[std::get<std::size_t>(*fastest)];
}

// Equally fast ones: first what needs less memory, then in the order of the space.
void sort_by_time(std::vector<SearchRow>& rows) {
  std::ranges::stable_sort(rows, {}, [](const SearchRow& row) {
    return std::tuple(!row.simulated, row.time(), row.found.memory);
  });
}

EstimateQuality quality_of(const std::vector<SearchRow>& rows) {
  EstimateQuality quality;
  std::vector<Duration> estimated, simulated;
  for (const SearchRow& row : rows) {
    if (!row.simulated) continue;
    const double error =
        static_cast<double>(row.estimate.value) / static_cast<double>(row.simulated->value) - 1;
    quality.least = quality.rows == 0 ? error : std::min(quality.least, error);
    quality.most = quality.rows == 0 ? error : std::max(quality.most, error);
    ++quality.rows;
    estimated.push_back(row.estimate);
    simulated.push_back(*row.simulated);
  }
  if (quality.rows > 1) quality.spearman = correlation(ranks_of(estimated), ranks_of(simulated));
  return quality;
}

}  // namespace orrery
