// Pages as files: report.html, its charts beside it, and the pages of the points of a sweep.
#pragma once

#include <filesystem>
#include <string>

#include "report/sweep_manifest.h"

namespace orrery {

// Of the charts: charts/ beside report.html, NAME-charts/ beside another page.
std::filesystem::path chart_folder_of(const std::filesystem::path& page);

// The page, and a file for each of its charts; those that an earlier page had and this one has not
// are removed. Throws IoError where a file is there that is no page or no chart of this program.
void write_page(const std::filesystem::path& file, const std::string& page);

// A click on a point leads to its run: to a page of its own of the fastest hundred, to the folder
// of the others. Fills SweepRow::page. Throws IoError.
void write_pages_of_points(SweepManifest& sweep);

}  // namespace orrery
