#include "formats/chakra/trace_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "formats/chakra/trace_labels.h"
#include "formats/chakra/trace_lanes.h"

namespace orrery::chakra {

namespace {

// Graphs without two that are equal.
class DistinctGraphs {
 public:
  std::int32_t add(std::shared_ptr<Graph> graph) {
    std::vector<std::int32_t>& alike = of_digest_[graph->digest()];
    const auto found = std::ranges::find_if(alike, [&](std::int32_t index) {
      return *all_[static_cast<std::size_t>(index)] == *graph;
    });
    if (found != alike.end()) return *found;
    const auto index = static_cast<std::int32_t>(all_.size());
    alike.push_back(index);
    all_.push_back(std::move(graph));
    return index;
  }
  std::vector<std::shared_ptr<Graph>> take() { return std::move(all_); }

 private:
  std::vector<std::shared_ptr<Graph>> all_;
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> of_digest_;
};

class TraceJob {
 public:
  TraceJob(TraceSettings settings, const std::vector<TraceFile>& files, const GroupRanks& groups,
           int levels, bool needs_sizes)
      : settings_(std::move(settings)),
        files_(files),
        given_groups_(groups),
        ranks_(files.size() == 1 ? std::max(settings_.replicate, 1)
                                 : static_cast<std::int32_t>(files.size())),
        levels_(levels),
        needs_sizes_(needs_sizes) {}

  TraceInspection inspection() {
    read_files();
    if (settings_.lanes == TraceLanes::automatic)
      settings_.lanes = names_.streams().empty() ? TraceLanes::two : TraceLanes::streams;
    const TraceCommunicators communicators(used_groups_, ranks_, levels_);
    const TraceLaneTable lanes(settings_.lanes, names_);
    TraceLabels labels(names_);
    finish_graphs(communicators, lanes, labels);
    GraphWorkload& workload = result_.workload;
    workload.file = settings_.files;
    workload.communicators = communicators.all();
    workload.labels = labels.all();
    workload.lanes = lanes.all();
    workload.has_sizes = findings_.sized_work > 0;
    add_notices();
    return std::move(result_);
  }

 private:
  static constexpr std::int32_t kNone = TraceInspection::no_graph;

  // What is left of a rank's file until all are read.
  struct Draft {
    std::int32_t graph = kNone;  // the same for ranks that do the same in groups of their own
    std::vector<const UsedGroup*> groups;
  };

  void read_files() {
    const TraceFrame frame{settings_, ranks_, given_groups_, needs_sizes_, names_};
    DistinctGraphs graphs;
    std::map<std::string, std::pair<Draft, RankGraph>> linked;  // of files with several names
    for (Rank rank = 0; rank < static_cast<Rank>(files_.size()); ++rank) {
      drafts_.emplace_back();
      const TraceFile& file = files_[static_cast<std::size_t>(rank)];
      if (!file.open) {
        result_.problems.push_back({.file = file.name,
                                    .what = fmt::format("the file of rank {} is not there", rank),
                                    .remedy = "give the files of all ranks"});
        continue;
      }
      const auto known = file.identity.empty() ? linked.end() : linked.find(file.identity);
      if (known != linked.end() && known->second.second.is_for(rank)) {
        drafts_.back() = known->second.first;
        add(known->second.second);
        continue;
      }
      try {
        RankGraph read = read_rank_graph(file, rank, frame);
        drafts_.back().graph = graphs.add(std::move(read.graph));
        for (const UsedGroup& group : read.groups)
          drafts_.back().groups.push_back(&*used_groups_.insert(group).first);
        add(read);
        if (!file.identity.empty())
          linked.insert_or_assign(file.identity, std::pair(drafts_.back(), std::move(read)));
      } catch (const ConfigError& error) {
        result_.problems.insert(result_.problems.end(), error.diagnostics().begin(),
                                error.diagnostics().end());
      }
    }
    draft_graphs_ = graphs.take();
  }

  void add(const RankGraph& read) {
    findings_.add(read.findings);
    result_.sums.add(read.sums);
    names_.add(read.kernels);
  }

