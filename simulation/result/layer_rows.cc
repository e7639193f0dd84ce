#include "simulation/result/layer_rows.h"

#include <map>
#include <utility>

#include "system/rank/traffic_account.h"

namespace orrery {

void add_layers(RunResult& result, const FinishedRun& run, Rank last) {
  std::map<std::string, Duration> exposed_by;
  for (std::size_t label = 0; label < run.job.labels.size(); ++label) {
    const SummarySink::Row& seen = run.summary.rows()[label];
    const bool reached = seen.detail || seen.raw_count > 0 || !seen.compute.empty();
    if (!reached && !run.runner.finished()) continue;  // an interrupted run lists what it reached
    const Label& named = run.job.labels[label];
    LayerRow row;
    row.name = named.layer;
    row.iteration = named.iteration + 1;
    row.pass = named.pass;
    if (seen.detail) row.collective = name_of_detail(*seen.detail);
    row.bytes = seen.bytes;
    if (!seen.compute.empty()) row.compute = seen.compute[run.summary.index_of(last)];
    if (!seen.exposed.empty()) row.exposed = seen.exposed[run.summary.index_of(last)];
    if (seen.raw_count > 0) row.raw = seen.raw_sum.mean(seen.raw_count);
    row.raw_max = seen.raw_max;
    const auto& call = run.runner.call_of(static_cast<std::int32_t>(label));
    if (seen.raw_count > 0 && call) {
      row.ranks = call->ranks;
      row.algorithms = call->algorithms;
      row.raw_bound = call->bandwidth_bound;
    }
    if (row.exposed > Duration{}) exposed_by[kind_of_traffic(named, *seen.detail)] += row.exposed;
    result.layers.push_back(std::move(row));
  }
  for (const auto& [kind, exposed] : exposed_by) result.exposed_by.push_back({kind, exposed});
}

}  // namespace orrery
