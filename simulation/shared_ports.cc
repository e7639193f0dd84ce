#include "simulation/shared_ports.h"

#include <fmt/format.h>

#include <cstdlib>
#include <set>
#include <variant>
#include <vector>

#include "workload/graph/graph.h"
#include "workload/parallelism/involved_levels.h"

namespace orrery {
namespace {

// Some messages of a job, and the levels that they pass.
struct Stream {
  std::string name;
  std::set<int> levels;
};

class Levels {
 public:
  explicit Levels(const std::vector<LevelSpec>& levels) : levels_(levels) {}

  int count() const { return static_cast<int>(levels_.size()); }
  std::set<int> all() const {
    std::set<int> all;
    for (int l = 0; l < count(); ++l) all.insert(all.end(), l);
    return all;
  }

  // Those in which ranks at such distances from each other differ.
  std::set<int> crossed_by(const std::vector<Extent>& extents) const {
    std::set<int> crossed;
    std::int64_t stride = 1;
    for (int l = 0; l < count(); ++l) {
      const std::int64_t end = stride * levels_[l].size;
      for (const auto& [ranks, apart] : extents)
        if (ranks > 1 && apart < end && std::int64_t{ranks} * apart > stride) crossed.insert(l);
      stride = end;
    }
    return crossed;
  }

  // By messages that go so far up.
  std::set<int> crossed_by(const std::set<Rank>& distances) const {
    std::set<int> crossed;
    for (const Rank distance : distances) add_levels_between(0, std::abs(distance), crossed);
    return crossed;
  }

  std::set<int> crossed_by(const Grouping& groups) const {
    if (const auto* levels = std::get_if<std::vector<int>>(&groups))
      return {levels->begin(), levels->end()};
    if (const auto* extents = std::get_if<std::vector<Extent>>(&groups))
      return crossed_by(*extents);
    std::set<int> crossed;
    for (const std::vector<Rank>& group : std::get<RankLists>(groups))
      for (const Rank rank : group) add_levels_between(group.front(), rank, crossed);
    return crossed;
  }

 private:
  void add_levels_between(Rank one, Rank other, std::set<int>& crossed) const {
    for (int l = 0; one != other && l < count();
         one /= levels_[l].size, other /= levels_[l].size, ++l)
      if (one % levels_[l].size != other % levels_[l].size) crossed.insert(l);
  }

