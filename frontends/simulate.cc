#include "frontends/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "core/base/check.h"
#include "core/trace/fingerprint_sink.h"
#include "core/trace/tee_sink.h"
#include "core/units/unit_text.h"
#include "frontends/make_job.h"
#include "frontends/memory_notice.h"
#include "frontends/network_notices.h"
#include "frontends/report/level_activity.h"
#include "frontends/report/link_activity.h"
#include "frontends/report/summary_sink.h"
#include "frontends/report/traffic_matrix.h"
#include "frontends/selected_rows.h"
#include "frontends/trace/timeline.h"
#include "frontends/training_notices.h"
#include "frontends/training_rows.h"
#include "network/backends.h"
#include "network/network_error.h"
#include "network/traced_backend.h"
#include "system/compute/roofline.h"
#include "system/compute/variation.h"
#include "system/rank/job_runner.h"
#include "workload/memory/stage_memory.h"

namespace orrery {
namespace {

std::string name_of_traffic(std::size_t label) {
  if (label == kPointToPointLabel) return "point_to_point";
  return std::string(name_of(static_cast<Collective>(label)));
}

void add_wait(PacketResult& result, std::string kind, const PacketWaits& waits) {
  if (waits.packets == 0) return;
  const auto mean = [&](std::int64_t sum) {
    return nanoseconds(sum / static_cast<std::int64_t>(waits.packets));
  };
  result.waits.push_back({std::move(kind), waits.packets, mean(waits.at_source_ns),
                          mean(waits.in_switches_ns), waits.longest});
}

// What exposed time is summed under: gradients are exchanged backward by nature.
std::string exposed_kind(const Label& label, const LayerRow& row) {
  if (!label.traffic.empty()) return label.traffic;
  if (row.pass == Pass::forward) return row.collective + " forward";
  if (row.pass == Pass::input_gradient) return row.collective + " backward";
  return row.collective;
}

// The backend of the experiment; with a span for every message if `spans` wants them.
std::unique_ptr<NetworkBackend> make_network(EventQueue& queue, const Topology& topology,
                                             const NetworkSpec& spec, TraceSink& spans) {
  auto network = find_backend(spec.backend)->make(queue, topology, spec);
  if (!spans.wants_messages()) return network;
  return std::make_unique<TracedBackend>(queue, std::move(network), spans);
}

std::vector<TraceSink*> message_sinks(TrafficMatrix& matrix, LevelActivity& activity,
                                      const SimulateOptions& options) {
  std::vector<TraceSink*> sinks;
  if (options.activity) sinks.push_back(&activity);
  if (options.matrix) sinks.push_back(&matrix);
  if (options.spans != nullptr) sinks.push_back(options.spans);
  if (options.timeline != nullptr) sinks.push_back(options.timeline);
  return sinks;
}

std::vector<TraceSink*> span_sinks(SummarySink& summary, FingerprintSink& fingerprint,
                                   const SimulateOptions& options) {
  std::vector<TraceSink*> sinks = {&summary, &fingerprint};
  if (options.spans != nullptr) sinks.push_back(options.spans);
  if (options.timeline != nullptr) sinks.push_back(options.timeline);
  return sinks;
}

// Of each rank; nothing if all are simulated.
std::vector<std::int32_t> representatives(const Fold& fold, std::int32_t ranks) {
  std::vector<std::int32_t> of_rank;
  for (Rank rank = 0; !fold.none() && rank < ranks; ++rank)
    of_rank.push_back(fold.representative(rank));
  return of_rank;
}

VariationSpec seeded(VariationSpec spec, std::uint64_t seed) {
  spec.seed = seed;
  return spec;
}

class Simulation {
 public:
  Simulation(const Experiment& experiment, const SimulateOptions& options)
      : experiment_(experiment),
        options_(options),
        topology_(experiment.topology),
        activity_(topology_),
        message_sinks_(message_sinks(matrix_, activity_, options)),
        link_activity_(options.activity ? std::make_unique<LinkActivity>(topology_) : nullptr),
        network_(make_network(queue_, topology_, experiment.network, message_sinks_)),
        job_(make_job(experiment, topology_)),
        device_(experiment.npu.roofline()),
        compute_(device_, seeded(experiment.npu.variation, experiment.seed), job_.ranks),
        sinks_(span_sinks(summary_, fingerprint_, options)),
        runner_(queue_, *network_, topology_, experiment.system, job_, compute_, sinks_,
                options.fold && options.spans == nullptr ? Folding::where_exact : Folding::off),
        summary_(job_.ranks, runner_.fold(), job_.labels.size()),
        fingerprint_(representatives(runner_.fold(), job_.ranks)) {
    if (link_activity_) network_->watch_links(link_activity_->bins());
  }

