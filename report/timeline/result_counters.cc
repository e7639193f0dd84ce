#include "report/timeline/result_counters.h"

#include <fmt/format.h>

#include <functional>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace orrery {

namespace {

// Below all ranks.
constexpr std::int32_t last_place = std::numeric_limits<std::int32_t>::max();

class CounterGroup {
 public:
  explicit CounterGroup(TrackEventWriter& writer) : writer_(writer) {}

  TrackEventWriter::Track add(const std::string& name, TrackEventWriter::Unit unit) {
    if (counters_ == 0)
      group_ = writer_.add_track("network", TrackEventWriter::no_parent, last_place);
    return writer_.add_counter(name, group_, ++counters_, unit);
  }

  // Rows of intervals, those of a name one after the other; between intervals there is nothing.
  template <class Row, class Name>
  void add_shares(const std::vector<Row>& rows, Name name, double Row::*share,
                  const char* of_what) {
    for (std::size_t i = 0; i < rows.size();) {
      const std::size_t first = i;
      const TrackEventWriter::Track track =
          add(fmt::format("{}: % of {}", std::invoke(name, rows[first]), of_what),
              TrackEventWriter::Unit::none);
      for (; i < rows.size() && std::invoke(name, rows[i]) == std::invoke(name, rows[first]); ++i)
        writer_.set_counter(track, Time{rows[i].begin}, 100 * (rows[i].*share));
      writer_.set_counter(track, Time{rows[i - 1].end}, 0.0);
    }
  }

  void add_peaks(const std::string& name, Duration interval,
                 const std::vector<std::int64_t>& peaks) {
    const TrackEventWriter::Track track = add(name, TrackEventWriter::Unit::bytes);
    Time at;
    for (const std::int64_t peak : peaks) {
      writer_.set_counter(track, at, peak);
      at = at + interval;
    }
    writer_.set_counter(track, at, std::int64_t{0});
  }

 private:
  TrackEventWriter& writer_;
  TrackEventWriter::Track group_ = 0;
  std::int32_t counters_ = 0;
};

}  // namespace

void write_counters(TrackEventWriter& writer, const RunResult& result) {
  CounterGroup group(writer);
  group.add_shares(result.activity, &ActivityRow::level, &ActivityRow::share,
                   "what all NPUs can send there");
  group.add_shares(result.link_activity, &LinkActivityRow::link, &LinkActivityRow::utilisation,
                   "its bandwidth");
  if (!result.packets) return;
  for (const DepthRow& depth : result.packets->depths)
    group.add_peaks("queue before " + depth.name, depth.interval, depth.peaks);
  for (const SwitchRow& memory : result.packets->switches)
    group.add_peaks("memory of " + memory.name, memory.interval, memory.peaks);
}

}  // namespace orrery
