// The questions of a report. Each takes the results and returns a section without figures if they
// have nothing to say.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "report/html/figure.h"
#include "report/html/result_view.h"

namespace orrery {

struct ReportedRun {
  ResultJson result;
  bool is_compared;  // beside others: a caption says whose figure it is
  bool has_tables;   // CSV files lie beside the page
  // 2, 4, ...: charts have so many times fewer marks, so that the page is small enough.
  std::size_t coarseness = 1;
};
using ReportedRuns = std::span<const ReportedRun>;

// "" for a run alone.
std::string caption_of(const ReportedRun& run);

Section what_changed(ReportedRuns runs);
Section where_time_goes(ReportedRuns runs);
Section what_pipeline_does(ReportedRuns runs);
Section which_layer_waits(ReportedRuns runs);
Section how_good_collectives_are(ReportedRuns runs);
Section which_network_part_is_full(ReportedRuns runs);
Section where_packets_wait(ReportedRuns runs);
Section who_talks_to_whom(ReportedRuns runs);
Section whether_it_fits(ReportedRuns runs);
Section what_was_simulated(ReportedRuns runs);

}  // namespace orrery
