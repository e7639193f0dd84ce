#include "simulation/survey/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/units/unit_text.h"
#include "network/maximum_flow.h"
#include "network/nic_shares.h"

namespace orrery {
namespace {

// Links of the shortest way from one node to all, -1 where there is none; NPUs pass nothing on
// unless the topology says so.
class Search {
 public:
  explicit Search(const Topology& topology) : topology_(topology) {
    first_.resize(static_cast<std::size_t>(topology.node_count()) + 1);
    for (const Link& link : topology.links()) ++first_[link.from.value + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    to_.resize(topology.links().size());
    std::vector<std::size_t> next(first_);
    for (const Link& link : topology.links()) to_[next[link.from.value]++] = link.to.value;
  }

  const std::vector<std::int32_t>& from(NodeId source) {
    distance_.assign(static_cast<std::size_t>(topology_.node_count()), -1);
    distance_[source.value] = 0;
    queue_.assign(1, source.value);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const std::int32_t here = queue_[i];
      if (i > 0 && !topology_.forwards({here})) continue;
      for (std::size_t e = first_[here]; e < first_[here + 1]; ++e) {
        if (distance_[to_[e]] >= 0) continue;
        distance_[to_[e]] = distance_[here] + 1;
        queue_.push_back(to_[e]);
      }
    }
    return distance_;
  }

