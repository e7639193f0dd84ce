#include "network/link_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "network/routing/flow_hash.h"

namespace orrery {
namespace {

// Comparing so many flows takes some seconds.
constexpr std::int64_t most_flows = 1 << 23;
// So the first few are compared before all: where ways differ at all (per-flow ECMP), they do so
// among these. What is alike among all flows is alike among some of them.
constexpr std::int64_t flows_at_first[] = {1 << 10, 1 << 16, most_flows};

// Of each node, how many links it is away from the next NPU. What goes up and what goes down are
// told apart by it, as a report does, also where they carry the same.
std::vector<std::int32_t> depths(const Topology& topology) {
  const auto nodes = static_cast<std::size_t>(topology.node_count());
  std::vector<std::int32_t> depth(nodes, topology.node_count());
  std::fill_n(depth.begin(), topology.npu_count(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Link& link : topology.links()) {
      const std::int32_t here = depth[link.from.value] + 1;
      std::int32_t& there = depth[link.to.value];
      changed = changed || here < there;
      there = std::min(here, there);
    }
  }
  return depth;
}

class Comparison {
 public:
  Comparison(const Topology& topology, const Fold& fold, const FoldedTraffic& traffic,
             const CrossingsOf& crossings_of)
      : topology_(topology), fold_(fold), traffic_(traffic), crossings_of_(crossings_of) {}

  FoldAnswer compare(LinkClasses& classes);

 private:
  using Targets = std::vector<FoldedTraffic::Target>;

  // All NPUs that one representative stands for, the representative first, with their targets.
  struct Members {
    std::vector<NodeId> npus;
    std::vector<Targets> targets;
  };
  Members members_of(NodeId representative) const;
  // Calls visit(members, k) for each flow class, the k-th targets of some members, until that were
  // enough_ flows.
  template <class Visit>
  FoldAnswer for_each_class(const Visit& visit);

  void find_kinds();
  FoldAnswer compare_first(std::int64_t flows);
  FoldAnswer sign(const Members& members, std::size_t k);
  FoldAnswer check(const Members& members, std::size_t k);
  void cross(std::span<const LinkCrossing> crossings);
  bool are_known(std::span<const SharedCrossings* const> all);
  std::uint64_t trace(NodeId from, const FoldedTraffic::Target& to);
  std::uint64_t trace(std::span<const LinkCrossing> crossings) const;
  std::uint64_t trace_of(const SharedCrossings& shared);
  Digit digit_that_differs(NodeId npu, std::size_t k, std::uint64_t expected);
  void number(LinkClasses& classes) const;

