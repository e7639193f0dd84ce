// report.html: one file that answers why a run takes as long as it does, in charts with the tables
// behind them. It asks for nothing from elsewhere, and shows without scripts and styles. Its bytes
// are a function of the results.
#pragma once

#include <span>
#include <string>

namespace orrery {

// A result as it is in result.json or comparison.json, and what to call it in messages.
struct ReportInput {
  std::string name, json;
};

// The page of one result, or of several beside each other. `tables_beside`: the CSV tables of the
// one input lie in the folder of the page, which links them. Throws IoError if an input is not a
// result, or has another schema than this program writes. REQUIRES: at least one input.
std::string report_page(std::span<const ReportInput> inputs, bool tables_beside);

// Whether a text begins as such a page: it may be replaced.
bool is_report_page(const std::string& text);

}  // namespace orrery