 private:
  const Topology& topology_;
  std::vector<std::size_t> first_;
  std::vector<std::int32_t> to_, distance_, queue_;
};

// Of an NPU among those that have its coordinates outside `level`, outer coordinates first: so the
// first half of an odd number of groups ends in the middle of a group. Where there are an odd
// number of them, among all NPUs, by the coordinate of `level` first.
std::int64_t place_in_block(const Topology& topology, NodeId npu, int level, bool among_all) {
  std::int64_t place = among_all ? topology.coordinate(npu, level) : 0;
  for (int other = static_cast<int>(topology.levels().size()) - 1; among_all && other >= 0; --other)
    if (other != level)
      place = place * topology.levels()[other].size + topology.coordinate(npu, other);
  if (among_all) return place;
  for (int inner = level; inner >= 0; --inner)
    place = place * topology.levels()[inner].size + topology.coordinate(npu, inner);
  return place;
}

}  // namespace

Distances survey_distances(const Topology& topology) {
  constexpr std::size_t most_steps = 500'000'000;
  Search search(topology);
  Distances result;
  const auto npus = static_cast<std::size_t>(topology.npu_count());
  const std::size_t affordable = most_steps / (topology.links().size() + npus);
  const std::size_t looks = std::clamp<std::size_t>(affordable, 1, npus);
  result.exact = looks == npus;
  for (std::size_t i = 0; i < looks; ++i) {
    const NodeId source{static_cast<std::int32_t>(i * npus / looks)};
    const std::vector<std::int32_t>& distance = search.from(source);
    for (std::int32_t target = 0; target < topology.npu_count(); ++target) {
      result.diameter = std::max(result.diameter, distance[target]);
      if (distance[target] >= 0) continue;
      if (result.unreachable++ == 0) {
        result.from = source;
        result.to = {target};
      }
    }
  }
  return result;
}

PortSurvey::PortSurvey(const Topology& topology)
    : topology_(topology), own_(static_cast<std::size_t>(topology.npu_count())) {
  for (const Link& link : topology.links())
    if (link.from.value < topology.npu_count()) own_[link.from.value] += link.bandwidth;
}

Bandwidth PortSurvey::at(std::int32_t npu, int level) const {
  return std::min(topology_.injection_bandwidth(level), own_[static_cast<std::size_t>(npu)]);
}

Bandwidth PortSurvey::least(int level) const {
  return std::min(topology_.injection_bandwidth(level), *std::ranges::min_element(own_));
}

Bisection survey_bisection(const Topology& topology) {
  constexpr std::size_t most_links = 150'000;
  Bisection best;
  if (topology.links().size() > most_links) return best;
  const int levels = static_cast<int>(topology.levels().size());
  const PortSurvey ports(topology);
  const NicShares nics(topology);
  std::int64_t block = 1;
  for (int level = 0; level < levels; ++level) {
    block *= topology.levels()[level].size;
    // Inner levels of an odd number of NPUs have no middle: all NPUs are cut, at worst with one
    // more on one side.
    const bool among_all = block % 2 != 0;
    const std::int64_t half = (among_all ? topology.npu_count() : block) / 2;
    Bandwidth injection;
    MaximumFlow flow(static_cast<std::size_t>(topology.node_count()) + 2);
    const auto source = static_cast<std::size_t>(topology.node_count()), sink = source + 1;
    constexpr std::int64_t unlimited = std::int64_t{1} << 60;
    for (std::int32_t npu = 0; npu < topology.npu_count(); ++npu) {
      const bool first = place_in_block(topology, {npu}, level, among_all) < half;
      if (first) injection += std::min(ports.at(npu, level), nics.at(npu, level));
      if (first)
        flow.add(source, static_cast<std::size_t>(npu), unlimited);
      else
        flow.add(static_cast<std::size_t>(npu), sink, unlimited);
    }
    for (const Link& link : topology.links())
      flow.add(static_cast<std::size_t>(link.from.value), static_cast<std::size_t>(link.to.value),
               link.bandwidth.value);
    const Bandwidth capacity{flow.maximum(source, sink)};
    if (best.known && capacity >= best.capacity) continue;
    best = {capacity, injection, topology.levels()[level].name, true};
  }
  return best;
}

std::vector<std::string> find_suspicions(const Topology& topology) {
  std::vector<std::string> found;
  std::map<std::pair<NodeId, NodeId>, std::int64_t> capacity;
  std::vector<int> links_of(static_cast<std::size_t>(topology.node_count()));
  std::vector<bool> has_nic(static_cast<std::size_t>(topology.npu_count()));
  bool any_nic = false;
  for (const Link& link : topology.links()) {
    capacity[{link.from, link.to}] += link.bandwidth.value;
    ++links_of[link.from.value];
    if (link.from.value < topology.npu_count() && topology.node_kind(link.to) == NodeKind::nic)
      any_nic = has_nic[link.from.value] = true;
  }
  const auto report = [&](std::size_t count, const std::string& first, const char* what) {
    if (count == 0) return;
    found.push_back(fmt::format("{}{} {}", first,
                                count > 1 ? fmt::format(" and {} more", count - 1) : "", what));
  };
  std::size_t asymmetric = 0;
  std::string first;
  for (const auto& [ends, sum] : capacity) {
    const auto back = capacity.find({ends.second, ends.first});
    if (back != capacity.end() && back->second == sum) continue;
    if (asymmetric++ == 0)
      first = topology.node_name(ends.first) + " -> " + topology.node_name(ends.second);
  }
  report(asymmetric, first, "without an equal link back");
  std::size_t alone = 0, ends = 0, bare = 0;
  std::string first_alone, first_end, first_bare;
  for (std::int32_t node = 0; node < topology.node_count(); ++node) {
    const std::string name = topology.node_name({node});
    if (links_of[node] == 0 && alone++ == 0) first_alone = name;
    if (node >= topology.npu_count() && links_of[node] == 1 && ends++ == 0) first_end = name;
    if (node < topology.npu_count() && any_nic && !has_nic[node] && bare++ == 0) first_bare = name;
  }
  report(alone, first_alone, "without a link out");
  report(ends, first_end, "with one link only, a dead end");
  report(bare, first_bare, "without a NIC, which other NPUs have");
  const Distances distances = survey_distances(topology);
  if (distances.unreachable > 0)
    found.push_back(fmt::format("no path from {} to {}, nor between {} more pairs of NPUs{}",
                                topology.node_name(distances.from),
                                topology.node_name(distances.to), distances.unreachable - 1,
                                distances.exact ? "" : " (not all looked at)"));
  return found;
}

}  // namespace orrery
