#include "simulation/result/training_rows.h"

#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "simulation/result/closed_form.h"
#include "workload/dropped_copies.h"
#include "workload/parallelism/transformer_ranks.h"
#include "workload/training_flops.h"

namespace orrery {

namespace {

void add_compute(StageRow& row, std::span<const Label> labels,
                 std::span<const SummarySink::Row> summary, std::size_t index) {
  for (std::size_t label = 0; label < labels.size(); ++label) {
    if (summary[label].compute.empty()) continue;
    Duration& part = labels[label].pass == Pass::none      ? row.optimizer
                     : labels[label].pass == Pass::forward ? row.forward
                                                           : row.backward;
    part += summary[label].compute[index];
  }
}

void add_traffic(StageRow& row, const JobRunner& runner, bool has_stages) {
  for (std::size_t kind = 0; kind < runner.traffic(row.rank).size(); ++kind) {
    const TrafficAccount& account = runner.traffic(row.rank)[kind];
    if (account.exposed == Duration{} && account.hidden == Duration{}) continue;
    row.traffic.push_back(
        {runner.traffic_kinds()[kind], account.exposed, account.late, account.hidden});
    if (has_stages && is_between_stages(row.traffic.back())) row.bubble += account.late;
  }
}

void check_sum(const StageRow& row, const RankRow& rank) {
  Duration sum;
  for (const TrainingPart& part : training_parts(row)) sum += part.time;
  CHECK(sum == rank.finish, "rank {}: the parts of its time are {} ps, it finished at {} ps",
        row.rank, sum.value, rank.finish.value);
}

// Rates are means of the whole run; each of its iterations does the same work.
void add_rates(TrainingResult& result, std::span<const RankRow> ranks) {
  Duration finish;
  std::int64_t npus = 0;
  for (const RankRow& row : ranks) {
    finish = std::max(finish, row.finish);
    npus += row.multiplicity;
  }
  const double seconds = static_cast<double>(finish.value) * 1e-12;
  const auto per_second = [&](auto of_iteration) {
    return static_cast<double>(of_iteration) * result.iterations / seconds;
  };
  result.samples_per_s = per_second(result.samples);
  result.tokens_per_s = per_second(result.tokens);
  result.tokens_per_s_npu = result.tokens_per_s / static_cast<double>(npus);
  const auto peak = static_cast<double>(result.peak.value);
  for (UtilisationRow& row : result.utilisation) {
    row.flops_per_s_npu = per_second(row.flops) / static_cast<double>(npus);
    if (peak > 0) row.utilisation = row.flops_per_s_npu / peak;
  }
}

double operations_executed(std::span<const RankRow> ranks, const JobRunner& runner) {
  double sum = 0;
  for (const RankRow& row : ranks)
    sum += runner.account(row.rank).computed.as_double() * row.multiplicity;
  return sum;
}

}  // namespace

TrainingResult training_rows(const Experiment& experiment, const TransformerWorkload& workload,
                             const Topology& topology, std::span<const RankRow> ranks,
                             std::span<const Label> labels,
                             std::span<const SummarySink::Row> summary, const JobRunner& runner) {
  TrainingResult result;
  result.iterations = experiment.workload.iterations;
  result.samples = workload.training.global_batch;
  result.tokens = result.samples * workload.model.sequence;
  result.peak = experiment.npu.peak;

  const TransformerRanks places(workload.training);
  std::vector<std::optional<std::size_t>> slowest(workload.training.pipeline);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    auto& index = slowest[places.stage_of(ranks[i].rank)];
    if (!index || ranks[i].finish > ranks[*index].finish) index = i;
  }
  for (std::int32_t stage = 0; stage < workload.training.pipeline; ++stage) {
    const RankRow& rank = ranks[*slowest[stage]];
    StageRow& row = result.stages.emplace_back();
    row.stage = stage;
    row.rank = rank.rank;
    row.finish = rank.finish;
    row.idle = rank.idle;
    add_compute(row, labels, summary, *slowest[stage]);
    add_traffic(row, runner, workload.training.pipeline > 1);
    check_sum(row, rank);
    if (row.finish > result.stages[result.last].finish) result.last = result.stages.size() - 1;
  }
  for (const FlopConvention convention : flop_conventions)
    result.utilisation.push_back({.convention = std::string(name_of(convention)),
                                  .flops = training_flops(workload, convention)});
  result.utilisation.push_back(
      {.convention = "executed",
       .flops = operations_executed(ranks, runner) / experiment.workload.iterations});
  add_rates(result, ranks);
  result.dropped = dropped_copies(workload);
  result.freezes = workload.training.lora.freezes();
  result.no_estimate = why_no_closed_form(experiment, workload, topology);
  if (result.no_estimate.empty())
    result.estimate = closed_form(experiment, workload, topology, result.stages.front());
  return result;
}

}  // namespace orrery
