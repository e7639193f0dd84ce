// An SVG picture that is part of a page. Geometry and colours are attributes, so that it shows
// where styles are forbidden. Texts are escaped here.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/chart/axis.h"
#include "report/chart/palette.h"

namespace orrery {

struct Box {
  double x, y, width, height;
};

// What a picture says to those who do not see it. `id` is of the picture in its page.
struct PictureText {
  std::string id, title, description;
};

// At most, of a text of so many characters; sans-serif of 12 pixels.
constexpr double width_of_text(std::size_t characters) {
  return 6.8 * static_cast<double>(characters);
}

class Picture {
 public:
  Picture(PictureText text, double width, double height);

  // `title`: shown under the pointer. `value`: what the mark stands for.
  void mark(const Box& box, const Paint& paint, std::string_view title, double value);
  void dot(double x, double y, const Paint& paint, std::string_view title);
  void ring(double x, double y, std::string_view title);
  void line(double x1, double y1, double x2, double y2, const char* colour, double width = 1);
  // What the page's script may redraw: an axis across, and up, with what it shows from end to end.
  void set_across(const Axis& axis, const AxisUnit& unit);
  void set_up(const Axis& axis, const AxisUnit& unit);
  // The first of cells whose colours are areas with titles, and what their rows and columns are.
  void set_cells(const Box& first, const std::vector<std::string>& rows,
                 const std::vector<std::string>& columns);
  // What is drawn in between leads to `target`; "": to nothing. Tab does not stop at it, as charts
  // have up to thousands: the table of the points leads there too.
  void begin_link(const std::string& target);
  void end_link(const std::string& target);
  // A part of the picture that the script knows by name: "across" (grid and labels), "plot"
  // (marks).
  void begin_part(const char* name);
  void end_part();

  // `outline`: the commands of a path.
  void area(const std::string& outline, const std::string& colour, std::string_view title = "");
  void stroke(const std::string& outline, const char* colour);
  // `dashes`: as SVG has them, or "none". `title` may be "".
  void path(const std::string& outline, const char* colour, const char* dashes,
            std::string_view title, double width = 2);
  void band(const std::string& outline, const char* colour);  // what is behind it shows
  void outline(const Box& box, const char* colour, double width);
  // A cross for something lost, or a ring. The script knows it by its `transform`.
  void event(double x, double y, bool is_loss, std::string_view title);
  // `anchor`: start, middle or end. At most `most` characters are shown, all under the pointer.
  void text(double x, double y, const char* anchor, std::string_view text, std::size_t most = 200);
  // A patch and its name; returns where the next one begins.
  double legend(double x, double y, const Paint& paint, std::string_view name);

  // The colours of colour_of_level() in a row, with what the lightest and the darkest stand for.
  void scale(double x, double y, std::string_view least, std::string_view most);

  std::string finish() const;

 private:
  std::string fill(const Paint& paint);

  PictureText text_;
  double width_, height_;
  std::set<std::string> hatchings_;  // definitions
  std::string marks_;
  std::string axes_;  // attributes
};

}  // namespace orrery
