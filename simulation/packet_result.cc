#include "simulation/packet_result.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {

LossRow losses_of(const DropCounts& counts) {
  const auto of = [&](DropCause cause) { return counts[static_cast<std::size_t>(cause)]; };
  return {of(DropCause::full), of(DropCause::picked), of(DropCause::no_headroom),
          of(DropCause::random), of(DropCause::link_down)};
}

std::string causes_of(const LossRow& losses) {
  std::string text;
  const auto add = [&](DropCause cause, std::uint64_t count) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(cause), count);
  };
  add(DropCause::full, losses.full);
  add(DropCause::picked, losses.picked);
  add(DropCause::no_headroom, losses.no_headroom);
  add(DropCause::random, losses.random);
  add(DropCause::link_down, losses.link_down);
  return text;
}

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
