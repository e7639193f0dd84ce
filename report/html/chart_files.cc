#include "report/html/chart_files.h"

#include "core/base/check.h"

namespace orrery {

namespace {

// Texts of users are escaped: only Picture::finish() writes these.
constexpr std::string_view chart_beginning =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" id=\"";
constexpr std::string_view chart_ending = "</svg>\n";

constexpr std::string_view link_beginning = "<a href=", link_ending = "</a>\n";

std::string without_links(std::string_view chart) {
  std::string text;
  for (;;) {
    const std::size_t begin = chart.find(link_beginning);
    text += chart.substr(0, begin);
    if (begin == std::string_view::npos) return text;
    chart.remove_prefix(chart.find('>', begin) + 1);
    const std::size_t end = chart.find(link_ending);
    CHECK(end != std::string_view::npos, "a link of a chart has no end");
    text += chart.substr(0, end);
    chart.remove_prefix(end + link_ending.size());
  }
}

}  // namespace

std::vector<ChartFile> charts_of(std::string_view page) {
  std::vector<ChartFile> charts;
  for (;;) {
    const std::size_t begin = page.find(chart_beginning);
    if (begin == std::string_view::npos) return charts;
    page.remove_prefix(begin);
    const std::string_view rest = page.substr(chart_beginning.size());
    const std::size_t end = page.find(chart_ending);
    CHECK(end != std::string_view::npos, "a chart of the page has no end");
    const std::size_t length = end + chart_ending.size();
    charts.push_back({std::string(rest.substr(0, rest.find('"'))) + ".svg",
                      without_links(page.substr(0, length))});
    page.remove_prefix(length);
  }
}

bool is_chart_file(std::string_view text) { return text.starts_with(chart_beginning); }

}  // namespace orrery
