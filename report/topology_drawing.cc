#include "report/topology_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/picture.h"
#include "report/topology_overview.h"

namespace orrery {
namespace {

struct DrawnLink {  // a link and the one back, if there is an equal one
  NodeId a, b;
  std::int32_t level;
  Bandwidth bandwidth;
  bool one_way;
};

std::vector<DrawnLink> lines_of(const Topology& topology) {
  std::map<std::tuple<NodeId, NodeId, Bandwidth, Duration>, std::vector<std::size_t>> waiting;
  std::vector<DrawnLink> lines;
  for (const Link& link : topology.links()) {
    auto& back = waiting[{link.to, link.from, link.bandwidth, link.latency}];
    if (!back.empty()) {
      lines[back.back()].one_way = false;
      back.pop_back();
      continue;
    }
    waiting[{link.from, link.to, link.bandwidth, link.latency}].push_back(lines.size());
    lines.push_back({link.from, link.to, link.level, link.bandwidth, true});
  }
  return lines;
}

struct Point {
  double x = 0, y = 0;
};

// Rows by the distance from the nearest NPU; inside a row, above the middle of what hangs below.
class Layout {
 public:
  explicit Layout(const Topology& topology, const std::vector<DrawnLink>& lines)
      : topology_(topology), at_(static_cast<std::size_t>(topology.node_count())) {
    find_rows(lines);
    place_npus();
    for (std::size_t row = 1; row < rows_.size(); ++row) place_row(row, lines);
  }

  Point at(NodeId node) const { return at_[node.value]; }
  double width() const { return width_; }
  double height() const { return y_of(0) + 60 + grid_height_; }
  bool grid() const { return rows_.size() == 1; }

 private:
  static constexpr double step = 34, row_height = 110, margin = 60;

  double y_of(std::size_t row) const {
    return 70 + row_height * static_cast<double>(rows_.size() - 1 - row);
  }

  void find_rows(const std::vector<DrawnLink>& lines) {
    row_.assign(at_.size(), -1);
    rows_.emplace_back();
    for (std::int32_t npu = 0; npu < topology_.npu_count(); ++npu) {
      row_[npu] = 0;
      rows_[0].push_back({npu});
    }
    for (bool more = true; more;) {
      std::vector<NodeId> next;
      for (const DrawnLink& line : lines)
        for (const auto& [node, other] : {std::pair{line.a, line.b}, {line.b, line.a}})
          if (row_[node.value] < 0 && row_[other.value] == static_cast<int>(rows_.size()) - 1) {
            row_[node.value] = static_cast<int>(rows_.size());
            next.push_back(node);
          }
      more = !next.empty();
      std::sort(next.begin(), next.end());
      if (more) rows_.push_back(std::move(next));
    }
  }

  // In a row, with gaps between groups. Without switches: planes of the first two dimensions, about
  // as many beside each other as below.
  void place_npus() {
    if (grid() && topology_.levels().size() > 1)
      place_lattice();
    else
      place_in_a_row();
    width_ = std::max(width_, 480.0);
  }

  void place_in_a_row() {
    double x = margin;
    for (std::int32_t npu = 0; npu < topology_.npu_count(); ++npu) {
      for (std::size_t l = 1; npu > 0 && l < topology_.levels().size(); ++l)
        if (npu % topology_.stride(static_cast<int>(l)) == 0) x += 10;
      at_[npu] = {x, y_of(0)};
      x += step;
      width_ = std::max(width_, x + margin - step);
    }
  }

  void place_lattice() {
    constexpr double pitch = 2 * step;
    const std::int32_t npus = topology_.npu_count(), across = topology_.stride(1);
    const std::int32_t of_plane = topology_.levels().size() > 2 ? topology_.stride(2) : npus;
    const std::int32_t down = of_plane / across, planes = npus / of_plane;
    const double plane_width = pitch * across, plane_height = pitch * down;
    const std::int32_t beside = std::clamp(
        static_cast<std::int32_t>(std::lround(std::sqrt(planes * plane_height / plane_width))), 1,
        planes);
    for (std::int32_t npu = 0; npu < npus; ++npu) {
      const std::int32_t plane = npu / of_plane, inside = npu % of_plane;
      const std::int32_t plane_row = plane / beside, row = inside / across;
      const Point corner{(plane % beside) * (plane_width + step),
                         plane_row * (plane_height + step)};
      const Point offset{corner.x + pitch * (inside % across), corner.y + pitch * row};
      at_[npu] = {margin + offset.x, y_of(0) + offset.y};
      width_ = std::max(width_, at_[npu].x + margin);
      grid_height_ = std::max(grid_height_, offset.y);
    }
  }

  void place_row(std::size_t row, const std::vector<DrawnLink>& lines) {
    std::vector<double> sum(at_.size());
    std::vector<int> count(at_.size());
    for (const DrawnLink& line : lines)
      for (const auto& [node, other] : {std::pair{line.a, line.b}, {line.b, line.a}})
        if (row_[node.value] == static_cast<int>(row) &&
            row_[other.value] == static_cast<int>(row) - 1) {
          sum[node.value] += at(other).x;
          ++count[node.value];
        }
    std::vector<NodeId>& nodes = rows_[row];
    for (const NodeId node : nodes) at_[node.value].x = sum[node.value] / count[node.value];
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](NodeId a, NodeId b) { return at(a).x < at(b).x; });
    // Where they crowd, the row is spread evenly.
    double nearest = step;
    for (std::size_t i = 1; i < nodes.size(); ++i)
      nearest = std::min(nearest, at(nodes[i]).x - at(nodes[i - 1]).x);
    width_ = std::max(width_, 2 * margin + step * static_cast<double>(nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Point& point = at_[nodes[i].value];
      if (nearest < step)
        point.x = width_ * (static_cast<double>(i) + 0.5) / static_cast<double>(nodes.size());
      point.y = y_of(row);
    }
  }

