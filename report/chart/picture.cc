#include "report/chart/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/chart/markup.h"

namespace orrery {

namespace {

constexpr std::size_t most_title = 300;  // characters

std::string title_of(std::string_view text) { return escaped(shortened(text, most_title)); }

// "" if there is none.
std::string title_element(std::string_view text) {
  return text.empty() ? "" : fmt::format("<title>{}</title>", title_of(text));
}

// As an attribute holds them: a line each. A name that has lines itself is made one.
std::string lines_of(const std::vector<std::string>& names) {
  constexpr std::size_t most_name = 60;
  std::string lines;
  for (std::string name : names) {
    std::ranges::replace(name, '\n', ' ');
    lines += (lines.empty() ? "" : "&#10;") + escaped(shortened(name, most_name));
  }
  return lines;
}

}  // namespace

Picture::Picture(PictureText text, double width, double height)
    : text_(std::move(text)), width_(width), height_(height) {}

void Picture::mark(const Box& box, const Paint& paint, std::string_view title, double value) {
  marks_ += fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\" "
      "data-value=\"{}\"><title>{}</title></rect>\n",
      box.x, box.y, box.width, box.height, fill(paint), value, title_of(title));
}

void Picture::dot(double x, double y, const Paint& paint, std::string_view title) {
  marks_ += fmt::format(
      "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4.5\" fill=\"{}\"><title>{}</title></circle>\n", x,
      y, paint.colour, title_of(title));
}

void Picture::ring(double x, double y, std::string_view title) {
  marks_ += fmt::format(
      "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4\" fill=\"none\" stroke=\"{}\"><title>{}</title>"
      "</circle>\n",
      x, y, palette::ink, title_of(title));
}

void Picture::line(double x1, double y1, double x2, double y2, const char* colour, double width) {
  marks_ += fmt::format(
      "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" "
      "stroke-width=\"{}\"/>\n",
      x1, y1, x2, y2, colour, width);
}

void Picture::set_across(const Axis& axis, const AxisUnit& unit) {
  axes_ += fmt::format(" data-across=\"{:g} {:g} {:g} {:g} {}\"", axis.begin, axis.end,
                       axis.low / unit.size, axis.high / unit.size, unit.name);
}

void Picture::set_up(const Axis& axis, const AxisUnit& unit) {
  axes_ += fmt::format(" data-up=\"{:g} {:g} {:g} {:g} {}\"", axis.end, axis.begin,
                       axis.high / unit.size, axis.low / unit.size, unit.name);
}

void Picture::set_cells(const Box& first, const std::vector<std::string>& rows,
                        const std::vector<std::string>& columns) {
  axes_ +=
      fmt::format(" data-cells=\"{:g} {:g} {:g} {:g}\" data-rows=\"{}\" data-columns=\"{}\"",
                  first.x, first.y, first.width, first.height, lines_of(rows), lines_of(columns));
}

void Picture::begin_part(const char* name) {
  marks_ += fmt::format("<g data-part=\"{}\">\n", name);
}

void Picture::end_part() { marks_ += "</g>\n"; }

void Picture::begin_link(const std::string& target) {
  if (!target.empty()) marks_ += fmt::format("<a href=\"{}\" tabindex=\"-1\">", escaped(target));
}

void Picture::end_link(const std::string& target) {
  if (!target.empty()) marks_ += "</a>\n";
}

void Picture::area(const std::string& outline, const std::string& colour, std::string_view title) {
  marks_ += fmt::format("<path d=\"{}\" fill=\"{}\"", outline, colour);
  marks_ += title.empty() ? "/>\n" : fmt::format(">{}</path>\n", title_element(title));
}

void Picture::stroke(const std::string& outline, const char* colour) {
  marks_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
                        outline, colour);
}

void Picture::path(const std::string& outline, const char* colour, const char* dashes,
                   std::string_view title, double width) {
  marks_ += fmt::format(
      "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.3g}\" "
      "stroke-dasharray=\"{}\">{}</path>\n",
      outline, colour, width, dashes, title_element(title));
}

void Picture::band(const std::string& outline, const char* colour) {
  marks_ += fmt::format("<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.2\"/>\n", outline, colour);
}

void Picture::outline(const Box& box, const char* colour, double width) {
  marks_ += fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" "
      "stroke=\"{}\" stroke-width=\"{}\"/>\n",
      box.x, box.y, box.width, box.height, colour, width);
}

void Picture::event(double x, double y, bool is_loss, std::string_view title) {
  marks_ += fmt::format(
      "<path d=\"{}\" transform=\"translate({:.2f} {:.2f})\" fill=\"none\" stroke=\"{}\" "
      "stroke-width=\"1.5\">{}</path>\n",
      is_loss ? "M-4 -4L4 4M-4 4L4 -4" : "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", x, y, palette::ink,
      title_element(title));
}

void Picture::text(double x, double y, const char* anchor, std::string_view text,
                   std::size_t most) {
  const std::string shown = shortened(text, most);
  const std::string title = shown == text ? "" : fmt::format("<title>{}</title>", escaped(text));
  marks_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}{}</text>\n", x, y,
                        anchor, escaped(shown), title);
}

double Picture::legend(double x, double y, const Paint& paint, std::string_view name) {
  constexpr std::size_t most = 30;
  marks_ +=
      fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"14\" height=\"12\" fill=\"{}\"/>\n", x,
                  y - 10, fill(paint));
  text(x + 18, y, "start", name, most);
  return x + 34 + width_of_text(std::min(name.size(), most));
}

void Picture::scale(double x, double y, std::string_view least, std::string_view most) {
  constexpr double step = 10;
  text(x - 6, y, "end", least);
  for (int level = 0; level < cell_levels; ++level)
    area(fmt::format("M{:.0f} {:.0f}h{:.0f}v12h{:.0f}z", x + step * level, y - 10, step, -step),
         colour_of_level(level));
  text(x + step * cell_levels + 6, y, "start", most);
}

// A hatched colour is defined once in a picture, under a name that no other picture has.
std::string Picture::fill(const Paint& paint) {
  if (paint.hatching == 0) return paint.colour;
  const int angle = paint.hatching == 1 ? 45 : paint.hatching == 2 ? 135 : 90;
  const std::string name = fmt::format("{}-{}-{}", text_.id, paint.colour + 1, paint.hatching);
  hatchings_.insert(
      fmt::format("<pattern id=\"{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
                  "patternTransform=\"rotate({})\"><rect width=\"6\" height=\"6\" fill=\"{}\"/>"
                  "<rect width=\"1.5\" height=\"6\" fill=\"{}\"/></pattern>\n",
                  name, angle, paint.colour, palette::ground));
  return fmt::format("url(#{})", name);
}

std::string Picture::finish() const {
  std::string definitions;
  for (const std::string& hatching : hatchings_) definitions += hatching;
  if (!definitions.empty()) definitions = "<defs>\n" + definitions + "</defs>\n";
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" id=\"{0}\" "
      "aria-labelledby=\"{0}-title {0}-desc\" viewBox=\"0 0 {1} {2}\" width=\"{1}\" "
      "height=\"{2}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"{3}\"{9}>\n"
      "<title id=\"{0}-title\">{4}</title>\n<desc id=\"{0}-desc\">{5}</desc>\n{6}"
      "<path d=\"M0 0H{1}V{2}H0z\" fill=\"{7}\"/>\n{8}</svg>\n",
      text_.id, width_, height_, palette::ink, escaped(text_.title), escaped(text_.description),
      definitions, palette::ground, marks_, axes_);
}

}  // namespace orrery
