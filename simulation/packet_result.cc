#include "simulation/packet_result.h"

#include <algorithm>

namespace orrery {

std::vector<DepthPeakRow> depth_peaks(const PacketResult& packets) {
  std::vector<DepthPeakRow> rows;
  const auto at = [](const std::vector<std::int64_t>& values, std::size_t i) {
    return i < values.size() ? values[i] : 0;
  };
  for (const DepthRow& depth : packets.depths) {
    Duration begin;
    const std::size_t intervals =
        std::max({depth.peaks.size(), depth.drops.size(), depth.marks.size()});
    for (std::size_t i = 0; i < intervals; ++i) {
      const Duration end = begin + depth.interval;
      rows.push_back(
          {depth.name, begin, end, at(depth.peaks, i), at(depth.drops, i), at(depth.marks, i)});
      begin = end;
    }
  }
  return rows;
}

std::int64_t DepthTimesRow::bytes_for(double share) const {
  Duration all, passed;
  for (const Duration time : times) all += time;
  const double wanted = static_cast<double>(all.value) * share;
  std::size_t place = 0;
  for (; place + 1 < times.size(); ++place) {
    passed += times[place];
    if (static_cast<double>(passed.value) >= wanted) break;
  }
  return static_cast<std::int64_t>(place) * DepthBinRow::bin;
}

std::vector<DepthBinRow> depth_bins(const PacketResult& packets) {
  std::vector<DepthBinRow> rows;
  for (const DepthTimesRow& queue : packets.depth_times)
    for (std::size_t i = 0; i < queue.times.size(); ++i)
      if (queue.times[i] > Duration{})
        rows.push_back({queue.name, queue.priority, static_cast<std::int64_t>(i) * DepthBinRow::bin,
                        queue.times[i]});
  return rows;
}

std::vector<FlowSampleRow> flow_samples(const PacketResult& packets) {
  std::vector<FlowSampleRow> rows;
  for (const FlowRow& flow : packets.flows)
    for (const FlowSample& sample : flow.samples)
      rows.push_back({flow.name, sample.at.since_start, sample.congestion_window.value,
                      sample.smoothed_rtt,
                      sample.rate > Bandwidth{} ? std::optional(sample.rate.value) : std::nullopt,
                      sample.congestion});
  return rows;
}

}  // namespace orrery
