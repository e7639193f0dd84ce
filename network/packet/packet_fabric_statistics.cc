// What a fabric tells about links, queues and memories when it is asked.
#include <algorithm>
#include <utility>

#include "network/packet/packet_fabric.h"

namespace orrery {

PacketStatistics PacketFabric::statistics() const {
  PacketStatistics statistics;
  statistics.packets = sent_;
  statistics.packet_hops = hops_;
  statistics.trimmed = trimmed_;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const Port& port = ports_[i];
    const auto link = static_cast<LinkIndex>(i);
    const DropCounts by_cause = drops_before(link);
    const std::uint64_t drops = sum_of(by_cause), marks = marks_before(link);
    statistics.drops += drops;
    add_counts(statistics.drops_by_cause, by_cause);
    statistics.marks += marks;
    if (port.is_host) continue;
    statistics.links.push_back({port.sent, port.packets, drops, marks, port.most_waiting});
  }
  if (classes_.size() > 1) add_class_statistics(statistics);
  if (pauses_ != nullptr) statistics.pauses = pauses_->statistics();
  statistics.pause_events = pause_events_;
  for (const Host& host : hosts_)
    statistics.receivers.push_back({host.npu, rests_[host.port].bandwidth,
                                    sum_of(drops_before(host.port)), ports_[host.port].sent});
  add_depths(statistics);
  for (const SwitchMemory& memory : memories_) {
    const PeakSeries& series = memory.series();
    if (series.most() == 0) continue;
    statistics.switches.push_back(
        {memory.node(), memory.size(), bytes(series.most()), series.interval(), series.peaks()});
  }
  return statistics;
}

DropCounts PacketFabric::drops_before(LinkIndex link) const {
  DropCounts counts = {};
  for (unsigned of = 0; of < queue_count_; ++of)
    add_counts(counts, queue_rests_[place_of(link, of)].drops);
  return counts;
}

std::uint64_t PacketFabric::marks_before(LinkIndex link) const {
  std::uint64_t marks = 0;
  for (unsigned of = 0; of < queue_count_; ++of) marks += queue_rests_[place_of(link, of)].marks;
  return marks;
}

void PacketFabric::add_depths(PacketStatistics& statistics) const {
  for (std::size_t i = 0; i < depths_.size(); ++i) {
    PeakSeries series = depths_[i];
    CountSeries losses = losses_[i], marks = marks_[i];
    const Duration interval = std::max({series.interval(), losses.interval(), marks.interval()});
    series.widen(interval);
    losses.widen(interval);
    marks.widen(interval);
    statistics.depths.push_back({spec_.watched[i],
                                 interval,
                                 series.peaks(),
                                 {losses.counts().begin(), losses.counts().end()},
                                 {marks.counts().begin(), marks.counts().end()}});
    for (std::size_t of = 0; of <= classes_.size(); ++of) {
      const DepthHistogram& histogram = histograms_[i * (classes_.size() + 1) + of];
      const bool all = of == classes_.size();
      if (std::vector<Duration> times = histogram.until(queue_.now()); !times.empty())
        statistics.depth_times.push_back({spec_.watched[i],
                                          all ? DepthTimes::all_classes : classes_[of].priority,
                                          std::move(times)});
    }
  }
}

void PacketFabric::add_class_statistics(PacketStatistics& statistics) const {
  for (LinkIndex link = 0; link < link_count_; ++link)
    for (std::size_t of = 0; of < classes_.size(); ++of) {
      const OutputQueueRest& queue = queue_rests_[place_of(link, static_cast<unsigned>(of))];
      if (sum_of(queue.drops) + queue.marks > 0)
        statistics.classes.push_back({link, classes_[of].priority, queue.drops, queue.marks});
    }
}

}  // namespace orrery
