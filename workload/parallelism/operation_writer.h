// Writes a program, operation by operation: what the writers of a stage's parts share.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "workload/graph/program.h"
#include "workload/job_stopped.h"
#include "workload/parallelism/ring_places.h"
#include "workload/parallelism/transformer_groups.h"

namespace orrery {

// Rows of the layer table: what is done, in which pass; layers and micro-batches are summed.
class Rows {
 public:
  std::int32_t label(std::string_view name, Pass pass, std::string_view traffic,
                     std::int32_t iteration) {
    const auto next = static_cast<std::int32_t>(labels_.size());
    const auto [found, inserted] = index_.try_emplace({std::string(name), pass, iteration}, next);
    if (inserted) labels_.push_back({std::string(name), iteration, pass, std::string(traffic)});
    return found->second;
  }
  std::vector<Label> take() { return std::move(labels_); }

 private:
  std::map<std::tuple<std::string, Pass, std::int32_t>, std::int32_t> index_;
  std::vector<Label> labels_;
};

class OperationWriter {
 public:
  using Work = decltype(Operation::what);

  // REQUIRES: both outlive the writer.
  OperationWriter(const Groups& groups, Rows& rows, AskStop stop = {})
      : groups_(groups), rows_(rows), stop_(std::move(stop)) {}

  // Rows belong to this iteration from now on.
  void set_iteration(std::int32_t iteration) { iteration_ = iteration; }

  // Operations are there from now on; steps that are not done together call begin_step() between.
  void begin_step() { ++place_.group; }
  void set_place(OperationPlace::Step step, std::int32_t micro_batch, std::int32_t chunk,
                 std::int32_t layer) {
    place_ = {micro_batch, layer, place_.group, static_cast<std::int16_t>(chunk), step};
  }

  std::int32_t row(std::string_view name, Pass pass, std::string_view traffic = "") {
    return rows_.label(name, pass, traffic, iteration_);
  }
  OperationId append(std::int32_t row, Work what) {  // throws JobStopped
    stop_if_asked(stop_, operations_.size());
    const auto id = static_cast<OperationId>(operations_.size());
    operations_.push_back({.id = id, .label = row, .what = std::move(what)});
    if (places_.empty() || places_.back().second != place_) places_.push_back({id, place_});
    return id;
  }
  // What the rank waits for it is summed under the kind of the group, unless `traffic` is named.
  OperationId collective(std::string_view name, Group group, Collective kind, Bytes size,
                         std::string_view traffic = "") {
    CollectiveCall call{};
    call.kind = kind;
    call.communicator = groups_.number_of(group);
    call.size = size;
    return append(row(name, Pass::none, traffic.empty() ? traffic_of(group) : traffic), call);
  }
  // The collective is of this part of the model's gradients.
  void carries(OperationId collective, const TensorPart& part) {
    std::get<CollectiveCall>(operations_[static_cast<std::size_t>(collective)].what).tensor = part;
  }
  // What the rank waits here is booked to the row of the operation waited for.
  void wait(OperationId operation) { append(operations_[operation].label, Wait{operation}); }

  // The operation differs by rank (Program::fill_in).
  void differs(OperationId operation, std::int32_t entry) {
    entries_.push_back({operation, entry});
  }

  // It goes to the next rank of a ring of this group, or comes from the one before.
  void passes_on(OperationId operation, PartGroup group) {
    neighbours_.push_back({operation, group});
  }

  const std::vector<Operation>& operations() const { return operations_; }
  std::vector<Operation> take() { return std::move(operations_); }
  Program::Entries take_entries() { return std::move(entries_); }
  RingPlaces::Neighbours take_neighbours() { return std::move(neighbours_); }
  Program::Places take_places() { return std::move(places_); }

 private:
  const Groups& groups_;
  Rows& rows_;
  AskStop stop_;
  std::int32_t iteration_ = 0;
  std::vector<Operation> operations_;
  Program::Entries entries_;
  RingPlaces::Neighbours neighbours_;
  OperationPlace place_;
  Program::Places places_;
};

}  // namespace orrery