  const Topology& topology_;
  const Fold& fold_;
  const FoldedTraffic& traffic_;
  const CrossingsOf& crossings_of_;
  // Of each link: what it is, and how each flow class crosses it; equal ones are of one class.
  std::vector<std::uint64_t> kinds_, signature_;
  std::vector<std::uint64_t> load_;  // of each link, by the flow class at hand
  std::vector<LinkIndex> loaded_;
  std::uint64_t flow_classes_ = 0;
  std::int64_t enough_ = 0;  // flows to compare
  bool all_compared_ = true;
  FlowCrossings crossings_;  // of the flow at hand
  // Of the flow class at hand, and digests of those of all before: looked up only.
  std::vector<const SharedCrossings*> shared_;
  std::unordered_set<std::uint64_t> known_;
  std::vector<std::optional<std::uint64_t>> traces_;  // of shared crossings, by number
};

Comparison::Members Comparison::members_of(NodeId representative) const {
  Members members;
  for (std::int32_t i = 0; i < fold_.multiplicity(); ++i) {
    std::int32_t npu = representative.value, rest = i;
    for (const Digit& digit : fold_.digits()) {
      npu += rest % digit.count * digit.stride;
      rest /= digit.count;
    }
    members.npus.push_back({npu});
    traffic_.targets({npu}, members.targets.emplace_back());
  }
  return members;
}

template <class Visit>
FoldAnswer Comparison::for_each_class(const Visit& visit) {
  const std::int32_t representatives = topology_.npu_count() / fold_.multiplicity();
  std::int64_t flows = 0;
  for (std::int32_t index = 0; index < representatives; ++index) {
    const Members members = members_of({fold_.representative_at(index)});
    const std::size_t count = members.targets.front().size();
    for (const Targets& targets : members.targets)
      CHECK(targets.size() == count, "{} targets, the representative has {}", targets.size(),
            count);
    for (std::size_t k = 0; k < count; ++k) {
      all_compared_ = flows < enough_;
      if (!all_compared_) return {};
      flows += std::ssize(members.npus);
      FoldAnswer answer = visit(members, k);
      if (!answer.folds()) return answer;
    }
  }
  return {};
}

void Comparison::find_kinds() {
  const std::vector<std::int32_t> depth = depths(topology_);
  for (const Link& link : topology_.links()) {
    std::uint64_t kind = 0;
    for (const std::int64_t one :
         {link.bandwidth.value, link.latency.value, std::int64_t{link.level},
          std::int64_t{depth[link.from.value]}, std::int64_t{depth[link.to.value]}})
      kind = mixed(kind ^ static_cast<std::uint64_t>(one));
    kinds_.push_back(kind);
  }
  load_.resize(kinds_.size());
}

FoldAnswer Comparison::compare(LinkClasses& classes) {
  find_kinds();
  for (const std::int64_t flows : flows_at_first) {
    FoldAnswer answer = compare_first(flows);
    if (!answer.folds()) return answer;
    if (all_compared_) break;
  }
  if (!all_compared_) return {"more pairs send to each other than are compared", {}};
  number(classes);
  return {};
}

FoldAnswer Comparison::compare_first(std::int64_t flows) {
  enough_ = flows;
  signature_ = kinds_;
  flow_classes_ = 0;
  known_.clear();
  traces_.clear();
  FoldAnswer answer =
      for_each_class([this](const Members& members, std::size_t k) { return sign(members, k); });
  if (!answer.folds()) return answer;
  return for_each_class(
      [this](const Members& members, std::size_t k) { return check(members, k); });
}

void Comparison::cross(std::span<const LinkCrossing> crossings) {
  for (const LinkCrossing& crossing : crossings) {
    if (load_[crossing.link] == 0) loaded_.push_back(crossing.link);
    load_[crossing.link] += mixed(crossing.way) | 1;
  }
}

// A class before had the same: links that are alike are alike with these crossings, too.
bool Comparison::are_known(std::span<const SharedCrossings* const> all) {
  std::uint64_t digest = 0;
  for (const SharedCrossings* shared : all) digest += mixed(mixed(shared->number));
  return !known_.insert(digest).second;
}

// The load of a link is a sum over flows, so their order does not matter.
FoldAnswer Comparison::sign(const Members& members, std::size_t k) {
  ++flow_classes_;
  shared_.clear();
  for (std::size_t i = 0; i < members.npus.size(); ++i) {
    crossings_.own.clear();
    crossings_.shared = nullptr;
    std::string why = crossings_of_(members.npus[i], members.targets[i][k].npu, crossings_);
    if (!why.empty()) return {std::move(why), {}};
    cross(crossings_.own);
    if (crossings_.shared != nullptr) shared_.push_back(crossings_.shared);
  }
  // Those of a part of the class count with the others of it.
  if (shared_.size() < members.npus.size() || !are_known(shared_))
    for (const SharedCrossings* shared : shared_) cross(shared->crossings);
  for (const LinkIndex link : loaded_) {
    signature_[link] = mixed(mixed(signature_[link] ^ flow_classes_) ^ load_[link]);
    load_[link] = 0;
  }
  loaded_.clear();
  return {};
}

std::uint64_t Comparison::trace(std::span<const LinkCrossing> crossings) const {
  std::uint64_t sum = 0;
  for (const LinkCrossing& crossing : crossings)
    sum += mixed(signature_[crossing.link] ^ mixed(crossing.way));
  return sum;
}

std::uint64_t Comparison::trace_of(const SharedCrossings& shared) {
  if (traces_.size() <= shared.number) traces_.resize(shared.number + 1);
  std::optional<std::uint64_t>& found = traces_[shared.number];
  if (!found) found = trace(shared.crossings);
  return *found;
}

// Which classes of links a flow crosses, and in which way: a sum again.
std::uint64_t Comparison::trace(NodeId from, const FoldedTraffic::Target& to) {
  crossings_.own.clear();
  crossings_.shared = nullptr;
  crossings_of_(from, to.npu, crossings_);
  const std::uint64_t sum = to.kind + trace(crossings_.own);
  return crossings_.shared == nullptr ? sum : sum + trace_of(*crossings_.shared);
}

FoldAnswer Comparison::check(const Members& members, std::size_t k) {
  const std::uint64_t expected = trace(members.npus[0], members.targets[0][k]);
  for (std::size_t i = 1; i < members.npus.size(); ++i) {
    const NodeId npu = members.npus[i];
    if (trace(npu, members.targets[i][k]) == expected) continue;
    return {fmt::format("the way from {} to {} is not like that from {} to {}",
                        topology_.node_name(npu), topology_.node_name(members.targets[i][k].npu),
                        topology_.node_name(members.npus[0]),
                        topology_.node_name(members.targets[0][k].npu)),
            digit_that_differs(npu, k, expected)};
  }
  return {};
}

// From the representative to the NPU, digit by digit, the innermost first.
Digit Comparison::digit_that_differs(NodeId npu, std::size_t k, std::uint64_t expected) {
  NodeId here{fold_.representative(npu.value)};
  for (const Digit& digit : fold_.digits()) {
    here.value += digit.of(npu.value) * digit.stride;
    Targets targets;
    traffic_.targets(here, targets);
    if (trace(here, targets[k]) != expected) return digit;
  }
  return fold_.digits().back();
}

void Comparison::number(LinkClasses& classes) const {
  std::unordered_map<std::uint64_t, LinkIndex> first;  // looked up only
  classes.like.resize(signature_.size());
  classes.size.assign(signature_.size(), 0);
  for (LinkIndex link = 0; link < signature_.size(); ++link) {
    classes.like[link] = first.try_emplace(signature_[link], link).first->second;
    ++classes.size[classes.like[link]];
  }
}

}  // namespace

FoldAnswer find_link_classes(const Topology& topology, const Fold& fold,
                             const FoldedTraffic& traffic, const CrossingsOf& crossings_of,
                             LinkClasses& classes) {
  return Comparison(topology, fold, traffic, crossings_of).compare(classes);
}

}  // namespace orrery
