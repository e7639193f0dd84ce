#include "simulation/simulate_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "core/trace/fingerprint_sink.h"
#include "core/units/total.h"
#include "core/units/unit_text.h"
#include "network/backends.h"
#include "network/network_error.h"
#include "network/spread_links.h"
#include "simulation/packet_cost.h"
#include "simulation/problems.h"
#include "simulation/result/network_notices.h"
#include "simulation/result/packet_rows.h"
#include "simulation/traffic/idle_times.h"
#include "simulation/traffic/port_rows.h"
#include "simulation/traffic/size_rows.h"

namespace orrery {

namespace {

// Sends each flow at its start. An event starts the flow and schedules that of the next.
class TrafficRun final : private EventHandler, private MessageListener {
 public:
  TrafficRun(const Experiment& experiment, const Topology& topology, FlowEnd ends,
             std::vector<Flow>& flows)
      : queue_({experiment.ties, experiment.seed, experiment.tie_draw}),
        handler_(queue_.add_handler(*this)),
        backend_(
            find_backend(experiment.network.backend)->make(queue_, topology, experiment.network)),
        ends_(ends),
        flows_(flows) {}

  // False if it was stopped.
  bool run(const TrafficOptions& options) {
    if (!flows_.empty()) queue_.schedule_at(flows_[0].start, handler_, 0);
    return queue_.run([&] {
      if (options.progress) options.progress(delivered_, flows_.size());
      return options.stop && options.stop();
    });
  }

  std::size_t delivered_count() const { return delivered_; }
  // Of flows, in the order of their starts.
  std::size_t started_count() const { return started_; }
  bool acknowledges() const { return acknowledges_; }
  std::uint64_t events() const { return queue_.executed(); }
  const NetworkBackend& backend() const { return *backend_; }

 private:
  void on_event(std::uint64_t index) override {
    const Flow& flow = flows_[index];
    started_ = index + 1;
    constexpr std::size_t flows_between_questions = 16;  // a path in a large graph takes long
    if (started_ % flows_between_questions == 0) queue_.ask_now();
    if (index + 1 < flows_.size()) queue_.schedule_at(flows_[index + 1].start, handler_, index + 1);
    backend_->send({.source = flow.source,
                    .target = flow.target,
                    .size = flow.size,
                    .token = {.owner = static_cast<std::uint32_t>(index)}},
                   *this);
  }
  void delivered(const MessageToken& token, Bytes) override {
    flows_[token.owner].finish = queue_.now();
    ++delivered_;
  }
  void injected(const MessageToken&, NodeId) override {}
  void acknowledged(const MessageToken& token) override {
    acknowledges_ = true;
    if (ends_ == FlowEnd::acknowledged) flows_[token.owner].finish = queue_.now();
  }