  // Nothing if the job has to be run without folding: ranks wait for each other because of limits,
  // and one of them, of many alike, would have to begin beyond its own.
  std::optional<RunResult> run();
  const std::string& unfolded_because() const { return runner_.unfolded_because(); }

 private:
  RunResult result() const;
  void add_jobs(RunResult& result) const;
  void add_rows(RunResult& result, Rank last) const;
  void add_training(RunResult& result) const;
  void add_memory(RunResult& result) const;
  void add_traffic(RunResult& result) const;
  void add_packets(RunResult& result, const PacketStatistics& packets) const;
  void add_bottlenecks(RunResult& result) const;
  std::vector<std::string> group_names() const;
  void add_bound(RunResult& result) const;

  const Experiment& experiment_;
  const SimulateOptions& options_;
  EventQueue queue_;
  Topology topology_;
  TrafficMatrix matrix_;
  LevelActivity activity_;
  TeeSink message_sinks_;
  std::unique_ptr<LinkActivity> link_activity_;  // if it was asked for
  std::unique_ptr<NetworkBackend> network_;
  Job job_;
  Roofline device_;
  VariedCompute compute_;
  TeeSink sinks_;
  JobRunner runner_;
  // Made when it is known for how many ranks a span stands; nothing is emitted before run().
  SummarySink summary_;
  FingerprintSink fingerprint_;
};

std::optional<RunResult> Simulation::run() {
  if (options_.timeline != nullptr) options_.timeline->begin(experiment_, job_, runner_.fold());
  runner_.start();
  const auto stop = [&] {
    if (options_.progress) options_.progress({runner_.progress(), queue_.now(), queue_.executed()});
    return runner_.done() || (options_.stop && options_.stop());
  };
  bool ran_dry = false;
  std::string broken;  // what the network cannot do
  try {
    ran_dry = queue_.run(stop);
    if (ran_dry && !runner_.finished() && !runner_.fold().none()) return std::nullopt;
    while (ran_dry && !runner_.finished() && runner_.unblock()) ran_dry = queue_.run(stop);
  } catch (const NetworkError& error) {
    broken = error.what();
  }
  if (!runner_.finished()) runner_.emit_open_spans();
  RunResult result = this->result();
  if (options_.timeline != nullptr) options_.timeline->end(result);
  if (!broken.empty()) {
    result.partial = true;
    result.partial_reason = "network";
    throw StuckError(broken, std::move(result));
  }
  if (!ran_dry && !runner_.done()) {
    result.partial = true;
    result.partial_reason = "interrupted";
  } else if (!runner_.finished()) {
    result.partial = true;
    result.partial_reason = "stuck";
    throw StuckError(fmt::format("the job is stuck at {}: nothing is left to happen, and\n{}",
                                 to_text(queue_.now()), runner_.describe_stuck(10)),
                     std::move(result));
  }
  return result;
}

RunResult Simulation::result() const {
  RunResult result;
  result.name = experiment_.name;
  result.backend = experiment_.network.backend;
  result.seed = experiment_.seed;
  result.fingerprint = fingerprint_.hex();
  result.events = queue_.executed();
  std::size_t slowest = 0;
  result.folded = !runner_.fold().none();
  result.unfolded_because = runner_.unfolded_because();
  const std::int32_t multiplicity = runner_.fold().multiplicity();
  for (std::int32_t index = 0; index < runner_.simulated_ranks(); ++index) {
    const Rank rank = runner_.fold().representative_at(index);
    const RankAccount account = runner_.account(rank);
    const Duration finish = account.finish.since_start;
    CHECK(account.compute + account.exposed + account.idle == finish,
          "rank {}: compute {} + exposed {} + idle {} != finish {} ps", rank, account.compute.value,
          account.exposed.value, account.idle.value, finish.value);
    result.ranks.push_back({rank, multiplicity, finish, account.compute, account.exposed,
                            account.idle, account.stolen});
    if (finish > result.ranks[slowest].finish) slowest = static_cast<std::size_t>(index);
  }
  const Rank last = result.ranks[slowest].rank;
  result.finish = result.ranks[slowest].finish;
  result.compute = result.ranks[slowest].compute;
  result.exposed = result.ranks[slowest].exposed;
  result.idle = result.ranks[slowest].idle;
  result.stolen = result.ranks[slowest].stolen;
  if (const auto account = runner_.endpoint_account(last))
    result.endpoint = {account->sent, account->received, account->overhead, account->copy,
                       account->waited};
  add_jobs(result);
  add_rows(result, last);
  add_training(result);
  add_memory(result);
  result.selected = selected_rows(runner_.selection());
  add_traffic(result);
  add_bottlenecks(result);
  add_bound(result);
  result.activity = activity_.rows();
  if (link_activity_) result.link_activity = link_activity_->rows();
  result.matrix = matrix_.rows(group_names());
  for (const std::string& notice : network_->notices()) result.notices.push_back(notice);
  for (const auto& notices : {memory_notices(experiment_), training_notices(experiment_),
                              setting_notices(experiment_.network, network_->unused_settings())})
    result.notices.insert(result.notices.end(), notices.begin(), notices.end());
  constexpr std::int32_t many = 1'024;
  if (job_.ranks >= many && options_.fold && runner_.fold().none())
    result.notices.push_back(fmt::format("all {} ranks are simulated one by one: {}", job_.ranks,
                                         runner_.unfolded_because()));
  if (runner_.unblocked() > 0)
    result.notices.push_back(fmt::format(
        "{} chunk{} began beyond first_phase_limit or queue_limit, because ranks waited "
        "for each other",
        runner_.unblocked(), runner_.unblocked() == 1 ? "" : "s"));
  for (const std::string& messages : runner_.unreceived())
    result.notices.push_back(messages + " never received: is a receive missing?");
  return result;
}

void Simulation::add_jobs(RunResult& result) const {
  const auto* several = std::get_if<JobsSpec>(&experiment_.workload.what);
  if (several == nullptr) return;
  const Fold& fold = runner_.fold();
  const auto row_of = [&](Rank rank) -> const RankRow& {
    return result.ranks[fold.index_of(fold.representative(rank))];
  };
  for (const PlacedWorkload& job : several->jobs) {
    const RankRow* last = nullptr;
    for (const Rank npu : job.npus) {
      const RankRow& row = row_of(npu);
      if (last == nullptr || row.finish > last->finish) last = &row;
    }
    result.jobs.push_back({job.name, static_cast<std::int32_t>(job.npus.size()),
                           job.workload.iterations, job.start, last->finish, last->compute,
                           last->exposed, last->idle - job.start});
  }
}

// Its parts tell the bubble of the pipeline from what was waited for the network.
void Simulation::add_training(RunResult& result) const {
  const auto* workload = std::get_if<TransformerWorkload>(&experiment_.workload.what);
  if (workload == nullptr || !runner_.finished()) return;
  result.training = training_rows(experiment_, *workload, topology_, result.ranks, job_.labels,
                                  summary_.rows(), runner_);
  result.exposed_by.clear();
  for (const TrainingPart& part : training_parts(result.training->last_stage()))
    if (part.exposed && part.time > Duration{}) result.exposed_by.push_back({part.name, part.time});
}

void Simulation::add_memory(RunResult& result) const {
  const auto* training = std::get_if<TransformerWorkload>(&experiment_.workload.what);
  if (training == nullptr) return;
  if (experiment_.npu.memory) result.npu_memory = *experiment_.npu.memory - experiment_.npu.reserve;
  for (std::int32_t stage = 0; stage < training->training.pipeline; ++stage) {
    const StageMemory memory = stage_memory(*training, stage);
    result.memory.push_back({stage, memory.total(), memory.parameters, memory.gradients,
                             memory.optimizer, memory.buffers, memory.activations, memory.again,
                             memory.in_flight});
  }
}

void Simulation::add_rows(RunResult& result, Rank last) const {
  std::map<std::string, Duration> exposed_by;
  for (std::size_t label = 0; label < job_.labels.size(); ++label) {
    const SummarySink::Row& seen = summary_.rows()[label];
    const bool reached = seen.detail || seen.raw_count > 0 || !seen.compute.empty();
    if (!reached && !runner_.finished()) continue;  // an interrupted run lists what it reached
    const Label& named = job_.labels[label];
    LayerRow row;
    row.name = named.layer;
    row.iteration = named.iteration + 1;
    row.pass = named.pass;
    if (seen.detail) row.collective = name_of_detail(*seen.detail);
    row.bytes = seen.bytes;
    if (!seen.compute.empty()) row.compute = seen.compute[summary_.index_of(last)];
    if (!seen.exposed.empty()) row.exposed = seen.exposed[summary_.index_of(last)];
    if (seen.raw_count > 0)
      row.raw = {
          static_cast<std::int64_t>(seen.raw_sum / static_cast<std::uint64_t>(seen.raw_count))};
    row.raw_max = seen.raw_max;
    if (seen.raw_count > 0) row.raw_bound = runner_.bound_of(static_cast<std::int32_t>(label));
    if (row.exposed > Duration{}) exposed_by[exposed_kind(named, row)] += row.exposed;
    result.layers.push_back(std::move(row));
  }
  for (const auto& [kind, exposed] : exposed_by) result.exposed_by.push_back({kind, exposed});
}

void Simulation::add_traffic(RunResult& result) const {
  const NetworkStatistics statistics = network_->statistics();
  result.messages = statistics.messages;
  for (std::size_t level = 0; level < statistics.levels.size(); ++level) {
    const auto& by_label = statistics.levels[level].bytes_by_label;
    for (std::size_t label = 0; label < by_label.size(); ++label)
      if (by_label[label] > Bytes{})
        result.levels.push_back(
            {topology_.levels()[level].name, name_of_traffic(label), by_label[label]});
  }
  for (std::size_t i = 0; i < statistics.links.size(); ++i) {
    if (statistics.links[i] == Bytes{}) continue;
    const Link& link = topology_.links()[i];
    const double capacity = static_cast<double>(link.bandwidth.value) *
                            static_cast<double>(result.finish.value) * 1e-12;
    auto bytes = static_cast<double>(statistics.links[i].value);
    // Messages count when they are sent; of a run that ends early some are not carried yet.
    if (!runner_.finished()) bytes = std::min(bytes, capacity);
    result.links.push_back({topology_.link_name(static_cast<LinkIndex>(i)),
                            topology_.levels()[link.level].name, statistics.links[i],
                            capacity > 0 ? bytes / capacity : 0});
  }
  std::stable_sort(result.links.begin(), result.links.end(),
                   [](const LinkRow& a, const LinkRow& b) { return a.bytes > b.bytes; });
  if (statistics.packets) add_packets(result, *statistics.packets);
}

void Simulation::add_packets(RunResult& result, const PacketStatistics& packets) const {
  PacketResult& counted = result.packets.emplace();
  counted.packets = packets.packets;
  counted.packet_hops = packets.packet_hops;
  counted.drops = packets.drops;
  counted.marks = packets.marks;
  counted.connections = packets.connections;
  counted.retransmissions = packets.retransmissions;
  counted.timeouts = packets.timeouts;
  for (std::size_t i = 0; i < packets.links.size(); ++i) {
    const LinkQueueStatistics& queue = packets.links[i];
    if (queue.drops == 0 && queue.marks == 0 && queue.most_waiting == Bytes{}) continue;
    counted.queues.push_back({topology_.link_name(static_cast<LinkIndex>(i)), queue.packets,
                              queue.drops, queue.marks, queue.most_waiting});
  }
  std::stable_sort(counted.queues.begin(), counted.queues.end(),
                   [](const QueueRow& a, const QueueRow& b) {
                     return std::pair(a.drops, a.most_waiting) > std::pair(b.drops, b.most_waiting);
                   });
  for (const SwitchMemoryStatistics& memory : packets.switches)
    counted.switches.push_back({topology_.node_name(memory.node), memory.size, memory.most_used,
                                memory.interval, memory.peaks});
  for (std::size_t label = 0; label < packets.waits.size(); ++label)
    add_wait(counted, name_of_traffic(label), packets.waits[label]);
  add_wait(counted, "acknowledgements", packets.acknowledgement_waits);
  for (const QueueDepthStatistics& depth : packets.depths)
    counted.depths.push_back({topology_.link_name(depth.link), depth.interval, depth.peaks});
  for (const FlowStatistics& flow : packets.flows)
    counted.flows.push_back(
        {topology_.node_name(flow.source) + " -> " + topology_.node_name(flow.target),
         flow.samples});
  for (const CaptureStatistics& capture : packets.captures)
    counted.captures.push_back({capture.link, capture.packets, capture.left_out, capture.pcap});
  for (std::string& notice : packet_notices(experiment_.network, topology_, packets))
    result.notices.push_back(std::move(notice));
}

// Of the communicators, with the levels that they span: "communicator 1 (node, fabric)".
std::vector<std::string> Simulation::group_names() const {
  std::vector<std::string> names;
  for (const Communicator& communicator : job_.communicators) {
    std::string levels;
    if (const auto* spanned = std::get_if<std::vector<int>>(&communicator.groups))
      for (const int level : *spanned)
        levels += (levels.empty() ? "" : ", ") + topology_.levels()[level].name;
    names.push_back(levels.empty() ? communicator.name
                                   : fmt::format("{} ({})", communicator.name, levels));
  }
  return names;
}

// Of each kind of collective the level, and of that the link, that held most of its bytes back.
void Simulation::add_bottlenecks(RunResult& result) const {
  const NetworkStatistics statistics = network_->statistics();
  for (std::size_t label = 0; label < statistics.limited.size(); ++label) {
    const std::vector<Bytes>& by_link = statistics.limited[label];
    if (by_link.empty()) continue;
    std::vector<Bytes> levels(topology_.levels().size());
    for (std::size_t i = 0; i < by_link.size(); ++i)
      levels[static_cast<std::size_t>(topology_.links()[i].level)] += by_link[i];
    const auto level = std::max_element(levels.begin(), levels.end()) - levels.begin();
    std::size_t most = 0;
    for (std::size_t i = 0; i < by_link.size(); ++i)
      if (topology_.links()[i].level == level &&
          (topology_.links()[most].level != level || by_link[i] > by_link[most]))
        most = i;
    result.bottlenecks.push_back(
        {name_of_traffic(label), topology_.levels()[static_cast<std::size_t>(level)].name,
         levels[static_cast<std::size_t>(level)], topology_.link_name(static_cast<LinkIndex>(most)),
         by_link[most]});
  }
}

// The longest of: the computing of a rank; what a link carried, at its full bandwidth.
void Simulation::add_bound(RunResult& result) const {
  for (const RankRow& rank : result.ranks)
    result.bound = std::max(result.bound, rank.compute - rank.stolen);
  result.bound_by = "compute";
  // Messages that nobody received may still be on their way when the last rank finishes.
  if (!runner_.unreceived().empty()) return;
  const NetworkStatistics statistics = network_->statistics();
  const std::vector<Bytes>& links = statistics.links;
  std::optional<std::size_t> overloaded;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const Link& link = topology_.links()[i];
    Duration bound = transfer_time(links[i], link.bandwidth);
    // What is sent counts, and some of it may still be on its way: the last packets, or anything in
    // a run that ends early.
    if (statistics.packets || !runner_.finished()) bound = std::min(bound, result.finish);
    if (bound <= result.bound) continue;
    result.bound = bound;
    result.bound_by = topology_.levels()[link.level].name;
    if (bound > result.finish) overloaded = i;
  }
  if (overloaded && runner_.finished()) {
    result.notices.push_back(
        fmt::format("{} ({}) carries what would take it {}, and the run {}: the {} backend "
                    "does not model contention inside the fabric, so this time is too short",
                    topology_.link_name(static_cast<LinkIndex>(*overloaded)), result.bound_by,
                    to_text(result.bound), to_text(result.finish), result.backend));
  }
}

}  // namespace

std::string why_not_folded(const Experiment& experiment) {
  return Simulation(experiment, SimulateOptions{}).unfolded_because();
}

RunResult simulate(const Experiment& experiment, const SimulateOptions& options) {
  if (auto result = Simulation(experiment, options).run()) return *std::move(result);
  SimulateOptions unfolded = options;
  unfolded.fold = false;
  RunResult result = *Simulation(experiment, unfolded).run();
  result.unfolded_because = "ranks wait for each other";
  return result;
}

}  // namespace orrery
