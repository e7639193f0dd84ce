// Quantities over simulated time: a line each, and a row of its peak.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/chart/axis.h"
#include "report/html/sections.h"

namespace orrery {

struct TimedValue {
  Duration time;  // since the start
  double value;
};

// How often something happened in the interval about a time; `height`: where it is drawn.
struct CountedAt {
  Duration time;
  double height;
  std::int64_t count;
};

struct TimeLine {
  std::string name;
  std::vector<TimedValue> values;                 // ascending in time
  bool is_step = false;                           // each value lasts until the next one
  std::vector<CountedAt> lost = {}, marked = {};  // packets
};

struct OverTime {
  const char* id;        // of the chart
  const char* title;     // "queues over time"
  const char* quantity;  // upwards: "bytes that wait before the link"
  const char* of_table;  // the first column: "link"
  std::string note;
};

// The lines with the highest peaks are drawn. Of a line with more values than a picture can show,
// each interval has its largest one. REQUIRES: a line; a value in each.
struct LinesOverTime {
  OverTime names;
  AxisUnit unit;
  std::string (*text_of)(double value);
  std::vector<TimeLine> lines;
  std::vector<TimeLine> limits = {};  // beside them, without rows
};
Figure over_time_figure(const ReportedRun& run, std::size_t index, LinesOverTime chart);

double highest_of(const std::vector<TimeLine>& lines);
// Of lines of bytes, in the unit that suits the highest.
LinesOverTime bytes_over_time(OverTime names, std::vector<TimeLine> lines,
                              std::vector<TimeLine> limits = {});

}  // namespace orrery