  const Topology& topology_;
  std::vector<Point> at_;
  std::vector<int> row_;
  std::vector<std::vector<NodeId>> rows_;
  double width_ = 0, grid_height_ = 0;
};

const char* colour_of(std::int32_t level) {
  return colour_of_network_level(static_cast<std::size_t>(level));
}

void draw_link(Picture& picture, const Topology& topology, const Layout& layout,
               const DrawnLink& line) {
  const Point a = layout.at(line.a), b = layout.at(line.b);
  // Two of one row, apart from neighbours, would hide each other: bend the line.
  const double along = std::hypot(b.x - a.x, b.y - a.y);
  const bool bent = (a.y == b.y && std::abs(b.x - a.x) > 70) || (a.x == b.x && along > 115);
  const double bend = bent ? 12 + along / 12 : 0;
  const Point middle{(a.x + b.x) / 2 + (a.x == b.x ? bend : 0),
                     (a.y + b.y) / 2 + (a.y == b.y ? bend : 0)};
  picture.path(
      fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", a.x, a.y,
                  middle.x + (a.x == b.x ? bend : 0), middle.y + (a.y == b.y ? bend : 0), b.x, b.y),
      colour_of(line.level), line.one_way ? "5 3" : "none",
      fmt::format("{} {} {}, {}", topology.node_name(line.a), line.one_way ? "->" : "-",
                  topology.node_name(line.b), to_text(line.bandwidth)),
      1);
}

void draw_node(Picture& picture, const Topology& topology, const Layout& layout, NodeId node) {
  const Point at = layout.at(node);
  const std::string name = topology.node_name(node);
  const auto draw_outline = [&](const std::string& outline) {
    picture.area(outline, palette::ground);
    picture.path(outline, palette::ink, "none", name, 1);
  };
  switch (topology.node_kind(node)) {
    case NodeKind::npu:
      draw_outline(fmt::format("M{:.1f} {:.1f}h26v20h-26z", at.x - 13, at.y - 10));
      picture.text(at.x, at.y + 4, "middle", fmt::format("{}", node.value));
      break;
    case NodeKind::nic:
      draw_outline(fmt::format("M{:.1f} {:.1f}a6 6 0 1 0 12 0a6 6 0 1 0 -12 0z", at.x - 6, at.y));
      break;
    case NodeKind::switched:
      picture.path(fmt::format("M{:.1f} {:.1f}h28", at.x - 14, at.y), palette::ink, "none", name,
                   14);
      break;
  }
}

void draw_legend(Picture& picture, const Topology& topology) {
  double x = 20;
  for (std::size_t level = 0; level < topology.levels().size(); ++level)
    x = picture.legend(x, 48, {colour_of_network_level(level), 0}, topology.levels()[level].name);
}

// Links between planes hide everything: those of the first NPU of each stand for all.
bool is_drawn_of_lattice(const Topology& topology, const DrawnLink& line) {
  if (line.level < 2) return true;
  return line.a.value % topology.stride(2) == 0;
}

}  // namespace

std::string dot_text(const Topology& topology) {
  std::string text = "graph topology {\n  node [fontname=\"sans-serif\"];\n";
  for (std::int32_t node = 0; node < topology.node_count(); ++node) {
    static constexpr const char* shapes[] = {"box", "circle", "box3d"};
    text += fmt::format("  n{} [label=\"{}\", shape={}];\n", node, topology.node_name({node}),
                        shapes[static_cast<int>(topology.node_kind({node}))]);
  }
  for (const DrawnLink& line : lines_of(topology))
    text += fmt::format("  n{} -- n{} [label=\"{}\", color=\"{}\"{}];\n", line.a.value,
                        line.b.value, to_text(line.bandwidth), colour_of(line.level),
                        line.one_way ? ", dir=forward" : "");
  return text + "}\n";
}

std::string svg_text(const Topology& topology, const std::string& title) {
  const bool is_large = topology.npu_count() > most_npus_drawn_alone;
  const bool lattice =
      topology.node_count() == topology.npu_count() && topology.levels().size() > 1;
  if (is_large && !lattice) {
    const EqualParts parts = equal_parts(topology);
    if (static_cast<int>(parts.nodes.size()) <= most_npus_drawn_alone)
      return overview_svg(topology, parts, title);
  }
  const std::vector<DrawnLink> lines = lines_of(topology);
  const Layout layout(topology, lines);
  const bool has_planes = is_large && lattice && topology.levels().size() > 2;
  Picture picture(
      {"topology", title, fmt::format("{} NPUs and what joins them", topology.npu_count())},
      layout.width(), layout.height());
  picture.text(20, 26, "start",
               title + (has_planes ? " (of links between planes, those of a corner)" : ""));
  draw_legend(picture, topology);
  for (const DrawnLink& line : lines)
    if (!has_planes || is_drawn_of_lattice(topology, line))
      draw_link(picture, topology, layout, line);
  for (std::int32_t node = 0; node < topology.node_count(); ++node)
    draw_node(picture, topology, layout, {node});
  return picture.finish();
}

}  // namespace orrery
