#include "simulation/result/level_knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/units/unit_text.h"
#include "network/nic_shares.h"

namespace orrery {

namespace {

constexpr const char* shared = "faster NICs, which several NPUs share";

double ratio(Bandwidth one, Bandwidth other) {
  return static_cast<double>(one.value) / static_cast<double>(other.value);
}

std::string more_on_port(const Topology& topology, const NicShares& nics, int level) {
  if (!nics.serves(level)) return "";
  const Bandwidth port = std::min(topology.injection_bandwidth(level), nics.alone(0));
  const Bandwidth least = nics.least(level);
  if (ratio(port, least) >= least_taper)
    return fmt::format("{} (now {:.3g}:1)", shared, ratio(port, least));
  if (nics.bus(0) < nics.part_of_nics(0))
    return fmt::format("a wider bus between NPUs and NICs (bus_bandwidth, now {})",
                       to_text(nics.bus(0)));
  return "";
}

}  // namespace

double taper_behind_nics(const Topology& topology, int level, double taper) {
  const Bandwidth together = NicShares(topology).mean(level, topology.stride(level));
  return std::max(1.0, taper / ratio(topology.injection_bandwidth(level), together));
}

std::string more_bandwidth(const Topology& topology, const std::string& level, double taper) {
  const std::size_t joint = level.find(" and ");
  const auto levels = topology.levels();
  const auto found = std::ranges::find(levels, level.substr(0, joint), &LevelSpec::name);
  if (found == levels.end()) return "more bandwidth on " + level;
  const auto index = static_cast<int>(found - levels.begin());
  if (const double behind = taper_behind_nics(topology, index, taper); behind >= least_taper)
    return fmt::format("less taper at {} (now {:.3g}:1)", level, behind);
  const std::string port = more_on_port(topology, NicShares(topology), index);
  if (port.empty()) return "more bandwidth on " + level;
  return joint == std::string::npos
             ? port
             : fmt::format("{}, and more bandwidth on {}", port, level.substr(joint + 5));
}

std::string if_shared_nic(const Topology& topology, const std::string& link) {
  const std::size_t arrow = link.find(" -> ");
  if (arrow == std::string::npos) return "";
  const std::string from = link.substr(0, arrow), to = link.substr(arrow + 4);
  const auto is_end = [&](NodeId node) {
    if (topology.node_kind(node) != NodeKind::nic) return false;
    const std::string name = topology.node_name(node);
    return name == from || name == to;
  };
  std::int32_t npus = 0;
  for (const Link& each : topology.links())
    if (topology.node_kind(each.from) == NodeKind::npu && is_end(each.to)) ++npus;
  return npus > 1 ? fmt::format("{}, or ", shared) : "";
}

}  // namespace orrery
