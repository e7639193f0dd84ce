#include <fmt/format.h>

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

SpecProblems problems_of(const FlowsSpec& flows) {
  SpecProblems problems = problems_of_sizes(flows.sizes);
  if (flows.warm_up >= flows.length)
    problems.push_back({"warm_up", "no flow starts after it", "make it shorter than `for`"});
  return problems;
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
  add_below(problems, "flows", problems_of(spec.flows));
  const Topology built(topology);
  if (spec.incast) add_below(problems, "incast", problems_of(*spec.incast, built.npu_count()));
  const FabricCapacity capacity = capacity_of(built);
  if (spec.flows.of == LoadOf::uplinks && capacity.uplinks <= 0)
    problems.push_back({"flows.of", "the platform has no links between switches",
                        "write hosts, or a platform with several switches, such as leaf_spine"});
  if (problems.empty() && expected_flows(spec, capacity) > flows_at_most)
    problems.push_back(
        {"flows.for", fmt::format("about {:.2g} flows would start", expected_flows(spec, capacity)),
         fmt::format("at most {:.0f} million are simulated: make it shorter",
                     flows_at_most / 1e6)});
  return problems;
}

}  // namespace orrery