  const std::vector<LevelSpec>& levels_;
};

using Streams = std::vector<Stream>;

// Of a communicator of an exported trace that is called while nothing else is under way: that of
// the norm of all gradients, and of the embedding's sum between the ends of pipelines.
bool comes_alone(const Communicator& communicator) {
  return communicator.few_bytes || communicator.name == "pipeline ends";
}

Streams streams_of(const DlrmSpec&, const Levels& levels) {
  return {{"all_to_all", levels.all()}, {"all_reduce", levels.all()}};
}

Streams streams_of(const LayerTableWorkload& workload, const Levels& levels) {
  Stream activations{"activation", {}}, gradients{"gradient", {}};
  for (const LayerSpec& layer : workload.table.layers) {
    const InvolvedLevels involved =
        involved_levels(workload.table, layer, levels.count(), workload.dimensions);
    activations.levels.insert(involved.activations.begin(), involved.activations.end());
    gradients.levels.insert(involved.gradients.begin(), involved.gradients.end());
  }
  return {activations, gradients};
}

// Each worker has a connection of its own to each server.
Streams streams_of(const StackTraining& training, const Levels& levels) {
  if (training.servers.empty()) return {};
  return {{"one worker's", levels.all()}, {"other workers'", levels.all()}};
}

// Whether a rank sends to several, or receives from several.
bool sends_meet(const ProgramSpec& program) {
  std::set<Rank> targets;
  for (const ProgramSpec::Part& part : program.parts) {
    std::set<Rank> of_part;
    for (const ProgramSpec::Step& step : part.steps)
      if (const auto* send = std::get_if<SendCall>(&step.operation.what)) of_part.insert(send->to);
    const bool by_several = part.ranks.size() != 1;
    if (of_part.size() > 1 || (by_several && !of_part.empty())) return true;
    for (const Rank to : of_part)
      if (!targets.insert(to).second) return true;
  }
  return false;
}

// Calls of a group that exchange with the same ranks: all-to-alls, and all others.
struct Called {
  std::int32_t group;
  bool all_to_all;
  auto operator<=>(const Called&) const = default;
};
Called called_by(const CollectiveCall& call) {
  return {call.communicator, planned_as(call.kind) == Collective::all_to_all};
}

Streams streams_of(const ProgramSpec& program, const Levels& levels) {
  std::set<Called> called;
  bool sends = false;
  for (const ProgramSpec::Part& part : program.parts)
    for (const ProgramSpec::Step& step : part.steps) {
      if (const auto* call = std::get_if<CollectiveCall>(&step.operation.what))
        called.insert(called_by(*call));
      sends = sends || std::holds_alternative<SendCall>(step.operation.what);
    }
  Streams streams;
  for (const auto& [group, all_to_all] : called)
    streams.push_back({fmt::format("group {}'s{}", group, all_to_all ? " all_to_all" : ""),
                       program.communicators.empty()
                           ? levels.all()
                           : levels.crossed_by(program.communicators[group])});
  if (sends) streams.push_back({"point-to-point", levels.all()});
  if (sends_meet(program)) streams.push_back({"other point-to-point", levels.all()});
  return streams;
}

Streams streams_of(const GraphWorkload& trace, const Levels& levels) {
  std::set<Called> called;
  std::set<Rank> distances;
  for (const auto& graph : trace.graphs)
    for (const Operation& operation : graph->operations()) {
      if (const auto* call = std::get_if<CollectiveCall>(&operation.what))
        called.insert(called_by(*call));
      if (const auto* send = std::get_if<SendCall>(&operation.what)) distances.insert(send->to);
    }
  Streams streams;
  for (const auto& [group, all_to_all] : called)
    if (const Communicator& communicator = trace.communicators[group]; !comes_alone(communicator))
      streams.push_back({communicator.name + (all_to_all ? " all_to_all" : ""),
                         levels.crossed_by(communicator.groups)});
  if (!distances.empty()) streams.push_back({"point-to-point", levels.crossed_by(distances)});
  return streams;
}

std::string shared_by(const Streams& streams, const std::vector<LevelSpec>& levels) {
  for (int l = static_cast<int>(levels.size()) - 1; l >= 0; --l) {
    const Stream* first = nullptr;
    for (const Stream& stream : streams) {
      if (!stream.levels.contains(l)) continue;
      if (first != nullptr)
        return fmt::format("{} and {} messages share the ports of {}", first->name, stream.name,
                           levels[l].name.empty() ? fmt::format("level {}", l) : levels[l].name);
      first = &stream;
    }
  }
  return "";
}

template <class What>
std::string clause_of(const What& what, const std::vector<LevelSpec>& levels) {
  return shared_by(streams_of(what, Levels(levels)), levels);
}

std::string clause_of(const TransformerWorkload&, const std::vector<LevelSpec>&) {
  return "exchanges of an iteration go on side by side";
}

// Jobs have NPUs of their own, so ports too: what one of them mixes.
std::string clause_of(const JobsSpec& jobs, const std::vector<LevelSpec>& levels);

std::string clause_of(const WorkloadSpec& workload, const std::vector<LevelSpec>& levels) {
  return std::visit([&](const auto& what) { return clause_of(what, levels); }, workload.what);
}

std::string clause_of(const JobsSpec& jobs, const std::vector<LevelSpec>& levels) {
  for (const PlacedWorkload& job : jobs.jobs)
    if (std::string clause = clause_of(job.workload, levels); !clause.empty()) return clause;
  return "";
}

}  // namespace

std::string shared_ports_of(const Experiment& experiment) {
  const std::vector<LevelSpec>& levels = experiment.topology.levels;
  return levels.empty() ? "" : clause_of(experiment.workload, levels);
}

}  // namespace orrery