  EventQueue queue_;
  EventQueue::HandlerId handler_;
  std::unique_ptr<NetworkBackend> backend_;
  const FlowEnd ends_;
  std::vector<Flow>& flows_;
  std::size_t started_ = 0, delivered_ = 0;
  bool acknowledges_ = false;
};

std::string fingerprint_of(const std::vector<Flow>& flows) {
  FingerprintSink sink;
  for (const Flow& flow : flows)
    if (flow.finish)
      sink.on_span({.kind = SpanKind::collective,
                    .rank = flow.source.value,
                    .operation = flow.target.value,
                    .label = -1,
                    .detail = 0,
                    .begin = flow.start,
                    .end = *flow.finish,
                    .size = flow.size});
  return sink.hex();
}

// Levels that are no ports of one NPU each.
bool has_fabric(const Topology& topology) {
  if (!topology.structural() || topology.levels().size() > 1) return true;
  const LevelKind kind = topology.levels()[0].kind;
  return kind != LevelKind::switched && kind != LevelKind::fully_connected;
}

void note_network(TrafficResult& result, const NetworkBackend& backend, const Topology& topology,
                  const NetworkSpec& spec) {
  const std::span<const std::string> unused = backend.unused_settings();
  const BackendTraits& traits = *find_backend(spec.backend)->traits;
  if (!traits.shares_links && has_fabric(topology))
    result.ignored.emplace_back("contention inside the fabric: flows meet at ports of NPUs only");
  result.ignored.insert(result.ignored.end(), unused.begin(), unused.end());
  if (!spec.transport.watched.empty())
    result.ignored.emplace_back("network.transport.watch: time lines of pairs are orrery run's");
  if (!spec.captures.empty())
    result.ignored.emplace_back("network.transport.capture: captures of links are orrery run's");
  result.notices = backend.notices();
  if (traits.has_flows && traits.shares_links && spec.routing.policy == RoutingPolicy::automatic &&
      divides_messages(topology, spec.routing))
    result.notices.emplace_back(
        "flows take all shortest paths at once, so none collide: network.routing: {policy: ecmp} "
        "draws one for each pair");
  const auto add = [&](const std::vector<std::string>& more) {
    result.notices.insert(result.notices.end(), more.begin(), more.end());
  };
  add(setting_notices(spec, unused));
  const std::optional<PacketStatistics> packets = backend.statistics().packets;
  if (!packets) return;
  add(packet_notices(spec, topology, *packets));
  add(disorder_notices(spec, packets->retransmissions));
  add_ports(result, topology, *packets);
  TrafficPackets& counted = result.packets.emplace();
  counted = {packets->packets,
             packets->packet_hops,
             packets->drops,
             packets->marks,
             packets->retransmissions,
             packets->timeouts,
             packets->notifications,
             packets->refusals,
             0,
             packets->watchdogs,
             {},
             {},
             queue_rows(topology, *packets),
             pause_rows(topology, *packets),
             class_rows(topology, *packets)};
  if (packets->drops > 0) counted.losses = losses_of(packets->drops_by_cause);
  for (const PauseStatistics& pause : packets->pauses) {
    counted.pauses += pause.count;
    counted.paused += pause.time;
  }
}

void note_links(TrafficResult& result, const NetworkBackend& backend, const Topology& topology,
                bool at_once) {
  const std::vector<TotalBytes> carried = backend.statistics().links;
  const double seconds = static_cast<double>(result.length.value) * 1e-12;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const double capacity = static_cast<double>(topology.links()[i].bandwidth.value) * seconds;
    const double load = carried[i].as_double() / capacity;
    if (load <= result.busiest_load) continue;
    result.busiest_load = load;
    result.busiest_link = topology.link_name(static_cast<LinkIndex>(i));
  }
  if (result.busiest_load > 1 && !at_once)
    result.notices.push_back(
        fmt::format("the link {} was sent {:.3g} times what it carries in {}, the time in which "
                    "flows start: the longer that is, the longer they wait",
                    result.busiest_link, result.busiest_load, to_text(result.length)));
}

void note_loads(TrafficResult& result, const TrafficSpec& traffic, const FabricCapacity& capacity) {
  const double offer = offered(traffic, capacity);
  result.load_hosts = offer / capacity.hosts;
  if (capacity.uplinks > 0) result.load_uplinks = offer / capacity.uplinks;
  result.drawn_deviation = drawn_deviation(traffic, capacity);
  double drawn = 0;
  for (const Flow& flow : result.flows) drawn += static_cast<double>(flow.size.value);
  result.drawn_hosts = drawn / (static_cast<double>(result.length.value) * 1e-12 * capacity.hosts);
}

void note_flows(TrafficResult& result) {
  result.unfinished = result.started;
  for (const Flow& flow : result.flows) {
    if (!flow.finish) continue;
    --result.unfinished;
    result.finish = std::max(result.finish, flow.finish->since_start);
    if (flow.start.since_start >= result.warm_up) ++result.counted;
  }
  result.fingerprint = fingerprint_of(result.flows);
  if (result.counted == 0 && !result.partial)
    result.notices.push_back(
        fmt::format("no flow started between {} and {}: raise traffic.flows.for, or lower warm_up",
                    to_text(result.warm_up), to_text(result.length)));
}

// The key that gives flows of a pair connections of their own; "" if they have them, or need none.
std::string_view key_of_connections(const NetworkSpec& spec) {
  const BackendTraits& traits = *find_backend(spec.backend)->traits;
  if (!traits.has_packets) return "";
  if (spec.uses(TransportKind::roce, traits.transport))
    return spec.transport.roce.qps_per_pair > 1 ? "" : "network.transport.qps_per_pair";
  if (spec.uses(TransportKind::tcp, traits.transport))
    return spec.transport.connections_per_pair > 1 ? "" : "network.transport.connections_per_pair";
  return "";
}

// Flows of a pair that share a connection wait for each other, which is none of the network's.
void note_shared_connections(TrafficResult& result, const NetworkSpec& spec) {
  constexpr double few = 0.02;
  const std::string_view key = key_of_connections(spec);
  if (key.empty()) return;
  std::map<std::pair<std::int32_t, std::int32_t>, const Flow*> last_to_end;
  std::size_t waited = 0;
  for (const Flow& flow : result.flows) {  // in the order of their starts
    if (!flow.finish) continue;
    const Flow*& last = last_to_end[{flow.source.value, flow.target.value}];
    if (last != nullptr && flow.start < *last->finish && flow.size < last->size) ++waited;
    if (last == nullptr || *flow.finish > *last->finish) last = &flow;
  }
  const double share = static_cast<double>(waited) / static_cast<double>(result.flows.size());
  if (result.flows.empty() || share < few) return;
  result.notices.push_back(fmt::format(
      "{:.0f} % of the flows began while a larger one of their pair was under way, and waited for "
      "it on the same connection: {}: 128 gives each its own",
      100 * share, key));
}

}  // namespace

