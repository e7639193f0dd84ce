#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/units/unit_text.h"
#include "report/chart/picture.h"
#include "report/topology_classes.h"

namespace orrery {

namespace {

constexpr double box_width = 190, box_height = 34, column_width = 270, row_height_of_classes = 120,
                 margin_of_classes = 40, head_height = 90;

// The same as of topologies that are drawn node by node: told apart by readers who confuse colours.
const char* colour_of_links(std::int32_t level) {
  static constexpr std::array colours{palette::compute,   palette::tensor,   palette::pipeline,
                                      palette::reduction, palette::exchange, palette::other,
                                      palette::idle};
  return colours[std::min<std::size_t>(static_cast<std::size_t>(level), colours.size() - 1)];
}

struct Centre {
  double x, y;
};

// Rows by the distance from NPUs.
std::vector<std::vector<std::int32_t>> rows_of_classes(const TopologyClasses& classes) {
  std::vector<bool> placed(classes.nodes.size());
  std::vector<std::vector<std::int32_t>> rows(1);
  const auto place = [&](std::int32_t number) {
    placed[number] = true;
    rows.back().push_back(number);
  };
  for (std::size_t number = 0; number < classes.nodes.size(); ++number)
    if (classes.nodes[number].kind == NodeKind::npu) place(static_cast<std::int32_t>(number));
  for (;;) {
    std::vector<std::int32_t> next;
    for (const ClassLink& link : classes.links)
      for (const auto& [near, far] : {std::pair{link.from, link.to}, {link.to, link.from}})
        if (!placed[far] && std::ranges::find(rows.back(), near) != rows.back().end())
          next.push_back(far);
    if (next.empty()) return rows;
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    rows.emplace_back();
    for (const std::int32_t number : next) place(number);
  }
}

std::string text_of_class(const Topology& topology, const NodeClass& nodes) {
  const std::string name = topology.node_name(nodes.first);
  if (nodes.count == 1) return name;
  const char* kind = nodes.kind == NodeKind::npu   ? "NPUs"
                     : nodes.kind == NodeKind::nic ? "NICs"
                                                   : "switches";
  return fmt::format("{} {}: {}, ...", nodes.count, kind, name);
}

// A link and the one back are one line, if equally many go back.
bool is_drawn_by_the_way_back(const TopologyClasses& classes, const ClassLink& link) {
  return link.from > link.to && std::ranges::any_of(classes.links, [&](const ClassLink& back) {
           return back.from == link.to && back.to == link.from && back.level == link.level &&
                  back.bandwidth == link.bandwidth && back.latency == link.latency &&
                  back.count == link.count;
         });
}

void draw_link(Picture& picture, const Topology& topology, const TopologyClasses& classes,
               const ClassLink& link, const std::vector<Centre>& at, int beside) {
  const NodeClass &from = classes.nodes[link.from], &to = classes.nodes[link.to];
  const char* colour = colour_of_links(link.level);
  const std::string what = fmt::format("{} x {}", link.count, to_text(link.bandwidth));
  const std::string title =
      fmt::format("{}: {} links of {}, {}; {} from each of {}, {} at each of {}",
                  topology.levels()[link.level].name, link.count, to_text(link.bandwidth),
                  to_text(link.latency), link.count / from.count, text_of_class(topology, from),
                  link.count / to.count, text_of_class(topology, to));
  const Centre a = at[link.from], b = at[link.to];
  if (link.from == link.to) {
    const double right = a.x + box_width / 2, reach = 26 + 14 * beside;
    picture.path(fmt::format("M{0:.1f} {1:.1f}c{2:.1f} -14 {2:.1f} 28 0 14", right, a.y - 7, reach),
                 colour, "none", title);
    picture.text(right + 4, a.y + box_height / 2 + 12 + 14 * beside, "middle", what);
    return;
  }
  const double shift = 20.0 * beside;
  const double way = b.y == a.y ? 0 : b.y < a.y ? -1 : 1;
  const double from_y = a.y + way * box_height / 2, to_y = b.y - way * box_height / 2;
  const double bend = way == 0 ? 60 + shift : 0;
  picture.path(fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", a.x + shift, from_y,
                           (a.x + b.x) / 2 + shift, (from_y + to_y) / 2 + bend, b.x + shift, to_y),
               colour, "none", title);
  const double aside = a.x == b.x ? 6 : 24;  // beside a line that slants
  picture.text((a.x + b.x) / 2 + shift + aside, (from_y + to_y) / 2 + bend / 2 + 14.0 * beside,
               "start", what);
}

void draw_legend(Picture& picture, const Topology& topology) {
  double x = margin_of_classes;
  for (std::size_t level = 0; level < topology.levels().size(); ++level)
    x = picture.legend(x, 56, {colour_of_links(static_cast<std::int32_t>(level)), 0},
                       topology.levels()[level].name);
}

void draw_links(Picture& picture, const Topology& topology, const TopologyClasses& classes,
                const std::vector<Centre>& at) {
  std::pair<std::int32_t, std::int32_t> last{-1, -1};
  int beside = 0;
  for (const ClassLink& link : classes.links) {
    if (is_drawn_by_the_way_back(classes, link)) continue;
    const std::pair ends = std::minmax({link.from, link.to});
    const std::pair<std::int32_t, std::int32_t> pair{ends.first, ends.second};
    beside = pair == last ? beside + 1 : 0;
    last = pair;
    draw_link(picture, topology, classes, link, at, beside);
  }
}

}  // namespace

std::string classes_svg(const Topology& topology, const TopologyClasses& classes,
                        const std::string& title) {
  const std::vector<std::vector<std::int32_t>> rows = rows_of_classes(classes);
  std::size_t widest = 2;
  for (const std::vector<std::int32_t>& row : rows) widest = std::max(widest, row.size());
  const double width = 2 * margin_of_classes + column_width * static_cast<double>(widest);
  const double height = head_height + row_height_of_classes * static_cast<double>(rows.size());
  Picture picture(
      {"topology", title,
       fmt::format("{} NPUs and what joins them; equal nodes are one box", topology.npu_count())},
      width, height);
  picture.text(margin_of_classes, 28, "start", title + " (equal nodes are one box)");
  draw_legend(picture, topology);
  std::vector<Centre> at(classes.nodes.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t i = 0; i < rows[row].size(); ++i)
      at[rows[row][i]] = {
          width * (static_cast<double>(i) + 0.5) / static_cast<double>(rows[row].size()),
          height - row_height_of_classes * (static_cast<double>(row) + 0.5)};
  draw_links(picture, topology, classes, at);
  for (std::size_t i = 0; i < classes.nodes.size(); ++i) {
    const std::string outline =
        fmt::format("M{:.1f} {:.1f}h{}v{}h-{}z", at[i].x - box_width / 2, at[i].y - box_height / 2,
                    box_width, box_height, box_width);
    picture.area(outline, palette::ground);
    picture.stroke(outline, palette::ink);
    picture.text(at[i].x, at[i].y + 4, "middle", text_of_class(topology, classes.nodes[i]), 28);
  }
  return picture.finish();
}

}  // namespace orrery
