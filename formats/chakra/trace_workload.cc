#include "formats/chakra/trace_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "formats/chakra/rank_graph.h"

namespace orrery::chakra {

namespace {

class TraceJob {
 public:
  TraceJob(TraceSettings settings, const std::vector<TraceFile>& files, const GroupRanks& groups,
           int levels)
      : settings_(std::move(settings)),
        files_(files),
        given_groups_(groups),
        ranks_(files.size() == 1 ? std::max(settings_.replicate, 1)
                                 : static_cast<std::int32_t>(files.size())),
        levels_(levels) {}

  GraphWorkload workload() {
    TraceScan scan;
    for (Rank rank = 0; rank < static_cast<Rank>(files_.size()); ++rank) {
      const RankTrace trace = read(rank);
      scan.add(trace, groups_of_rank(trace, rank));
    }
    if (settings_.lanes == TraceLanes::automatic)
      settings_.lanes = scan.streams.empty() ? TraceLanes::two : TraceLanes::streams;
    const TraceCommunicators communicators(scan.groups, ranks_, levels_);
    const TraceLaneTable lanes(settings_.lanes, scan.streams);
    TraceLabels labels(scan.kernels);
    add_graphs({settings_, ranks_, communicators, lanes, labels});
    workload_.file = settings_.files;
    workload_.communicators = communicators.all();
    workload_.labels = labels.all();
    workload_.lanes = lanes.all();
    workload_.has_sizes = findings_.sized_work > 0;
    add_notices(scan.from_text);
    return std::move(workload_);
  }

 private:
  RankTrace read(Rank rank) const { return read_rank_trace(files_[rank].name, files_[rank].bytes); }
  RankGroups groups_of_rank(const RankTrace& trace, Rank rank) const {
    return {trace, given_groups_, settings_, rank, ranks_};
  }

  // Ranks with equal graphs share one.
  void add_graphs(const TraceFrame& frame) {
    std::unordered_map<std::uint64_t, std::vector<std::int32_t>> known;  // by digest
    for (Rank rank = 0; rank < static_cast<Rank>(files_.size()); ++rank) {
      const RankTrace trace = read(rank);
      auto graph = rank_graph(trace, rank, groups_of_rank(trace, rank), frame, findings_);
      std::vector<std::int32_t>& alike = known[graph->digest()];
      const auto found = std::ranges::find_if(
          alike, [&](std::int32_t index) { return *workload_.graphs[index] == *graph; });
      if (found != alike.end()) {
        workload_.graph_of_rank.push_back(*found);
        continue;
      }
      alike.push_back(static_cast<std::int32_t>(workload_.graphs.size()));
      workload_.graph_of_rank.push_back(alike.back());
      workload_.graphs.push_back(std::move(graph));
    }
    workload_.graph_of_rank.resize(static_cast<std::size_t>(ranks_));  // of replicate
  }

  void add_notices(bool from_text) {
    const auto add = [&](std::string text) {
      workload_.notices.push_back(settings_.files + ": " + std::move(text));
    };
    std::string control;
    if (findings_.on_itself + findings_.on_missing > 0)
      control = fmt::format("{} name their own node and {} name nodes that are not there",
                            findings_.on_itself, findings_.on_missing);
    if (findings_.cycles > 0)
      control = fmt::format(
          "all are left out: {}{}with data dependencies they put {} nodes into {} "
          "cycles",
          control, control.empty() ? "" : ", and ", findings_.nodes_in_cycles, findings_.cycles);
    else if (!control.empty())
      control += ", which are left out";
    if (!control.empty()) add("of the control dependencies " + control);
    if (findings_.without_root > 0)
      add(fmt::format("{} collectives do not say their root: the first rank of the group is taken",
                      findings_.without_root));
    if (findings_.without_duration > 0)
      add(fmt::format("{} loads and stores have no duration and take no time",
                      findings_.without_duration));
    if (findings_.sized_requests > 0)
      add(
          fmt::format("{} loads and stores have a size and no duration: they take time with "
                      "system.remote_memory only",
                      findings_.sized_requests));
    if (from_text && settings_.compute_scale == 1)
      add("a converter made the trace from an ASTRA-sim 1.0 text, and wrote its nanoseconds as "
          "microseconds: write \"compute_scale: 0.001\"");
  }

  TraceSettings settings_;
  const std::vector<TraceFile>& files_;
  const GroupRanks& given_groups_;
  std::int32_t ranks_;
  int levels_;
  GraphWorkload workload_;
  TraceFindings findings_;
};

}  // namespace

GraphWorkload trace_workload(const TraceSettings& settings, const std::vector<TraceFile>& files,
                             const GroupRanks& groups, int levels) {
  return TraceJob(settings, files, groups, levels).workload();
}

}  // namespace orrery::chakra
