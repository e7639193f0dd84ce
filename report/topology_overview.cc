#include "report/topology_overview.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units/unit_text.h"
#include "report/chart/joined_boxes.h"

namespace orrery {

namespace {

// A link and the one back are one line, if equally many go back.
bool is_drawn_by_the_way_back(const EqualParts& parts, const EqualLinks& link) {
  return link.from > link.to && std::ranges::any_of(parts.links, [&](const EqualLinks& back) {
           return back.from == link.to && back.to == link.from && back.level == link.level &&
                  back.bandwidth == link.bandwidth && back.latency == link.latency &&
                  back.count == link.count;
         });
}

BoxJoin join_of(const Topology& topology, const EqualParts& parts, const EqualLinks& link) {
  const EqualNodes &from = parts.nodes[link.from], &to = parts.nodes[link.to];
  return {
      .from = static_cast<std::size_t>(link.from),
      .to = static_cast<std::size_t>(link.to),
      .colour = colour_of_network_level(static_cast<std::size_t>(link.level)),
      .text = fmt::format("{} x {}", link.count, to_text(link.bandwidth)),
      .title = fmt::format("{}: {} links of {}, {}; {} from each of {}, {} at each of {}",
                           topology.levels()[link.level].name, link.count, to_text(link.bandwidth),
                           to_text(link.latency), link.count / from.count, text_of(topology, from),
                           link.count / to.count, text_of(topology, to))};
}

}  // namespace

std::string overview_svg(const Topology& topology, const EqualParts& parts,
                         const std::string& title) {
  JoinedBoxes chart;
  chart.text = {
      "topology", title,
      fmt::format("{} NPUs and what joins them; equal nodes are one box", topology.npu_count())};
  chart.heading = title + " (equal nodes are one box)";
  for (std::size_t level = 0; level < topology.levels().size(); ++level)
    chart.legend.push_back({topology.levels()[level].name, {colour_of_network_level(level), 0}});
  for (const EqualNodes& nodes : parts.nodes)
    chart.boxes.push_back({text_of(topology, nodes), nodes.kind == NodeKind::npu});
  for (const EqualLinks& link : parts.links)
    if (!is_drawn_by_the_way_back(parts, link))
      chart.joins.push_back(join_of(topology, parts, link));
  return drawn(chart);
}

}  // namespace orrery
