#include "report/topology_text.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "core/units/unit_text.h"
#include "network/nic_shares.h"
#include "report/text_table.h"
#include "simulation/platform_size.h"
#include "simulation/survey/survey.h"

namespace orrery {

namespace {

// The outermost level first asks: what can an NPU send there, and how is it grouped.
std::string levels_text(const Topology& topology) {
  TextTable table({{"  level", left_aligned},
                   {"kind", left_aligned},
                   {"scope", left_aligned},
                   {"members"},
                   {"bandwidth\nper NPU"}});
  const PortSurvey ports(topology);
  for (int l = 0; l < static_cast<int>(topology.levels().size()); ++l) {
    const LevelSpec& level = topology.levels()[l];
    const Bandwidth least = ports.least(l), most = topology.injection_bandwidth(l);
    table.add_row({"  " + level.name, std::string(name_of(level.kind)),
                   std::string(name_of(level.scope)), std::to_string(level.size),
                   (least < most ? to_text(least) + " .. " : "") + to_text(most)});
  }
  return table.text();
}

std::string links_text(const Topology& topology) {
  using Kind = std::tuple<std::int32_t, NodeKind, NodeKind, Bandwidth, Duration>;
  std::map<Kind, int> count;
  for (const Link& link : topology.links())
    ++count[{link.level, topology.node_kind(link.from), topology.node_kind(link.to), link.bandwidth,
             link.latency}];
  TextTable table(
      {{"  links", left_aligned}, {"level", left_aligned}, {"number"}, {"bandwidth"}, {"latency"}});
  for (const auto& [kind, number] : count) {
    const auto& [level, from, to, bandwidth, latency] = kind;
    table.add_row({fmt::format("  {} -> {}", name_of(from), name_of(to)),
                   topology.levels()[level].name, std::to_string(number), to_text(bandwidth),
                   to_text(latency)});
  }
  return table.text();
}

std::string shared_nics_text(const Topology& topology) {
  const NicShares nics(topology);
  const int outermost = static_cast<int>(topology.levels().size()) - 1;
  const Bandwidth least = nics.least(outermost);
  if (least >= PortSurvey(topology).least(outermost)) return "";
  return fmt::format("  shared NICs       {} for each NPU of level {} while all send\n",
                     to_text(least), topology.levels()[outermost].name);
}

std::string figures_text(const Topology& topology, const InnerLinks& inner) {
  const Distances distances = survey_distances(topology);
  std::string text = fmt::format("  diameter          {}{} links between two NPUs\n",
                                 distances.exact ? "" : "at least ", distances.diameter);
  text += shared_nics_text(topology);
  if (distances.unreachable > 0) text += "  not connected     orrery topo check says what\n";
  const Bisection cut = survey_bisection(topology);
  if (!cut.known) return text + "  bisection         not computed: too many links\n";
  text += fmt::format("  bisection         {} each way, between the halves of level {}\n",
                      to_text(cut.capacity), cut.cut);
  if (cut.capacity == Bandwidth{}) return text;
  const double ratio =
      static_cast<double>(cut.injection.value) / static_cast<double>(cut.capacity.value);
  text += fmt::format("  oversubscription  {:.3g} (what half of the NPUs can send, {}, to that)\n",
                      ratio, to_text(cut.injection));
  if (inner.taper > 1.01 * ratio)
    text += fmt::format(
        "  taper             {:.3g}:1 at {} (what a switch takes from below, to what it passes on; "
        "halves of a network that is not full see less of it)\n",
        inner.taper, inner.level);
  return text;
}

}  // namespace

std::string nodes_text(const Topology& topology) {
  std::map<NodeKind, int> count;
  for (std::int32_t node = 0; node < topology.node_count(); ++node)
    ++count[topology.node_kind({node})];
  std::string text = fmt::format("{} NPUs", count[NodeKind::npu]);
  if (count[NodeKind::nic] > 0) text += fmt::format(", {} NICs", count[NodeKind::nic]);
  const std::string built = switches_in_words(topology);
  return text + fmt::format(", {} switches{}, {} links", count[NodeKind::switched],
                            built.empty() ? "" : " (" + built + ")", topology.links().size());
}

std::string topology_text(const Topology& topology, const InnerLinks& inner) {
  return fmt::format("{}\n\n{}\n{}\n{}", nodes_text(topology), levels_text(topology),
                     links_text(topology), figures_text(topology, inner));
}

}  // namespace orrery
