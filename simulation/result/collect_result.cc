#include "simulation/result/collect_result.h"

#include <fmt/format.h>

#include <cmath>

#include "core/base/check.h"
#include "simulation/backend_choice.h"
#include "simulation/called_kinds.h"
#include "simulation/result/fault_names.h"
#include "simulation/result/layer_rows.h"
#include "simulation/result/memory_notice.h"
#include "simulation/result/network_notices.h"
#include "simulation/result/selected_rows.h"
#include "simulation/result/stage_notices.h"
#include "simulation/result/time_parts.h"
#include "simulation/result/traffic_rows.h"
#include "simulation/result/training_notices.h"
#include "simulation/result/training_rows.h"
#include "simulation/result/unused_key_notices.h"
#include "simulation/search/fitting.h"
#include "workload/memory/stage_memory.h"
#include "workload/training_flops.h"

namespace orrery {

namespace {

// Fills `ranks`, and what is said of the rank that finishes last. Returns that rank.
Rank add_ranks(RunResult& result, const JobRunner& runner, bool has_lanes) {
  result.fold = runner.fold();
  const std::int32_t multiplicity = result.fold.multiplicity();
  std::size_t slowest = 0;
  for (std::int32_t index = 0; index < runner.simulated_ranks(); ++index) {
    const Rank rank = result.fold.representative_at(index);
    const RankAccount account = runner.account(rank);
    const Duration finish = account.finish.since_start;
    const Duration own = account.compute + account.memory + account.host;
    CHECK(own + account.exposed + account.idle == finish,
          "rank {}: compute, memory and host {} + exposed {} + idle {} != finish {} ps", rank,
          own.value, account.exposed.value, account.idle.value, finish.value);
    RankRow& row =
        result.ranks.emplace_back(RankRow{rank, multiplicity, finish, account.compute,
                                          account.exposed, account.idle, account.stolen});
    if (has_lanes) row.lanes = {account.memory, account.host};
    if (finish > result.ranks[slowest].finish) slowest = static_cast<std::size_t>(index);
  }
  const RankRow& last = result.ranks[slowest];
  result.finish = last.finish;
  result.compute = last.compute;
  result.exposed = last.exposed;
  result.idle = last.idle;
  result.stolen = last.stolen;
  result.lanes = last.lanes;
  if (const auto account = runner.endpoint_account(last.rank))
    result.endpoint = {account->sent, account->received, account->overhead, account->copy,
                       account->waited};
  return last.rank;
}

// What its own time makes of its batch.
void add_rates(JobRow& row, const PlacedWorkload& job, const NpuSpec& npu) {
  const auto* trained = std::get_if<TransformerWorkload>(&job.workload.what);
  if (trained == nullptr) return;
  const double rank_seconds =
      static_cast<double>((row.finish - row.start).value) * 1e-12 * row.ranks / row.iterations;
  const auto tokens = static_cast<double>(trained->training.global_batch) *
                      static_cast<double>(trained->model.sequence);
  row.tokens_per_s_npu = std::llround(tokens / rank_seconds);
  if (npu.peak > FlopRate{})
    row.utilisation = training_flops(*trained, FlopConvention::model) / rank_seconds /
                      static_cast<double>(npu.peak.value);
}

void add_jobs(RunResult& result, const FinishedRun& run) {
  const auto* several = std::get_if<JobsSpec>(&run.experiment.workload.what);
  if (several == nullptr) return;
  for (const PlacedWorkload& job : several->jobs) {
    const RankRow* last = nullptr;
    for (const Rank npu : job.npus) {
      const RankRow& row = result.row_of(npu);
      if (last == nullptr || row.finish > last->finish) last = &row;
    }
    result.jobs.push_back({job.name, static_cast<std::int32_t>(job.npus.size()),
                           job.workload.iterations, job.start, last->finish, last->compute,
                           last->exposed, last->idle - job.start});
    JobRow& row = result.jobs.back();
    if (run.runner.finished() && row.finish > row.start) add_rates(row, job, run.experiment.npu);
    if (const auto* trained = std::get_if<TransformerWorkload>(&job.workload.what))
      row.memory = most_memory(*trained);
  }
}

// Its parts tell the bubble of the pipeline from what was waited for the network.
void add_training(RunResult& result, const FinishedRun& run) {
  const auto* workload = std::get_if<TransformerWorkload>(&run.experiment.workload.what);
  if (workload == nullptr || !run.runner.finished()) return;
  result.training = training_rows(run.experiment, *workload, run.topology, result.ranks,
                                  run.job.labels, run.summary.rows(), run.runner);
  result.exposed_by.clear();
  for (const TrainingPart& part : training_parts(result.training->last_stage()))
    if (part.exposed && part.time > Duration{}) result.exposed_by.push_back({part.name, part.time});
}

void add_memory(RunResult& result, const FinishedRun& run) {
  const auto* training = std::get_if<TransformerWorkload>(&run.experiment.workload.what);
  if (training == nullptr) return;
  if (run.experiment.npu.memory)
    result.npu_memory = *run.experiment.npu.memory - run.experiment.npu.reserve;
  for (std::int32_t stage = 0; stage < training->training.pipeline; ++stage) {
    const StageMemory memory = stage_memory(*training, stage);
    result.memory.push_back({stage, memory.total(), memory.parameters, memory.gradients,
                             memory.optimizer, memory.buffers, memory.activations, memory.loss,
                             memory.again, memory.in_flight,
                             reserved_for(memory.total(), run.experiment.npu.fragmentation)});
  }
}

void add_samples(RunResult& result, const FinishedRun& run) {
  const auto& workload = run.experiment.workload.what;
  if (const auto* dlrm = std::get_if<DlrmSpec>(&workload)) result.samples = dlrm->global_batch;
  if (const auto* stack = std::get_if<StackTraining>(&workload))
    result.samples =
        stack->batch * (run.job.ranks - static_cast<std::int64_t>(stack->servers.size()));
}

// Of a transformer on a device that was measured: only such iterations were compared.
std::optional<ExpectedError> expected_error(const FinishedRun& run) {
  const EfficiencyInForce& efficiency = run.experiment.npu.efficiency_in_force;
  const auto* job = std::get_if<TransformerWorkload>(&run.experiment.workload.what);
  if (job == nullptr || !efficiency.error || efficiency.of_another_device) return std::nullopt;
  return expected_error({.era = efficiency.name,
                         .experts = job->model.experts.count > 0,
                         .ranks = run.job.ranks,
                         .sequence = job->model.sequence,
                         .hidden = job->model.hidden},
                        validation_rows());
}

// As far as is known: of tables of layers it is not.
bool calls_collectives(const WorkloadSpec& workload) {
  return !called_kinds(workload).empty() ||
         std::holds_alternative<LayerTableWorkload>(workload.what);
}

void add_backend(RunResult& result, const FinishedRun& run) {
  const NetworkSpec& network = run.experiment.network;
  result.backend = network.backend;
  if (!network.backend_named) result.backend_because = network.chosen_because;
  if (const std::string recovery = recovery_chosen(run.experiment); !recovery.empty())
    result.backend_because +=
        fmt::format("{}; {}", network.backend_named ? "it is named" : "", recovery);
  result.ignored = contention_ignored(run.experiment);
  const auto unused = run.network.unused_settings();
  result.ignored.insert(result.ignored.end(), unused.begin(), unused.end());
}

void add_notices(RunResult& result, const FinishedRun& run) {
  const auto add = [&](const std::vector<std::string>& notices) {
    result.notices.insert(result.notices.end(), notices.begin(), notices.end());
  };
  add(run.network.notices());
  const auto add_of_trace = [&](const WorkloadSpec& workload) {
    if (const auto* trace = std::get_if<GraphWorkload>(&workload.what)) add(trace->notices);
  };
  add_of_trace(run.experiment.workload);
  if (const auto* several = std::get_if<JobsSpec>(&run.experiment.workload.what))
    for (const PlacedWorkload& job : several->jobs) add_of_trace(job.workload);
  add(memory_notices(run.experiment));
  add(training_notices(run.experiment));
  add(stage_notices(result, run.experiment, run.topology));
  add(system_notices(run.experiment.system));
  add(unused_key_notices(result, run.experiment));
  if (result.packets)
    add(disorder_notices(run.experiment.network, result.packets->retransmissions));
  add(setting_notices(run.experiment.network, run.network.unused_settings()));
  if (!run.topology.structural()) {
    add(carriage_notices(run.experiment.network));
    add(bus_notices(run.topology));
    if (run.runner.finished()) add(idle_notices(run.experiment, run.topology, result.finish));
  }
  constexpr std::int32_t many = 1'024;
  if (run.job.ranks >= many && run.folding_allowed && run.runner.fold().none())
    result.notices.push_back(fmt::format("all {} ranks are simulated one by one: {}", run.job.ranks,
                                         run.runner.unfolded_because()));
  if (run.runner.unblocked() > 0)
    result.notices.push_back(fmt::format(
        "{} chunk{} began beyond first_phase_limit or queue_limit, because ranks waited "
        "for each other",
        run.runner.unblocked(), run.runner.unblocked() == 1 ? "" : "s"));
  if (run.interrupted) return;  // what is on its way would have been received
  for (const std::string& messages : run.runner.unreceived())
    (run.runner.finished() ? result.unreceived : result.notices)
        .push_back(messages + " never received: is a receive missing?");
}

}  // namespace

RunResult collect_result(const FinishedRun& run) {
  RunResult result;
  result.name = run.experiment.name;
  add_backend(result, run);
  result.network_chosen = run.experiment.network_chosen;
  result.parallelism_chosen = run.experiment.parallelism_chosen;
  result.efficiency = run.experiment.npu.efficiency_in_force;
  if (run.runner.finished()) result.expected_error = expected_error(run);
  if (calls_collectives(run.experiment.workload))
    result.protocols = run.experiment.protocols_in_force;
  result.seed = run.experiment.seed;
  result.folded = !run.runner.fold().none();
  result.unfolded_because = run.runner.unfolded_because();
  const Rank last = add_ranks(result, run.runner, !run.job.lanes.empty());
  add_jobs(result, run);
  add_layers(result, run, last);
  add_training(result, run);
  add_memory(result, run);
  add_samples(result, run);
  result.selected = selected_rows(run.runner.selection());
  add_traffic(result, run);
  add_bottlenecks(result, run);
  add_bound(result, run);
  add_time_parts(result, run, last);
  result.faults = fault_names(run.experiment.network, run.topology, result.finish);
  add_notices(result, run);
  return result;
}

std::vector<std::string> group_names(const Job& job, const Topology& topology) {
  std::vector<std::string> names;
  for (const Communicator& communicator : job.communicators) {
    std::string levels;
    if (const auto* spanned = std::get_if<std::vector<int>>(&communicator.groups))
      for (const int level : *spanned)
        levels += (levels.empty() ? "" : ", ") + topology.levels()[level].name;
    names.push_back(levels.empty() ? communicator.name
                                   : fmt::format("{} ({})", communicator.name, levels));
  }
  return names;
}

}  // namespace orrery
