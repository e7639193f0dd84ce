#include "simulation/simulate_traffic.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "core/trace/fingerprint_sink.h"
#include "network/backends.h"
#include "network/network_error.h"
#include "simulation/result/network_notices.h"
#include "simulation/traffic/idle_times.h"
#include "simulation/traffic/size_rows.h"

namespace orrery {

namespace {

// Sends each flow at its start. An event starts the flow and schedules that of the next.
class TrafficRun final : private EventHandler, private MessageListener {
 public:
  TrafficRun(const Experiment& experiment, const Topology& topology, std::vector<Flow>& flows)
      : queue_({experiment.ties, experiment.seed, experiment.tie_draw}),
        handler_(queue_.add_handler(*this)),
        backend_(
            find_backend(experiment.network.backend)->make(queue_, topology, experiment.network)),
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
  std::uint64_t events() const { return queue_.executed(); }
  const NetworkBackend& backend() const { return *backend_; }

 private:
  void on_event(std::uint64_t index) override {
    const Flow& flow = flows_[index];
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

  EventQueue queue_;
  EventQueue::HandlerId handler_;
  std::unique_ptr<NetworkBackend> backend_;
  std::vector<Flow>& flows_;
  std::size_t delivered_ = 0;
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

void note_network(TrafficResult& result, const NetworkBackend& backend, const Topology& topology,
                  const NetworkSpec& spec) {
  const std::span<const std::string> unused = backend.unused_settings();
  result.ignored.assign(unused.begin(), unused.end());
  result.notices = backend.notices();
  const auto add = [&](const std::vector<std::string>& more) {
    result.notices.insert(result.notices.end(), more.begin(), more.end());
  };
  add(setting_notices(spec, unused));
  const std::optional<PacketStatistics> packets = backend.statistics().packets;
  if (!packets) return;
  add(packet_notices(spec, topology, *packets));
  result.packets = {packets->packets, packets->packet_hops,     packets->drops,
                    packets->marks,   packets->retransmissions, packets->timeouts};
}

void note_flows(TrafficResult& result) {
  result.started = result.flows.size();
  for (const Flow& flow : result.flows) {
    if (!flow.finish) {
      ++result.unfinished;
      continue;
    }
    result.finish = std::max(result.finish, flow.finish->since_start);
    if (flow.start.since_start >= result.warm_up) ++result.counted;
  }
  result.fingerprint = fingerprint_of(result.flows);
}

}  // namespace

TrafficResult simulate_traffic(const Experiment& experiment, const TrafficSpec& traffic,
                               const TrafficOptions& options) {
  const Topology topology(experiment.topology);
  const FabricCapacity capacity = capacity_of(topology);
  TrafficResult result;
  result.name = experiment.name;
  result.backend = experiment.network.backend;
  result.npus = topology.npu_count();
  result.mean_bytes = mean_size(traffic.flows.sizes);
  const double offer =
      offered(traffic.flows, traffic.flows.load, capacity) +
      (traffic.incast ? offered(traffic.flows, traffic.incast->load, capacity) : 0);
  result.load_hosts = offer / capacity.hosts;
  if (capacity.uplinks > 0) result.load_uplinks = offer / capacity.uplinks;
  result.warm_up = traffic.flows.warm_up;
  result.flows = flows_of(traffic, capacity, topology.npu_count(), experiment.seed);
  {
    TrafficRun run(experiment, topology, result.flows);
    result.partial = !run.run(options);
    result.events = run.events();
    note_network(result, run.backend(), topology, experiment.network);
    if (!result.partial && run.delivered_count() < result.flows.size())
      throw NetworkError(
          fmt::format("nothing is left to happen, and {} of {} flows were not "
                      "delivered",
                      result.flows.size() - run.delivered_count(), result.flows.size()));
  }
  note_flows(result);
  const auto stop = result.partial ? nullptr : options.stop;
  result.idle = idle_times(topology, experiment.network, result.flows, stop);
  result.partial = result.partial || result.idle.size() < result.flows.size();
  if (result.idle.empty()) return result;
  result.rows = size_rows(result, traffic.flows.sizes);
  return result;
}

}  // namespace orrery
