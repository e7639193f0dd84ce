#include "report/html/page.h"

#include <fmt/format.h>

#include "report/chart/markup.h"
#include "report/html/page_script.h"
#include "report/html/page_style.h"

namespace orrery {

namespace {

std::string contents_of(const std::vector<Section>& sections) {
  std::string html = "<nav aria-label=\"Questions\">\n<ul>\n";
  for (const Section& section : sections)
    html += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, escaped(section.question));
  return html + "</ul>\n</nav>\n";
}

// The first `rows` of each table.
void cut_tables(std::vector<Section>& sections, std::size_t rows) {
  for (Section& section : sections)
    for (Figure& figure : section.figures) {
      if (figure.table.rows.size() <= rows) continue;
      figure.table.rows.resize(rows);
      figure.table.cut = fmt::format("The page would be too large with more than {} rows.", rows);
    }
}

std::string page_of(const std::string& title, const std::vector<Section>& sections) {
  const std::string name = escaped(title);
  std::string html = fmt::format(
      "{}<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n"
      "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n",
      page_beginning, name, page_style, name);
  html += contents_of(sections);
  for (const Section& section : sections) html += html_of(section);
  // Comments of the script, which hide from HTML what XML needs.
  return fmt::format("{}</main>\n<script>/*<![CDATA[*/\n{}/*]]>*/</script>\n</body>\n</html>\n",
                     html, page_script);
}

}  // namespace

std::string html_page(const std::string& title, std::vector<Section> sections) {
  std::string html = page_of(title, sections);
  for (std::size_t rows = 512; html.size() > most_page_bytes && rows > 8; rows /= 2) {
    cut_tables(sections, rows);
    html = page_of(title, sections);
  }
  return html;
}

}  // namespace orrery
