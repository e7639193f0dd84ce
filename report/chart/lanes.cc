#include "report/chart/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace orrery {

namespace {

constexpr double width = 820, left = 90, right = 20, strip = 4;
constexpr double narrowest = 0.35;  // pixels
constexpr const char* several = "several, too short to draw apart";
constexpr Paint paint_of_several{palette::compute, 3};

class Drawing {
 public:
  explicit Drawing(const LaneChart& chart)
      : chart_(chart),
        axis_{0, end_of(chart), left, width - right},
        height_(chart.lanes.size() > 24 ? 8 : 18),
        lanes_(merged()),
        legend_(legend_of_lanes()),
        top_(36 + 20 * line_of(legend_.size())),
        bottom_(top_ + (height_ + gap) * static_cast<double>(chart.lanes.size())),
        picture_(chart.text, width, bottom_ + 44) {}

  std::string draw() {
    draw_legend();
    draw_axis();
    for (std::size_t i = 0; i < lanes_.size(); i += every())
      picture_.text(left - 8, y_of(i) + std::min(13.0, height_ + 2), "end", lanes_[i].label, 12);
    picture_.begin_part("plot");
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      for (const LaneMark& mark : lanes_[i].marks) draw(lanes_[i], mark, y_of(i));
    picture_.end_part();
    return picture_.finish();
  }

 private:
  static double end_of(const LaneChart& chart) {
    double end = chart.reach;
    for (const Lane& lane : chart.lanes)
      for (const LaneMark& mark : lane.marks) end = std::max(end, mark.end);
    return end;
  }

  static double line_of(std::size_t name) {
    const std::size_t line = name / names_in_line;
    return static_cast<double>(line);
  }

  double y_of(std::size_t lane) const {
    return top_ + gap / 2 + (height_ + gap) * static_cast<double>(lane);
  }

  std::size_t every() const { return height_ < 12 ? 2 : 1; }

  // Marks in a row until they are wide enough together.
  std::vector<Lane> merged() const {
    const double pixels =
        std::max(narrowest, static_cast<double>(chart_.lanes.size()) * (width - left - right) /
                                static_cast<double>(chart_.most_marks));
    const double least = pixels * (axis_.high - axis_.low) / (axis_.end - axis_.begin);
    std::vector<Lane> lanes;
    for (const Lane& lane : chart_.lanes) {
      Lane fewer{lane.label, {}};
      for (const LaneMark& mark : lane.marks) {
        LaneMark* const before = fewer.marks.empty() ? nullptr : &fewer.marks.back();
        if (before == nullptr || before->end - before->begin >= least ||
            mark.begin - before->end >= least) {
          fewer.marks.push_back(mark);
          continue;
        }
        if (before->name != mark.name) {
          before->name = several;
          before->paint = paint_of_several;
        }
        before->waiting += mark.waiting;
        before->end = mark.end;
        before->text = before->name;
      }
      lanes.push_back(std::move(fewer));
    }
    return lanes;
  }

  std::vector<std::pair<std::string, Paint>> legend_of_lanes() const {
    std::vector<std::pair<std::string, Paint>> names;
    bool waits = false;
    for (const Lane& lane : lanes_) {
      for (const LaneMark& mark : lane.marks) {
        const auto is_it = [&](const auto& name) { return name.first == mark.name; };
        if (std::ranges::none_of(names, is_it)) names.emplace_back(mark.name, mark.paint);
        waits = waits || mark.waiting > 0;
      }
    }
    if (waits) names.emplace_back(chart_.waiting_name, Paint{palette::tensor, 0});
    return names;
  }

  void draw_legend() {
    for (std::size_t i = 0; i < legend_.size(); ++i)
      picture_.legend(10 + column * static_cast<double>(i % names_in_line), 20 + 20 * line_of(i),
                      legend_[i].second, legend_[i].first);
  }

  void draw_axis() {
    const double unit = chart_.unit.size;
    picture_.set_across(axis_, chart_.unit);
    picture_.begin_part("across");
    for (const double tick : ticks(axis_.low / unit, axis_.high / unit, 8)) {
      const double x = axis_.at(tick * unit);
      picture_.line(x, top_, x, bottom_, palette::grid);
      picture_.text(x, bottom_ + 16, "middle", fmt::format("{:g}", tick));
    }
    picture_.end_part();
    picture_.text((left + width - right) / 2, bottom_ + 36, "middle",
                  fmt::format("{} ({})", chart_.quantity, chart_.unit.name));
  }

  void draw(const Lane& lane, const LaneMark& mark, double y) {
    const double x = axis_.at(mark.begin), length = axis_.at(mark.end) - x;
    const std::string title = lane.label + ", " + mark.text;
    picture_.mark({x, y, length, height_}, mark.paint, title, mark.end - mark.begin);
    const double waits = length * mark.waiting / (mark.end - mark.begin);
    if (waits >= narrowest)
      picture_.mark({x, y + height_ - strip, waits, strip}, {palette::tensor, 0}, title,
                    mark.waiting);
  }

  static constexpr std::size_t names_in_line = 3;
  static constexpr double column = 260, gap = 4;

  const LaneChart& chart_;
  Axis axis_;
  double height_;
  std::vector<Lane> lanes_;
  std::vector<std::pair<std::string, Paint>> legend_;
  double top_, bottom_;
  Picture picture_;
};

}  // namespace

std::string drawn(const LaneChart& chart) { return Drawing(chart).draw(); }

}  // namespace orrery
