#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "simulation/traffic/flows.h"
#include "simulation/traffic_spec.h"

namespace orrery {

namespace {

constexpr double flows_at_most = 20e6;  // 48 bytes each

SpecProblems problems_of_sizes(const std::vector<SizePoint>& sizes) {
  if (sizes.empty())
    return {{"sizes", "there are no sizes", "name a distribution, or list points"}};
  for (std::size_t i = 1; i < sizes.size(); ++i)
    if (sizes[i].size < sizes[i - 1].size || sizes[i].share < sizes[i - 1].share)
      return {{item_key("sizes", i), "it is below the point before it",
               "order the points by size; shares are cumulative"}};
  if (sizes.back().share != 1)
    return {{item_key("sizes", sizes.size() - 1),
             fmt::format("the shares end at {}", sizes.back().share.part),
             "the last point has the cumulative share 1"}};
  if (sizes.back().size == Bytes{})
    return {{item_key("sizes", sizes.size() - 1), "all flows are empty", "write a size"}};
  return {};
}

// Up to two digits that are not 0: times that one can read.
Duration rounded_up(double seconds) {
  const double picoseconds_of = std::max(seconds * 1e12, 1.0);
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(picoseconds_of)) - 1));
  return picoseconds(std::llround(std::ceil(picoseconds_of / unit) * unit));
}

SpecProblems problems_of_times(const TrafficSpec& spec, const Topology& topology) {
  const FabricCapacity capacity = capacity_of(topology);
  const double a_second = flows_a_second(spec, capacity);
  if (a_second <= 0) return {{"flows.load", "no flow would start", "write a load above 0"}};
  TrafficSpec chosen = spec;
  choose_open_times(chosen, topology);
  const double flows = a_second * static_cast<double>(chosen.flows.length->value) * 1e-12;
  if (*chosen.flows.warm_up >= *chosen.flows.length)
    return {{"flows.warm_up", "no flow starts after it", "make it shorter than `for`"}};
  if (flows <= flows_at_most) return {};
  return {
      {"flows.for", fmt::format("about {:.2g} flows would start", flows),
       fmt::format("at most {:.0f} million are simulated: make it shorter", flows_at_most / 1e6)}};
}

SpecProblems problems_of(const IncastSpec& incast, std::int32_t npus) {
  if (incast.senders < npus) return {};
  return {{"senders",
           fmt::format("{} senders and a receiver are more than {} NPUs", incast.senders, npus),
           fmt::format("write {} or less", npus - 1)}};
}

}  // namespace

SpecProblems problems_of(const TrafficSpec& spec, const TopologySpec& topology) {
  SpecProblems problems;
  add_below(problems, "flows", problems_of_sizes(spec.flows.sizes));
  const Topology built(topology);
  if (spec.incast) add_below(problems, "incast", problems_of(*spec.incast, built.npu_count()));
  const FabricCapacity capacity = capacity_of(built);
  if (spec.flows.at_once && spec.incast)
    problems.push_back({"incast", "it has a load, and flows that start at once have none",
                        "leave it out, or write traffic.flows.load"});
  if (spec.flows.of == LoadOf::uplinks && capacity.uplinks <= 0)
    problems.push_back({"flows.of", "the platform has no links between switches",
                        "write hosts, or a platform with several switches, such as leaf_spine"});
  return problems.empty() ? problems_of_times(spec, built) : problems;
}

void choose_open_times(TrafficSpec& spec, const Topology& topology) {
  constexpr double enough_flows = 10'000, largest_flows = 10;
  FlowsSpec& flows = spec.flows;
  if (flows.at_once) {
    const double seconds =
        mean_size(flows.sizes) * topology.npu_count() / capacity_of(topology).hosts;
    flows.length = picoseconds(std::max<std::int64_t>(1, std::llround(seconds * 1e12)));
    flows.warm_up = Duration{};
    return;
  }
  if (!flows.length) {
    const FabricCapacity capacity = capacity_of(topology);
    auto largest = static_cast<double>(flows.sizes.back().size.value);
    if (spec.incast) largest = std::max(largest, static_cast<double>(spec.incast->size.value));
    const double seconds = std::max(enough_flows / flows_a_second(spec, capacity),
                                    largest_flows * largest / capacity.host);
    flows.length = rounded_up(std::min(seconds, 1e6));
  }
  if (!flows.warm_up) flows.warm_up = picoseconds(flows.length->value / 10);
}

}  // namespace orrery
