// A question, its answer, the chart and the table of its numbers, as HTML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/units/units.h"

namespace orrery {

struct TableCell {
  std::string text;
  std::optional<std::string> value;  // exact, for programs and for sorting; none of a text
  std::string link = {};             // relative to the page; "" = none
};
TableCell cell(const std::string& text);
TableCell cell(Duration time);
TableCell cell(Bytes size);
TableCell cell_of_share(double share);  // 0..1, as a percentage
TableCell cell_of_count(std::int64_t count);

struct FigureTable {
  std::vector<std::string> columns;
  std::vector<std::vector<TableCell>> rows;
  std::string csv;  // name of the file beside the page; "" = none
  // Of the first columns: the number of result.json that each shows, as a path; "" = none. Its
  // declaration is the tooltip of the head.
  std::vector<std::string> paths = {};
  std::vector<std::string> hints = {};  // tooltips of heads that show no such number; "" = none
  std::string cut = {};                 // why rows are missing; "" = all are there
};

struct Figure {
  std::string caption = {};  // the system, if there are several; "" = none
  std::string answer = {};   // a sentence or two, from the data
  std::string picture = {};  // "" without one
  FigureTable table = {};
  std::string note = {};  // what is not shown, and why; "" = nothing
  bool is_long = false;   // the table is folded though there is no picture
};

struct Section {
  std::string id, question;
  std::vector<Figure> figures;
};

std::string html_of(const Section& section);

}  // namespace orrery
