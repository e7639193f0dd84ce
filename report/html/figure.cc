#include "report/html/figure.h"

#include <fmt/format.h>

#include "core/units/unit_text.h"
#include "report/chart/markup.h"
#include "report/result_path.h"

namespace orrery {

namespace {

constexpr std::size_t most_text = 400;     // of one cell
constexpr std::size_t most_printed = 100;  // rows of a table on paper

std::string html_of(const TableCell& cell, bool is_head) {
  std::string text = escaped(shortened(cell.text, most_text));
  if (!cell.link.empty()) text = fmt::format("<a href=\"{}\">{}</a>", escaped(cell.link), text);
  if (is_head) return fmt::format("<th scope=\"row\">{}</th>", text);
  if (!cell.value) return fmt::format("<td>{}</td>", text);
  return fmt::format("<td class=\"n\"><data value=\"{}\">{}</data></td>", *cell.value, text);
}

std::string html_of(const FigureTable& table) {
  std::string html = "<table>\n<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::string meaning = i < table.hints.size() ? table.hints[i] : "";
    if (i < table.paths.size() && !table.paths[i].empty())
      meaning = description_of_path(table.paths[i]);
    html += fmt::format("<th scope=\"col\"{}>{}</th>",
                        meaning.empty() ? "" : fmt::format(" title=\"{}\"", escaped(meaning)),
                        escaped(table.columns[i]));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<TableCell>& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) html += html_of(row[i], i == 0);
    html += "</tr>\n";
  }
  html += "</tbody>\n</table>\n";
  if (!table.cut.empty()) html += fmt::format("<p class=\"note\">{}</p>\n", table.cut);
  if (!table.csv.empty())
    html +=
        fmt::format("<p>All columns and digits: <a href=\"{0}\">{0}</a></p>\n", escaped(table.csv));
  return html;
}

std::string html_of(const Figure& figure) {
  std::string html;
  if (!figure.caption.empty())
    html += fmt::format("<h3>{}</h3>\n", escaped(shortened(figure.caption, most_text)));
  if (!figure.answer.empty())
    html += fmt::format("<p class=\"answer\">{}</p>\n", escaped(figure.answer));
  if (!figure.picture.empty()) html += fmt::format("<figure>\n{}</figure>\n", figure.picture);
  if (!figure.note.empty()) html += fmt::format("<p class=\"note\">{}</p>\n", escaped(figure.note));
  if (!figure.table.rows.empty()) {
    html += fmt::format("<details{}{}><summary>The numbers</summary>\n{}</details>\n",
                        figure.table.rows.size() > most_printed ? " class=\"long\"" : "",
                        figure.picture.empty() && !figure.is_long ? " open=\"open\"" : "",
                        html_of(figure.table));
    if (figure.table.rows.size() > most_printed)
      html += fmt::format(
          "<p class=\"printed\">{} rows are not printed{}.</p>\n", figure.table.rows.size(),
          figure.table.csv.empty() ? "" : fmt::format("; {} has them", escaped(figure.table.csv)));
  }
  return html;
}

}  // namespace

TableCell cell(const std::string& text) { return {text, std::nullopt}; }
TableCell cell(Duration time) { return {to_text(time), fmt::format("{}", time.value)}; }
TableCell cell(Bytes size) { return {to_text(size), fmt::format("{}", size.value)}; }
TableCell cell_of_share(double share) {
  return {fmt::format("{:.1f} %", share * 100), fmt::format("{}", share)};
}
TableCell cell_of_count(std::int64_t count) {
  return {fmt::format("{}", count), fmt::format("{}", count)};
}

std::string html_of(const Section& section) {
  std::string html =
      fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", section.id, escaped(section.question));
  for (const Figure& figure : section.figures) html += html_of(figure);
  return html + "</section>\n";
}

}  // namespace orrery