TrafficForecast forecast_of(const TrafficSpec& traffic, const Topology& topology) {
  const FabricCapacity capacity = capacity_of(topology);
  TrafficSpec chosen = traffic;
  choose_open_times(chosen, topology);
  const auto rate = [](double bytes) { return Bandwidth{std::llround(bytes)}; };
  return {
      rate(capacity.hosts), rate(capacity.uplinks), rate(offered(traffic, capacity)),
      bytes(std::llround(mean_size(traffic.flows.sizes))),
      flows_a_second(traffic, capacity) * static_cast<double>(chosen.flows.length->value) * 1e-12};
}

double packet_seconds(const Experiment& experiment, const TrafficSpec& traffic) {
  const BackendEntry* backend = find_backend(experiment.network.backend);
  if (backend == nullptr || !backend->traits->has_packets) return 0;
  const Topology topology(experiment.topology);
  TrafficSpec chosen = traffic;
  choose_open_times(chosen, topology);
  const double seconds = static_cast<double>(chosen.flows.length->value) * 1e-12;
  const double sent = chosen.flows.at_once ? mean_size(traffic.flows.sizes) * topology.npu_count()
                                           : offered(traffic, capacity_of(topology)) * seconds;
  std::vector<TotalBytes> bytes_of_level(topology.levels().size());
  bytes_of_level.back() = bytes(std::llround(std::min(sent, 1e18)));
  return packet_cpu_seconds(experiment.network, topology, bytes_of_level);
}

std::string notice_of_long_run(const Experiment& experiment, const TrafficSpec& traffic) {
  constexpr double long_run = 20;
  const double seconds = packet_seconds(experiment, traffic);
  if (seconds <= long_run) return "";
  return fmt::format(
      "about {} in packets: a shorter traffic.flows.for takes less, and network.backend=fluid "
      "answers without packets",
      cpu_time_text(seconds));
}

TrafficResult simulate_traffic(const Experiment& experiment, const TrafficSpec& asked,
                               const TrafficOptions& options) {
  refuse_problems_of_network(experiment);  // its backend was open when the file was read
  const Topology topology(experiment.topology);
  TrafficSpec traffic = asked;
  choose_open_times(traffic, topology);
  const FabricCapacity capacity = capacity_of(topology);
  TrafficResult result;
  result.name = experiment.name;
  result.backend = experiment.network.backend;
  result.npus = topology.npu_count();
  result.mean_bytes = mean_size(traffic.flows.sizes);
  result.length = *traffic.flows.length;
  result.warm_up = *traffic.flows.warm_up;
  result.flows = flows_of(traffic, capacity, topology.npu_count(), experiment.seed);
  note_loads(result, traffic, capacity);
  {
    TrafficRun run(experiment, topology, traffic.ends, result.flows);
    result.partial = !run.run(options);
    result.events = run.events();
    result.started = run.started_count();
    note_network(result, run.backend(), topology, experiment.network);
    if (traffic.ends == FlowEnd::acknowledged && run.delivered_count() > 0 && !run.acknowledges())
      result.notices.emplace_back(
          "flows end when they are delivered: only RoCE tells a source that a flow is "
          "acknowledged (traffic.ends)");
    if (!result.partial) note_links(result, run.backend(), topology, traffic.flows.at_once);
    if (!result.partial && run.delivered_count() < result.flows.size())
      throw NetworkError(
          fmt::format("nothing is left to happen, and {} of {} flows were not delivered\n{}",
                      result.flows.size() - run.delivered_count(), result.flows.size(),
                      run.backend().unfinished()));
  }
  note_flows(result);
  note_shared_connections(result, experiment.network);
  const auto& stop = result.partial ? options.give_up : options.stop;
  result.idle = idle_times(topology, experiment.network, result.flows, traffic.ends, stop);
  result.partial = result.partial || result.idle.size() < result.flows.size();
  if (result.idle.empty()) return result;
  result.rows = size_rows(result, traffic.flows.sizes);
  return result;
}

}  // namespace orrery
