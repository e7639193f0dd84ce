#include "simulation/packet_result.h"

namespace orrery {

std::vector<DepthPeakRow> depth_peaks(const PacketResult& packets) {
  std::vector<DepthPeakRow> rows;
  for (const DepthRow& depth : packets.depths) {
    Duration begin;
    for (const std::int64_t peak : depth.peaks) {
      const Duration end = begin + depth.interval;
      rows.push_back({depth.name, begin, end, peak});
      begin = end;
    }
  }
  return rows;
}

std::vector<FlowSampleRow> flow_samples(const PacketResult& packets) {
  std::vector<FlowSampleRow> rows;
  for (const FlowRow& flow : packets.flows)
    for (const FlowSample& sample : flow.samples)
      rows.push_back(
          {flow.name, sample.at.since_start, sample.congestion_window.value, sample.smoothed_rtt});
  return rows;
}

}  // namespace orrery
