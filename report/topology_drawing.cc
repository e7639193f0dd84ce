#include "report/topology_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/units/unit_text.h"
#include "report/chart/markup.h"
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

// Colour-blind safe: Okabe and Ito's palette.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#444444"};
const char* colour_of(std::int32_t level) { return colours[std::min(level, 6)]; }

std::string link_svg(const Topology& topology, const Layout& layout, const DrawnLink& line) {
  const Point a = layout.at(line.a), b = layout.at(line.b);
  // Two of one row, apart from neighbours, would hide each other: bend the line.
  const double along = std::hypot(b.x - a.x, b.y - a.y);
  const bool bent = (a.y == b.y && std::abs(b.x - a.x) > 70) || (a.x == b.x && along > 115);
  const double bend = bent ? 12 + along / 12 : 0;
  const Point middle{(a.x + b.x) / 2 + (a.x == b.x ? bend : 0),
                     (a.y + b.y) / 2 + (a.y == b.y ? bend : 0)};
  return fmt::format(
      "<path d=\"M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}\" stroke=\"{}\"{}>"
      "<title>{} {} {}, {}</title></path>\n",
      a.x, a.y, middle.x + (a.x == b.x ? bend : 0), middle.y + (a.y == b.y ? bend : 0), b.x, b.y,
      colour_of(line.level), line.one_way ? " stroke-dasharray=\"5 3\"" : "",
      escaped(topology.node_name(line.a)), line.one_way ? "-&gt;" : "-",
      escaped(topology.node_name(line.b)), to_text(line.bandwidth));
}

std::string node_svg(const Topology& topology, const Layout& layout, NodeId node) {
  const Point at = layout.at(node);
  const std::string name = escaped(topology.node_name(node));
  std::string shape;
  switch (topology.node_kind(node)) {
    case NodeKind::npu:
      shape = fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"26\" height=\"20\" rx=\"3\" fill=\"#fff\" "
          "stroke=\"#222\"><title>{}</title></rect><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>",
          at.x - 13, at.y - 10, name, at.x, at.y + 4, node.value);
      break;
    case NodeKind::nic:
      shape = fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"6\" fill=\"#eee\" stroke=\"#222\">"
          "<title>{}</title></circle>",
          at.x, at.y, name);
      break;
    case NodeKind::switched:
      shape = fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"28\" height=\"14\" fill=\"#222\">"
          "<title>{}</title></rect>",
          at.x - 14, at.y - 7, name);
      break;
  }
  return shape + '\n';
}

std::string legend_svg(const Topology& topology) {
  std::string legend;
  double x = 20;
  for (std::size_t l = 0; l < topology.levels().size(); ++l) {
    const std::string& name = topology.levels()[l].name;
    legend += fmt::format(
        "<path d=\"M{:.0f} 44h24\" stroke=\"{}\" stroke-width=\"3\"/><text x=\"{:.0f}\" y=\"48\" "
        "text-anchor=\"start\">{}</text>\n",
        x, colour_of(static_cast<std::int32_t>(l)), x + 30, escaped(name));
    x += 50 + 7 * static_cast<double>(name.size());
  }
  return legend;
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
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\" font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"20\" y=\"26\" text-anchor=\"start\" font-size=\"15\">{}</text>\n",
      layout.width(), layout.height(), layout.width(), layout.height(),
      escaped(title) + (has_planes ? " (of links between planes, those of a corner)" : ""));
  text += legend_svg(topology);
  text += "<g fill=\"none\" stroke-opacity=\"0.6\">\n";
  for (const DrawnLink& line : lines)
    if (!has_planes || is_drawn_of_lattice(topology, line))
      text += link_svg(topology, layout, line);
  text += "</g>\n";
  for (std::int32_t node = 0; node < topology.node_count(); ++node)
    text += node_svg(topology, layout, {node});
  return text + "</svg>\n";
}

}  // namespace orrery
