#include "simulation/result/packet_rows.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "network/backends.h"
#include "simulation/name_of_traffic.h"
#include "simulation/result/network_notices.h"

namespace orrery {

namespace {

void add_wait(PacketResult& result, std::string kind, const PacketWaits& waits) {
  if (waits.packets == 0) return;
  const auto mean = [&](TotalTime sum) {  // in whole nanoseconds, as each of them is
    return nanoseconds(sum.mean(static_cast<std::int64_t>(waits.packets)).value / 1'000);
  };
  result.waits.push_back({std::move(kind), waits.packets, mean(waits.at_source),
                          mean(waits.in_switches), waits.longest});
}

void add_losses(PacketResult& counted, const PacketStatistics& packets) {
  if (packets.drops > 0) counted.losses = losses_of(packets.drops_by_cause);
  if (packets.trimmed > 0) counted.trimming = {packets.trimmed, packets.returned};
  if (packets.reordering.late > 0)
    counted.reordering = {packets.reordering.late, packets.reordering.most_overtaken_by,
                          packets.reordering.most_held};
}

double share_of(Bytes part, Bytes whole) {
  return whole == Bytes{} ? 0 : static_cast<double>(part.value) / static_cast<double>(whole.value);
}

// By layer, and by iteration and layer.
void add_missing(PacketResult& counted, const PacketStatistics& packets) {
  if (packets.missing.empty()) return;
  UndeliveredRow& all = counted.undelivered.emplace();
  all.probes = packets.probes;
  std::map<std::int32_t, MissingRow> by_layer;
  for (const MissingData& one : packets.missing) {
    all.size += one.bytes;
    all.missing += one.missing;
    MissingRow& row = by_layer[one.layer];
    row.layer = one.layer;
    row.messages += one.messages;
    row.size += one.bytes;
    row.missing += one.missing;
    row.late += one.late;
    row.lost += one.lost;
    row.lost_droppable += one.lost_droppable;
    row.again += one.again;
    counted.missing_of_iterations.push_back({one.iteration, one.layer, one.messages, one.bytes,
                                             one.missing, share_of(one.missing, one.bytes)});
  }
  const std::int32_t first = packets.missing.front().iteration;
  if (std::ranges::all_of(counted.missing_of_iterations,
                          [&](const auto& row) { return row.iteration == first; }))
    counted.missing_of_iterations.clear();
  for (auto& [layer, row] : by_layer) {
    row.share = share_of(row.missing, row.size);
    counted.missing.push_back(row);
  }
  all.share = share_of(all.missing, all.size);
}

void add_tensors(PacketResult& counted, const PacketStatistics& packets) {
  const auto name_of_way = [](TensorWay way) {
    return way == TensorWay::none ? "both" : way == TensorWay::push ? "push" : "pull";
  };
  for (const TensorTimes& one : packets.tensors) {
    const bool all = one.layer == TensorTimes::all_layers;
    (all ? counted.tensors : counted.tensors_of_layers)
        .push_back({name_of_way(one.way), one.layer, one.messages, one.mean, one.median, one.p99,
                    one.longest});
  }
  if (counted.tensors.size() == 2) counted.tensors.pop_back();  // both are the one
}

void add_roce(PacketResult& counted, const FinishedRun& run, const PacketStatistics& packets) {
  const NetworkSpec& network = run.experiment.network;
  const BackendEntry* backend = find_backend(network.backend);
  if (backend == nullptr || !network.uses(TransportKind::roce, backend->traits->transport)) return;
  RoceRow& roce = counted.roce.emplace();
  roce.notifications = packets.notifications;
  roce.refusals = packets.refusals;
  roce.watchdogs = packets.watchdogs;
  const double with_data = packets.senders.with_data.as_double();
  if (with_data > 0) {
    roce.held_by_rate = packets.senders.by_rate.as_double() / with_data;
    roce.held_by_window = packets.senders.by_window.as_double() / with_data;
  }
  for (const PauseStatistics& pause : packets.pauses) {
    roce.pauses += pause.count;
    roce.paused += pause.time;
  }
}

}  // namespace

std::vector<QueueRow> queue_rows(const Topology& topology, const PacketStatistics& packets) {
  std::vector<QueueRow> rows;
  for (std::size_t i = 0; i < packets.links.size(); ++i) {
    const LinkQueueStatistics& queue = packets.links[i];
    if (queue.drops == 0 && queue.marks == 0 && queue.most_waiting == Bytes{}) continue;
    rows.push_back({topology.link_name(static_cast<LinkIndex>(i)), queue.packets, queue.drops,
                    queue.marks, queue.most_waiting});
  }
  std::ranges::stable_sort(rows, std::ranges::greater{}, [](const QueueRow& row) {
    return std::pair(row.drops, row.most_waiting);
  });
  return rows;
}

std::vector<std::uint64_t> losses_by_level(const Topology& topology,
                                           const std::vector<QueueRow>& queues) {
  std::map<std::string, std::uint64_t> by_link;
  for (const QueueRow& queue : queues)
    if (queue.drops > 0) by_link[queue.name] = queue.drops;
  std::vector<std::uint64_t> losses(topology.levels().size());
  for (std::size_t i = 0; i < topology.links().size(); ++i)
    if (const auto lost = by_link.find(topology.link_name(static_cast<LinkIndex>(i)));
        lost != by_link.end())
      losses[static_cast<std::size_t>(topology.links()[i].level)] += lost->second;
  return losses;
}

std::vector<PauseRow> pause_rows(const Topology& topology, const PacketStatistics& packets) {
  std::vector<PauseRow> rows;
  for (const PauseStatistics& pause : packets.pauses)
    rows.push_back({topology.link_name(pause.link),
                    topology.node_name(topology.links()[pause.link].to), pause.priority,
                    pause.count, pause.time});
  std::ranges::stable_sort(rows, std::ranges::greater{}, &PauseRow::time);
  return rows;
}

std::vector<ClassRow> class_rows(const Topology& topology, const PacketStatistics& packets) {
  std::vector<ClassRow> rows;
  for (const ClassQueueStatistics& one : packets.classes)
    rows.push_back({topology.link_name(one.link), one.priority, sum_of(one.drops), one.marks,
                    losses_of(one.drops)});
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const ClassRow& row) { return std::pair(row.drops, row.marks); });
  return rows;
}

