#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/units/unit_text.h"
#include "report/numbers.h"
#include "report/search_report.h"

namespace orrery {

namespace {

constexpr double width = 760, height = 480, left = 70, right = 20, top = 40, bottom = 50;

// The smallest of 1, 2, 5 times a power of ten that cuts `range` into ten parts at most.
double tick_of(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 10)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (range / (power * factor) <= 10) return power * factor;
  return power * 10;
}

// One side of the picture: values from 0 to `most` go to positions from `begin` to `end`.
struct Axis {
  double most, begin, end;
  double at(double value) const { return begin + (end - begin) * value / most; }
};

class Picture {
 public:
  explicit Picture(const SearchResult& result) : result_(result) {
    Duration slowest;
    Bytes fullest;
    for (const SearchRow& row : result.rows) {
      slowest = std::max(slowest, row.estimate);
      fullest = std::max(fullest, row.found.memory);
    }
    unit_ = common_unit(slowest);
    time_ = {amount(slowest) * 1.02, height - bottom, top};
    memory_ = {gigabytes(fullest) * 1.02, left, width - right};
  }

  std::string draw() {
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        width, height);
    draw_axes();
    draw_rows();
    draw_front();
    return svg_ + "</svg>\n";
  }

 private:
  double amount(Duration time) const {
    return static_cast<double>(time.value) / static_cast<double>(unit_.size.value);
  }
  static double gigabytes(Bytes size) { return static_cast<double>(size.value) * 1e-9; }

  void text(double x, double y, const char* anchor, const std::string& what) {
    svg_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y,
                        anchor, what);
  }
  void line(double x1, double y1, double x2, double y2) {
    svg_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", x1, y1,
        x2, y2);
  }

  void draw_axes() {
    const double step = tick_of(memory_.most), rise = tick_of(time_.most);
    for (int i = 0; i * step <= memory_.most; ++i) {
      line(memory_.at(i * step), top, memory_.at(i * step), height - bottom);
      text(memory_.at(i * step), height - bottom + 18, "middle", fmt::format("{:g}", i * step));
    }
    for (int i = 0; i * rise <= time_.most; ++i) {
      line(left, time_.at(i * rise), width - right, time_.at(i * rise));
      text(left - 6, time_.at(i * rise) + 4, "end", fmt::format("{:g}", i * rise));
    }
    text(width / 2, height - 10, "middle", "memory of a rank (GB)");
    text(left, top - 10, "start",
         fmt::format("time of an iteration ({}); grey: estimated, blue: no other beats it in both, "
                     "red: simulated",
                     unit_.name));
  }

  void dot(const SearchRow& row, Duration time, double radius, const char* colour) {
    svg_ += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"><title>{}: {}, "
        "{}</title></circle>\n",
        memory_.at(gigabytes(row.found.memory)), time_.at(amount(time)), radius, colour,
        text_of(row.found.choice, row.found.training.data), to_text(time),
        to_text(row.found.memory));
  }

  void draw_rows() {
    for (const SearchRow& row : result_.rows)
      if (!row.pareto) dot(row, row.estimate, 2, "#999");
  }

  void draw_front() {
    for (const SearchRow& row : result_.rows)
      if (row.pareto) dot(row, row.estimate, 4, "#1f6fd0");
    for (const SearchRow& row : result_.rows)
      if (row.simulated) dot(row, *row.simulated, 3, "#d03030");
  }

  const SearchResult& result_;
  TimeUnit unit_{};
  Axis time_{}, memory_{};
  std::string svg_;
};

}  // namespace

std::string search_picture(const SearchResult& result) { return Picture(result).draw(); }

}  // namespace orrery
