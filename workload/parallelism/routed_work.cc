#include "workload/parallelism/routed_work.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "workload/model/expert_routing.h"

namespace orrery {

namespace {

std::vector<std::int64_t> transposed(const std::vector<std::int64_t>& square, std::size_t side) {
  std::vector<std::int64_t> result(square.size());
  for (std::size_t row = 0; row < side; ++row)
    for (std::size_t column = 0; column < side; ++column)
      result[column * side + row] = square[row * side + column];
  return result;
}

}  // namespace

RoutedWork::RoutedWork(const TransformerWorkload& workload)
    : ranks_(workload.training),
      training_(workload.training.experts),
      balanced_(copies_of_rank(workload.model.experts, training_, routed_tokens(workload))),
      limited_(1),
      node_size_(training_.parallel / training_.nodes()),
      loads_(workload, routed_tokens(workload)),
      sizes_(kept_matrices(workload.training)) {
  ExpertsSpec unlimited = workload.model.experts;
  unlimited.groups = unlimited.group_limit = 1;
  if (training_.nodes() > 1)
    limited_ = expected_nodes(workload.model.experts, training_.nodes()) /
               expected_nodes(unlimited, training_.nodes());
}

std::int32_t RoutedWork::entry(const Routed& routed, const ExpertLoads::Draw& draw) {
  entries_.push_back({routed, draw});
  return static_cast<std::int32_t>(entries_.size()) - 1;
}

void RoutedWork::fill(Rank rank, std::int32_t number, Operation& operation) {
  Entry entry = entries_[number];
  entry.draw.group = ranks_.expert_group_of(rank);
  entry.draw.group += ranks_.expert_data * ranks_.stage_of(rank);
  const std::int32_t place = ranks_.expert_place_of(rank);
  const Bytes unit = entry.routed.unit;
  if (auto* work = std::get_if<Compute>(&operation.what)) {
    const std::int64_t arriving = loads_.counts(entry.draw).arriving[place];
    work->flops = Flops{work->flops.value / balanced_ * arriving};
    const Bytes of_copies = work->memory_traffic - unit;
    work->memory_traffic = unit + Bytes{of_copies.value / balanced_} * arriving;
    // A result is the copies that leave, but where it is the gradient of the weights.
    if (work->result != unit) work->result = Bytes{work->result.value / balanced_} * arriving;
    return;
  }
  auto& call = std::get<CollectiveCall>(operation.what);
  if (entry.routed.role == Routed::Role::spread)
    call.size = unit * (loads_.counts(entry.draw).arriving[place] * training_.tensor);
  else
    travel(entry, place, call);
}

void RoutedWork::travel(const Entry& entry, std::int32_t place, CollectiveCall& call) {
  using enum Routed::Role;
  const Routed::Role role = entry.routed.role;
  std::int32_t part = 0;
  if (role == across || role == across_back) part = place % node_size_;
  if (role == inside || role == inside_back) part = place / node_size_;
  const Key key{entry.draw, role, part, entry.routed.unit.value};
  call.kind = Collective::all_to_allv;
  call.pair_sizes = sizes_.get(key, [&] { return make_sizes(entry, part); });
  call.size = call.pair_sizes->largest_row();
}

RoutedWork::Sizes RoutedWork::make_sizes(const Entry& entry, std::int32_t part) {
  using enum Routed::Role;
  const Routed::Role role = entry.routed.role;
  std::vector<std::int64_t> copies = copies_between(entry, part);
  const auto side = static_cast<std::size_t>(std::llround(std::sqrt(copies.size())));
  if (role == combine || role == across_back || role == inside_back)
    copies = transposed(copies, side);
  std::vector<Bytes> sizes;
  for (const std::int64_t count : copies) sizes.push_back(entry.routed.unit * count);
  return std::make_shared<const PairSizes>(
      PairSizes::matrix(static_cast<std::int32_t>(side), std::move(sizes)));
}

// On the way to the experts.
std::vector<std::int64_t> RoutedWork::copies_between(const Entry& entry, std::int32_t part) {
  using enum Routed::Role;
  switch (entry.routed.role) {
    case across:
    case across_back:
      return copies_across(entry.draw, part);
    case inside:
    case inside_back:
      return copies_inside(entry.draw, part);
    default:
      return loads_.counts(entry.draw).pairs;
  }
}

// Of the copies for a node's experts, those of different tokens: if a token chooses its experts
// independently, that is 1 - prod (1 - q_j) tokens for every sum q_j copies.
std::vector<std::int64_t> RoutedWork::copies_across(const ExpertLoads::Draw& draw,
                                                    std::int32_t place) {
  const std::vector<double> chosen = loads_.chosen(draw);
  const std::vector<std::int64_t>& pairs = loads_.counts(draw).pairs;
  const std::int32_t nodes = training_.nodes(), ranks = training_.parallel;
  const std::size_t of_node = chosen.size() / static_cast<std::size_t>(nodes);
  std::vector<std::int64_t> across(static_cast<std::size_t>(nodes) * nodes);
  for (std::int32_t node = 0; node < nodes; ++node) {
    double none = 1, copies = 0;
    for (std::size_t j = node * of_node; j < (node + 1) * of_node; ++j) {
      none *= 1 - chosen[j];
      copies += chosen[j];
    }
    const double different = copies > 0 ? (1 - none) / copies * limited_ : 0;
    for (std::int32_t from = 0; from < nodes; ++from) {
      const std::int32_t source = from * node_size_ + place;
      std::int64_t count = 0;
      for (std::int32_t i = 0; i < node_size_; ++i)
        count += pairs[source * ranks + node * node_size_ + i];
      across[from * nodes + node] = std::llround(static_cast<double>(count) * different);
    }
  }
  return across;
}

// What came to a rank of the node from all places like its own, to the ranks that have the experts.
std::vector<std::int64_t> RoutedWork::copies_inside(const ExpertLoads::Draw& draw,
                                                    std::int32_t node) {
  const std::vector<std::int64_t>& pairs = loads_.counts(draw).pairs;
  std::vector<std::int64_t> inside(static_cast<std::size_t>(node_size_) * node_size_);
  for (std::int32_t source = 0; source < training_.parallel; ++source)
    for (std::int32_t i = 0; i < node_size_; ++i)
      inside[source % node_size_ * node_size_ + i] +=
          pairs[source * training_.parallel + node * node_size_ + i];
  return inside;
}

}  // namespace orrery
