#include "network/packet_statistics.h"

#include <algorithm>

namespace orrery {

namespace {

void add_waits(PacketWaits& sum, const PacketWaits& part) {
  sum.packets += part.packets;
  sum.at_source += part.at_source;
  sum.in_switches += part.in_switches;
  sum.longest = std::max(sum.longest, part.longest);
}

void add_link(LinkQueueStatistics& sum, const LinkQueueStatistics& part) {
  sum.sent += part.sent;
  sum.packets += part.packets;
  sum.drops += part.drops;
  sum.marks += part.marks;
  sum.most_waiting = std::max(sum.most_waiting, part.most_waiting);
}

// Every transport has all of them.
void add_receivers(std::vector<ReceiverStatistics>& sum,
                   const std::vector<ReceiverStatistics>& part) {
  if (sum.empty()) {
    sum = part;
    return;
  }
  for (std::size_t i = 0; i < part.size(); ++i) {
    sum[i].drops += part[i].drops;
    sum[i].taken += part[i].taken;
  }
}

template <class Row>
void append(std::vector<Row>& rows, const std::vector<Row>& more) {
  rows.insert(rows.end(), more.begin(), more.end());
}

// Of rows that every transport has, the one that saw something: a link has one transport.
template <class Row, class SawSomething>
void choose(std::vector<Row>& rows, const std::vector<Row>& more, SawSomething saw_something) {
  if (rows.empty()) rows = more;
  for (std::size_t i = 0; i < more.size(); ++i)
    if (saw_something(more[i])) rows[i] = more[i];
}

}  // namespace

void add_reordering(Reordering& sum, const Reordering& part) {
  sum.late += part.late;
  sum.most_overtaken_by = std::max(sum.most_overtaken_by, part.most_overtaken_by);
  sum.most_held = std::max(sum.most_held, part.most_held);
}

std::string_view name_of(DropCause cause) {
  switch (cause) {
    case DropCause::full:
      return "full buffer";
    case DropCause::picked:
      return "RED";
    case DropCause::no_headroom:
      return "no headroom";
    case DropCause::random:
      return "random loss";
    case DropCause::link_down:
      return "link down";
  }
  return "?";
}

void add(PacketStatistics& sum, const PacketStatistics& part) {
  sum.packets += part.packets;
  sum.packet_hops += part.packet_hops;
  sum.drops += part.drops;
  sum.marks += part.marks;
  add_counts(sum.drops_by_cause, part.drops_by_cause);
  add_reordering(sum.reordering, part.reordering);
  sum.connections += part.connections;
  sum.retransmissions += part.retransmissions;
  sum.timeouts += part.timeouts;
  sum.notifications += part.notifications;
  sum.refusals += part.refusals;
  sum.senders.with_data += part.senders.with_data;
  sum.senders.by_rate += part.senders.by_rate;
  sum.senders.by_window += part.senders.by_window;
  sum.trimmed += part.trimmed;
  sum.returned += part.returned;
  sum.probes += part.probes;
  sum.watchdogs += part.watchdogs;
  sum.waits.resize(std::max(sum.waits.size(), part.waits.size()));
  for (std::size_t i = 0; i < part.waits.size(); ++i) add_waits(sum.waits[i], part.waits[i]);
  add_waits(sum.acknowledgement_waits, part.acknowledgement_waits);
  sum.links.resize(std::max(sum.links.size(), part.links.size()));
  for (std::size_t i = 0; i < part.links.size(); ++i) add_link(sum.links[i], part.links[i]);
  append(sum.classes, part.classes);
  append(sum.pauses, part.pauses);
  add_receivers(sum.receivers, part.receivers);
  append(sum.switches, part.switches);
  choose(sum.depths, part.depths, [](const QueueDepthStatistics& depth) {
    return std::any_of(depth.peaks.begin(), depth.peaks.end(), [](auto peak) { return peak > 0; });
  });
  append(sum.depth_times, part.depth_times);
  append(sum.pause_events, part.pause_events);
  append(sum.flows, part.flows);
  append(sum.missing, part.missing);
  choose(sum.captures, part.captures,
         [](const CaptureStatistics& capture) { return capture.packets > 0; });
}

}  // namespace orrery