  // With the lanes, labels and communicators of the whole job, of which there is one graph for each
  // set of communicators that ranks with one draft have.
  void finish_graphs(const TraceCommunicators& communicators, const TraceLaneTable& lanes,
                     TraceLabels& labels) {
    using Numbers = std::vector<std::int32_t>;  // of the communicators of a rank's groups
    std::vector<std::map<Numbers, std::vector<Rank>>> variants(draft_graphs_.size());
    for (Rank rank = 0; rank < static_cast<Rank>(drafts_.size()); ++rank) {
      const Draft& draft = drafts_[static_cast<std::size_t>(rank)];
      if (draft.graph == kNone) continue;
      Numbers numbers;
      for (const UsedGroup* group : draft.groups) numbers.push_back(communicators.of(*group));
      variants[static_cast<std::size_t>(draft.graph)][std::move(numbers)].push_back(rank);
    }
    result_.workload.graph_of_rank.assign(drafts_.size(), kNone);
    DistinctGraphs distinct;
    for (std::size_t i = 0; i < variants.size(); ++i) {
      std::size_t left = variants[i].size();
      for (const auto& [numbers, ranks] : variants[i]) {
        std::shared_ptr<Graph> graph = std::move(draft_graphs_[i]);
        if (--left > 0) draft_graphs_[i] = std::make_shared<Graph>(*graph);
        finish(*graph, communicators, numbers, lanes, labels);
        const std::int32_t index = distinct.add(std::move(graph));
        for (const Rank rank : ranks) result_.workload.graph_of_rank[rank] = index;
      }
    }
    for (std::shared_ptr<Graph>& graph : distinct.take())
      result_.workload.graphs.push_back(std::move(graph));
    const std::int32_t first = result_.workload.graph_of_rank.front();  // all that replicate has
    result_.workload.graph_of_rank.resize(static_cast<std::size_t>(ranks_), first);
  }

  static void finish(Graph& graph, const TraceCommunicators& communicators,
                     const std::vector<std::int32_t>& numbers, const TraceLaneTable& lanes,
                     TraceLabels& labels) {
    graph.change_each([&](PackedOperation& operation) {
      if (!operation.is_call()) {
        operation.set_label(labels.of(operation.label()));
        if (operation.is_compute()) operation.set_lane(lanes.of(operation.lane()));
        return;
      }
      const std::int32_t number = numbers[static_cast<std::size_t>(operation.communicator())];
      operation.set_communicator(number);
      operation.set_label(labels.of_call(operation.kind(), number, communicators));
    });
  }

  void add_notices() {
    const auto add = [&](std::string text) {
      result_.workload.notices.push_back(settings_.files + ": " + std::move(text));
    };
    const LeftOut& left_out = findings_.left_out;
    std::string control;
    if (left_out.on_itself + left_out.on_missing > 0)
      control = fmt::format("{} name their own node and {} name nodes that are not there",
                            left_out.on_itself, left_out.on_missing);
    if (left_out.cycles > 0)
      control = fmt::format(
          "all are left out: {}{}with data dependencies they put {} nodes into {} cycles", control,
          control.empty() ? "" : ", and ", left_out.nodes_in_cycles, left_out.cycles);
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
    if (findings_.unsized_calls > 0)
      add(
          fmt::format("{} collectives do not say their kind or size: they run with \"collectives: "
                      "recorded\" only, as long as they took",
                      findings_.unsized_calls));
    if (findings_.from_text && settings_.compute_scale == 1)
      add("a converter made the trace from an ASTRA-sim 1.0 text, and wrote its nanoseconds as "
          "microseconds: write \"compute_scale: 0.001\"");
  }

  TraceSettings settings_;
  const std::vector<TraceFile>& files_;
  const GroupRanks& given_groups_;
  std::int32_t ranks_;
  int levels_;
  bool needs_sizes_;
  TraceNames names_;
  TraceFindings findings_;
  std::set<UsedGroup> used_groups_;
  std::vector<Draft> drafts_;                         // of each file
  std::vector<std::shared_ptr<Graph>> draft_graphs_;  // before communicators, lanes and labels
  TraceInspection result_;
};

}  // namespace

GraphWorkload trace_workload(const TraceSettings& settings, const std::vector<TraceFile>& files,
                             const GroupRanks& groups, int levels) {
  TraceInspection found = TraceJob(settings, files, groups, levels, true).inspection();
  if (!found.problems.empty()) throw ConfigError(std::move(found.problems));
  return std::move(found.workload);
}

TraceInspection inspect_trace(const TraceSettings& settings, const std::vector<TraceFile>& files,
                              const GroupRanks& groups, bool needs_sizes) {
  return TraceJob(settings, files, groups, 1, needs_sizes).inspection();
}

}  // namespace orrery::chakra