void add_packets(RunResult& result, const FinishedRun& run, const PacketStatistics& packets) {
  PacketResult& counted = result.packets.emplace();
  counted.packets = packets.packets;
  counted.packet_hops = packets.packet_hops;
  counted.drops = packets.drops;
  counted.marks = packets.marks;
  add_losses(counted, packets);
  add_missing(counted, packets);
  if (counted.undelivered)
    counted.undelivered->rounds =
        rounds_at(run.experiment.network.transport.mlt, counted.undelivered->share);
  add_tensors(counted, packets);
  counted.connections = packets.connections;
  counted.retransmissions = packets.retransmissions;
  counted.timeouts = packets.timeouts;
  counted.queues = queue_rows(run.topology, packets);
  for (const SwitchMemoryStatistics& memory : packets.switches)
    counted.switches.push_back({run.topology.node_name(memory.node), memory.size, memory.most_used,
                                memory.interval, memory.peaks});
  for (std::size_t label = 0; label < packets.waits.size(); ++label)
    add_wait(counted, name_of_traffic(label), packets.waits[label]);
  add_wait(counted, "acknowledgements", packets.acknowledgement_waits);
  add_roce(counted, run, packets);
  counted.pauses = pause_rows(run.topology, packets);
  counted.classes = class_rows(run.topology, packets);
  counted.late = packets.late;
  for (const ReceiverStatistics& one : packets.receivers)
    counted.receivers.push_back({run.topology.node_name(one.npu), one.rate.value, one.taken,
                                 transfer_time(one.taken, one.rate), one.drops});
  for (const QueueDepthStatistics& depth : packets.depths)
    counted.depths.push_back({run.topology.link_name(depth.link), depth.interval, depth.peaks,
                              depth.drops, depth.marks});
  for (const DepthTimes& depth : packets.depth_times)
    if (depth.priority != DepthTimes::all_classes)
      counted.depth_times.push_back(
          {run.topology.link_name(depth.link), depth.priority, depth.times});
  for (const FlowStatistics& flow : packets.flows)
    counted.flows.push_back(
        {run.topology.node_name(flow.source) + " -> " + run.topology.node_name(flow.target),
         flow.samples});
  for (const CaptureStatistics& capture : packets.captures)
    counted.captures.push_back({capture.link, capture.packets, capture.left_out, capture.pcap});
  for (std::string& notice : packet_notices(run.experiment.network, run.topology, packets))
    result.notices.push_back(std::move(notice));
}

}  // namespace orrery
