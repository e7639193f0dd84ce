#include "workload/graph/placed_jobs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/base/check.h"

namespace orrery {

namespace {

// Which ranks of a job form groups: by what is left of a rank, or of its NPU, without the
// coordinates in which the members of a group differ.
RankLists groups_of(const Grouping& grouping, const std::vector<Rank>& npus,
                    const Topology& topology) {
  if (const auto* lists = std::get_if<RankLists>(&grouping)) return *lists;
  std::map<Rank, std::vector<Rank>> by_rest;
  for (Rank rank = 0; rank < static_cast<Rank>(npus.size()); ++rank) {
    Rank rest = rank;
    if (const auto* levels = std::get_if<std::vector<int>>(&grouping)) {
      rest = npus[rank];
      for (const int level : *levels) {
        const std::int32_t stride = topology.stride(level);
        rest -= npus[rank] / stride % topology.levels()[level].size * stride;
      }
    } else {
      for (const auto& [count, stride] : std::get<std::vector<Extent>>(grouping))
        rest -= rank / stride % count * stride;
    }
    by_rest[rest].push_back(rank);
  }
  RankLists lists;
  for (auto& [rest, ranks] : by_rest) lists.push_back(std::move(ranks));
  return lists;
}

class PlacedSource final : public OperationSource {
 public:
  explicit PlacedSource(std::int32_t npus) : place_of_npu_(static_cast<std::size_t>(npus)) {}

  KnownOperations operations_ahead(Rank npu) const override {
    const Place& place = place_of_npu_[npu];
    return place.ahead == nullptr ? KnownOperations() : KnownOperations(*place.ahead);
  }

  // What the job numbers follows what the others have.
  struct Before {
    std::int32_t labels, communicators, lanes;
  };
  // Returns its communicators.
  std::vector<Communicator> add(PlacedJob placed, const Before& before, const Topology& topology);

  void start(Rank npu, std::vector<Operation>& ready) override {
    const Place& place = place_of_npu_[npu];
    if (place.job < 0) return;
    const std::size_t before = ready.size();
    jobs_[place.job].operations->start(place.rank, ready);
    translate(place, std::span(ready).subspan(before));
  }
  void finish(Rank npu, OperationId id, std::vector<Operation>& ready) override {
    const Place& place = place_of_npu_[npu];
    const std::size_t before = ready.size();
    jobs_[place.job].operations->finish(place.rank, id, ready);
    translate(place, std::span(ready).subspan(before));
  }
  std::int64_t operation_count(Rank npu) const override {
    const Place& place = place_of_npu_[npu];
    return place.job < 0 ? 0 : jobs_[place.job].operations->operation_count(place.rank);
  }
  OperationPlace place_of(Rank npu, OperationId id) const override {
    const Place& place = place_of_npu_[npu];
    return jobs_[place.job].operations->place_of(place.rank, id);
  }
  std::optional<Operation> find(Rank npu, OperationId id) const override {
    const Place& place = place_of_npu_[npu];
    auto found = jobs_[place.job].operations->find(place.rank, id);
    if (found) translate(place, std::span(&*found, 1));
    return found;
  }

 private:
  struct Place {
    std::int32_t job = -1;
    Rank rank = 0;                          // of the job
    const OperationStore* ahead = nullptr;  // of the first rank with the same operations
  };
  struct PlacedOperations {
    std::unique_ptr<OperationSource> operations;
    std::vector<Rank> npus;
    std::int32_t first_label, first_lane;
    std::vector<std::int32_t> communicators;  // of all jobs, by that of the job; -1 = none
    std::vector<std::vector<bool>> is_alone;  // by communicator and rank
  };

  // What a rank will be handed, as start() and finish() translate it.
  class Ahead final : public OperationStore {
   public:
    Ahead(const PlacedSource& source, const Place& place)
        : source_(source),
          place_(place),
          from_(*source.jobs_[place.job].operations),
          known_(from_.known_operations(place.rank)) {}

    std::size_t size() const override { return known_.size(); }
    Operation operation(std::size_t index) const override {
      Operation operation = known_[index];
      auto* send = std::get_if<SendCall>(&operation.what);
      auto* receive = std::get_if<ReceiveCall>(&operation.what);
      if (from_.names_distances(place_.rank)) {
        if (send != nullptr) send->to += place_.rank;
        if (receive != nullptr) receive->from += place_.rank;
      }
      source_.translate(place_, std::span(&operation, 1));
      return operation;
    }

   private:
    const PlacedSource& source_;
    Place place_;
    const OperationSource& from_;
    KnownOperations known_;
  };

