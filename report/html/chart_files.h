// The charts of a page as files of their own, for slides and papers: their bytes are those that
// the page has, without links, which lead from the page's folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orrery {

struct ChartFile {
  std::string name;  // "layers-chart-0.svg": the chart's id in the page
  std::string text;
};

// Of report_page() or sweep_page(), in their order there.
std::vector<ChartFile> charts_of(std::string_view page);

// Whether a text begins as such a file: it may be replaced.
bool is_chart_file(std::string_view text);

}  // namespace orrery
