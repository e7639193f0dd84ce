#include "simulation/result/fault_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/units/unit_text.h"

namespace orrery {

namespace {

bool befalls_the_same(const Fault& one, const Fault& other) {
  return one.link == other.link && one.node == other.node;
}

// The same happens to the link of the other direction at the same time.
bool is_the_way_back(const Fault& one, const Fault& other, const Topology& topology) {
  if (!one.link || !other.link || one.at != other.at || one.condition != other.condition ||
      one.bandwidth != other.bandwidth)
    return false;
  const Link& to = topology.links()[*one.link];
  const Link& back = topology.links()[*other.link];
  return to.from == back.to && to.to == back.from;
}

std::string subject(const Fault& fault, bool both_ways, const Topology& topology) {
  if (fault.node) return topology.node_name(*fault.node);
  if (!both_ways) return topology.link_name(*fault.link);
  const Link& link = topology.links()[*fault.link];
  return fmt::format("{} - {}", topology.node_name(link.from), topology.node_name(link.to));
}

// "" from the start to the end.
std::string when(const Fault& fault, std::span<const Fault> faults, Duration finish) {
  std::string text;
  if (fault.at > Time{}) text = " from " + to_text(fault.at.since_start);
  const Fault* next = nullptr;
  for (const Fault& other : faults)
    if (befalls_the_same(fault, other) && other.at > fault.at &&
        (next == nullptr || other.at < next->at))
      next = &other;
  if (next != nullptr && next->at.since_start < finish)
    text += fmt::format("{} to {}", text.empty() ? " from 0 s" : "", to_text(next->at.since_start));
  return text;
}

}  // namespace

std::vector<std::string> fault_names(const NetworkSpec& spec, const Topology& topology,
                                     Duration finish) {
  std::vector<Fault> faults = spec.routing.faults;
  std::ranges::stable_sort(faults, {}, &Fault::at);
  std::vector<std::string> names;
  for (const Fault& fault : faults) {
    if (fault.condition == LinkCondition::up || fault.at.since_start >= finish) continue;
    const auto is_its_way_back = [&](const Fault& other) {
      return is_the_way_back(fault, other, topology);
    };
    const auto back = std::ranges::find_if(faults, is_its_way_back);
    const bool both_ways = back != faults.end();
    if (both_ways && *back->link < *fault.link) continue;  // it has been named
    const std::string state = fault.condition == LinkCondition::down
                                  ? "is down"
                                  : fmt::format("has {}", to_text(fault.bandwidth));
    names.push_back(fmt::format("{} {}{}", subject(fault, both_ways, topology), state,
                                when(fault, faults, finish)));
  }
  return names;
}

}  // namespace orrery