  void translate(const Place& place, std::span<Operation> handed_out) const;
  void look_ahead(const PlacedOperations& job);

  std::vector<std::unique_ptr<Ahead>> ahead_;
  std::vector<Place> place_of_npu_;
  std::vector<PlacedOperations> jobs_;
};

std::vector<Communicator> PlacedSource::add(PlacedJob placed, const Before& before,
                                            const Topology& topology) {
  const auto number = static_cast<std::int32_t>(jobs_.size());
  for (Rank rank = 0; rank < placed.job.ranks; ++rank) {
    Place& place = place_of_npu_[placed.npus[rank]];
    CHECK(place.job < 0, "NPU {} is in two jobs", placed.npus[rank]);
    place = {number, rank};
  }
  PlacedOperations job{std::move(placed.job.operations),
                       std::move(placed.npus),
                       before.labels,
                       before.lanes,
                       {},
                       {}};
  std::vector<Communicator> communicators;
  for (const Communicator& communicator : placed.job.communicators) {
    RankLists groups;
    auto& is_alone = job.is_alone.emplace_back(job.npus.size(), false);
    for (std::vector<Rank>& ranks : groups_of(communicator.groups, job.npus, topology)) {
      if (ranks.size() == 1) is_alone[ranks[0]] = true;
      if (ranks.size() < 2) continue;
      for (Rank& rank : ranks) rank = job.npus[rank];
      groups.push_back(std::move(ranks));
    }
    const auto next = before.communicators + static_cast<std::int32_t>(communicators.size());
    job.communicators.push_back(groups.empty() ? -1 : next);
    if (!groups.empty())
      communicators.push_back({placed.name + '/' + communicator.name, std::move(groups),
                               communicator.rows, communicator.few_bytes});
  }
  jobs_.push_back(std::move(job));
  look_ahead(jobs_.back());
  return communicators;
}

void PlacedSource::look_ahead(const PlacedOperations& job) {
  std::map<const void*, const Ahead*> first_with;
  for (const Rank npu : job.npus) {
    Place& place = place_of_npu_[npu];
    const KnownOperations known = job.operations->known_operations(place.rank);
    if (known.empty()) continue;
    const auto [found, is_new] = first_with.try_emplace(known.identity());
    if (is_new) found->second = ahead_.emplace_back(std::make_unique<Ahead>(*this, place)).get();
    place.ahead = found->second;
  }
}

void PlacedSource::translate(const Place& place, std::span<Operation> handed_out) const {
  const PlacedOperations& job = jobs_[place.job];
  for (Operation& operation : handed_out) {
    if (operation.label >= 0) operation.label += job.first_label;
    if (auto* send = std::get_if<SendCall>(&operation.what)) send->to = job.npus[send->to];
    if (auto* receive = std::get_if<ReceiveCall>(&operation.what))
      receive->from = job.npus[receive->from];
    if (auto* work = std::get_if<Compute>(&operation.what)) work->lane += job.first_lane;
    auto* call = std::get_if<CollectiveCall>(&operation.what);
    if (call == nullptr) continue;
    if (job.is_alone[call->communicator][place.rank])
      operation.what = Compute{{}, {}, Duration{}, Kernel::matrix, {}, job.first_lane};
    else
      call->communicator = job.communicators[call->communicator];
  }
}

}  // namespace

Job place_jobs(std::vector<PlacedJob> jobs, const Topology& topology) {
  Job all;
  all.name = "jobs";
  all.ranks = topology.npu_count();
  all.start.resize(static_cast<std::size_t>(all.ranks));
  all.without_lanes.resize(static_cast<std::size_t>(all.ranks), false);
  auto source = std::make_unique<PlacedSource>(all.ranks);
  for (PlacedJob& placed : jobs) {
    const PlacedSource::Before before{static_cast<std::int32_t>(all.labels.size()),
                                      static_cast<std::int32_t>(all.communicators.size()),
                                      static_cast<std::int32_t>(all.lanes.size())};
    for (Label& label : placed.job.labels) {
      label.layer = placed.name + '/' + label.layer;
      all.labels.push_back(std::move(label));
    }
    for (const Rank npu : placed.npus) {
      all.start[npu] = placed.start;
      all.without_lanes[npu] = placed.job.lanes.empty();
    }
    all.lanes.insert(all.lanes.end(), placed.job.lanes.begin(), placed.job.lanes.end());
    std::vector<Communicator> communicators = source->add(std::move(placed), before, topology);
    std::move(communicators.begin(), communicators.end(), std::back_inserter(all.communicators));
  }
  if (all.lanes.empty()) all.without_lanes.clear();
  all.operations = std::move(source);
  return all;
}

}  // namespace orrery
