#include "simulation/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/units/unit_text.h"
#include "network/backends.h"
#include "network/nic_shares.h"
#include "simulation/problems.h"
#include "simulation/result/faster_trainings.h"
#include "simulation/result/network_notices.h"
#include "simulation/result/uneven_links.h"
#include "simulation/search/fitting.h"
#include "workload/problems.h"

namespace orrery {

namespace {

using Change = std::function<void(Experiment&)>;

std::string name_of_level(const Experiment& experiment, int level) {
  const std::string& name = experiment.topology.levels[static_cast<std::size_t>(level)].name;
  return name.empty() ? fmt::format("level {}", level) : name;
}

bool is(const GraphSpec& graph, NodeId node, NodeKind kind) {
  return graph.nodes[static_cast<std::size_t>(node.value)].kind == kind;
}

bool is_one_of(LinksOf which, const GraphSpec& graph, const Link& link) {
  const auto joins = [&](NodeKind one, NodeKind other) {
    return (is(graph, link.from, one) && is(graph, link.to, other)) ||
           (is(graph, link.from, other) && is(graph, link.to, one));
  };
  switch (which) {
    case LinksOf::level:
      break;
    case LinksOf::switches:
      return joins(NodeKind::switched, NodeKind::switched);
    case LinksOf::bus:
      return joins(NodeKind::npu, NodeKind::nic);
    case LinksOf::fabric:
      return !joins(NodeKind::npu, NodeKind::nic);
  }
  return true;
}

void change_links(Experiment& experiment,
                  const std::function<void(const GraphSpec&, Link&)>& change) {
  if (experiment.topology.graph == nullptr) return;
  auto graph = std::make_shared<GraphSpec>(*experiment.topology.graph);
  for (Link& link : graph->links) change(*graph, link);
  experiment.topology.graph = std::move(graph);
}

class Changes {
 public:
  Changes(const Experiment& experiment, const RunResult& result)
      : experiment_(experiment), result_(result) {}

  std::vector<Alternative> all() && {
    for (int level = 0; level < static_cast<int>(experiment_.topology.levels.size()); ++level)
      add_level(level);
    add_levels_together();
    add_routing();
    add_endpoints();
    add_processor();
    add_ranks();
    add_faults();
    add_jobs();
    add_experts();
    add_larger_micro_batch();
    add_kernels();
    add_schedule();
    add_window();
    add_limits();
    return std::move(alternatives_);
  }

 private:
  void add(std::string name, const Change& change, std::int32_t iterations = 1) {
    Alternative alternative{std::move(name), experiment_, iterations};
    change(alternative.experiment);
    alternative.change += without_room(alternative.experiment);
    if (problems_of(alternative.experiment).empty())
      alternatives_.push_back(std::move(alternative));
  }

  // Of a change with which a training needs more memory than before, and than there is.
  std::string without_room(const Experiment& changed) const {
    const auto* before = std::get_if<TransformerWorkload>(&experiment_.workload.what);
    const auto* after = std::get_if<TransformerWorkload>(&changed.workload.what);
    if (before == nullptr || after == nullptr || !changed.npu.memory ||
        !problems_of(after->training, after->model, facts_of(changed.topology)).empty())
      return "";
    const Bytes needed = most_memory(*after), room = *changed.npu.memory - changed.npu.reserve;
    if (needed <= room_without_fragments(changed.npu) || needed <= most_memory(*before)) return "";
    return fmt::format("; {}: {} of {}",
                       needed <= room ? "FITS ONLY WITHOUT FRAGMENTS" : "DOES NOT FIT",
                       to_text(needed), to_text(room));
  }

  bool spent(BoundBy bound) const {
    return std::ranges::find(result_.why, bound, &TimePart::bound_by) != result_.why.end();
  }

  bool waits_for(std::string_view traffic) const {
    return std::ranges::any_of(
        result_.why, [&](const TimePart& part) { return part.part.starts_with(traffic); });
  }

  void add_level(int level) {
    const std::string name = name_of_level(experiment_, level);
    if (std::ranges::find(result_.levels, name, &LevelRow::name) == result_.levels.end()) return;
    const auto faster = [level](std::int64_t factor, LinksOf which) {
      return [=](Experiment& changed) { scale_bandwidth(changed, level, factor, which); };
    };
    const Bus bus = bus_of(level);
    add(name + ": bandwidth x 2", faster(2, bus.would_bind ? LinksOf::fabric : LinksOf::level));
    if (bus.binds) add(name + ": bus between NPUs and NICs x 2", faster(2, LinksOf::bus));
    if (bus.would_bind) add(name + ": bandwidth and bus x 2", faster(2, LinksOf::level));
    add(name + ": bandwidth infinite", faster(infinite_factor, LinksOf::level));
    if (has_switch_links(level))
      add(name + ": bandwidth between switches x 2", faster(2, LinksOf::switches));
    if (!has_latency(level)) return;
    add(name + ": latency / 2", [level](Experiment& changed) {
      change_latency(changed, level, [](Duration latency) {
        return Duration{latency.value / 2 + latency.value % 2};
      });
    });
    add(name + ": no latency", [level](Experiment& changed) {
      change_latency(changed, level,
                     [](Duration latency) { return std::min(latency, no_latency); });
    });
  }

  // Of NICs behind a bus, which is bought apart.
  struct Bus {
    bool binds = false;       // it carries less than its NPU's part of the NICs,
    bool would_bind = false;  // or would if they were twice as fast
  };
  Bus bus_of(int level) const {
    const GraphSpec* graph = experiment_.topology.graph.get();
    const auto here = [&](const Link& link) {
      return link.level == level && is_one_of(LinksOf::bus, *graph, link);
    };
    if (graph == nullptr || std::ranges::none_of(graph->links, here)) return {};
    const Topology topology(experiment_.topology);
    const NicShares nics(topology);
    return {.binds = nics.bus(0) < nics.part_of_nics(0),
            .would_bind = nics.bus(0) < nics.part_of_nics(0) * 2};
  }

  // -1 if there is none.
  int level_named(const std::string& name) const {
    const int levels = static_cast<int>(experiment_.topology.levels.size());
    int level = 0;
    while (level < levels && name_of_level(experiment_, level) != name) ++level;
    return level < levels ? level : -1;
  }

  // A port and what lies behind it, which may be as busy.
  void add_levels_together() {
    std::set<std::string> named;
    for (const TimePart& part : result_.why) {
      const std::string& other = part.beside.empty() ? part.held_by : part.beside;
      const int port = level_named(other), behind = level_named(part.level);
      if (!part.beside.empty() && port > behind) continue;  // the other one's part names both
      const std::string both =
          fmt::format("{}{} and {}", other, port >= 0 && bus_of(port).would_bind ? ", its bus" : "",
                      part.level);
      if (part.bound_by != BoundBy::bandwidth || port < 0 || behind < 0) continue;
      if (!named.insert(both).second) continue;
      add(both + ": bandwidth x 2", [=](Experiment& changed) {
        scale_bandwidth(changed, port, 2, LinksOf::level);
        scale_bandwidth(changed, behind, 2, LinksOf::level);
      });
    }
  }

  bool has_switch_links(int level) const {
    const GraphSpec* graph = experiment_.topology.graph.get();
    return graph != nullptr && std::ranges::any_of(graph->links, [&](const Link& link) {
             return link.level == level && is_one_of(LinksOf::switches, *graph, link);
           });
  }

  bool has_latency(int level) const {
    const GraphSpec* graph = experiment_.topology.graph.get();
    if (graph == nullptr)
      return experiment_.topology.levels[static_cast<std::size_t>(level)].latency > no_latency;
    return std::ranges::any_of(graph->links, [&](const Link& link) {
      return link.level == level && link.latency > no_latency;
    });
  }

  void add_routing() {
    if (!spent(BoundBy::contention) || !takes_one_path(experiment_)) return;
    add("messages on all shortest paths (routing.policy: spray)", [](Experiment& changed) {
      changed.network.routing.policy = RoutingPolicy::spray;
      if (takes_disorder_for_loss(changed.network))
        changed.network.transport.roce.recovery = RecoveryKind::selective_repeat;
    });
  }

  void add_endpoints() {
    const SystemSpec& system = experiment_.system;
    if (system.injection_latency > no_latency || system.local_injection_latency > no_latency)
      add("no injection latency", [](Experiment& changed) {
        changed.system.injection_latency = changed.system.local_injection_latency = no_latency;
      });
    const bool takes = system.sm_tax.part > 0 || system.channels.multiprocessors > 0;
    if (takes && result_.stolen > Duration{})
      add("collectives take no processor (channels, sm_tax)", [](Experiment& changed) {
        changed.system.sm_tax = {};
        changed.system.channels = {};
      });
  }

  void add_processor() {
    const NpuSpec& npu = experiment_.npu;
    const auto twice_as_fast = [](Experiment& changed) {
      NpuSpec& faster = changed.npu;
      if (faster.peak.value <= std::numeric_limits<std::int64_t>::max() / 2)
        faster.peak = {faster.peak.value * 2};
      for (TimedProduct& product : faster.efficiency.products)
        product.time = {(product.time.value + 1) / 2};
      faster.measured_speed *= 2;
    };
    const auto rate = std::ranges::find(result_.why, BoundBy::compute_rate, &TimePart::bound_by);
    if (rate != result_.why.end()) add("compute rate x 2", twice_as_fast);
    const int beside = rate == result_.why.end() ? -1 : level_named(rate->beside);
    if (beside >= 0)
      add(fmt::format("compute rate and bandwidth on {} x 2", rate->beside),
          [&](Experiment& changed) {
            twice_as_fast(changed);
            scale_bandwidth(changed, beside, 2, LinksOf::level);
          });
    if (npu.memory_bandwidth && spent(BoundBy::memory_bandwidth))
      add("memory bandwidth x 2", [](Experiment& changed) {
        *changed.npu.memory_bandwidth = *changed.npu.memory_bandwidth * 2;
      });
    if (spent(BoundBy::launches))
      add("kernel launches cost nothing", [](Experiment& changed) {
        changed.npu.efficiency.launch = changed.npu.efficiency.issue = Duration{};
      });
  }

  void add_ranks() {
    if (experiment_.npu.variation.jitter)
      add("no jitter", [](Experiment& changed) { changed.npu.variation.jitter.reset(); });
    if (!experiment_.npu.variation.stragglers.empty())
      add("no stragglers", [](Experiment& changed) { changed.npu.variation.stragglers.clear(); });
    const auto* transformer = std::get_if<TransformerWorkload>(&experiment_.workload.what);
    if (transformer != nullptr && transformer->training.experts.load.kind != ExpertLoad::uniform)
      add("experts equally popular", [](Experiment& changed) {
        std::get<TransformerWorkload>(changed.workload.what).training.experts.load = {};
      });
  }

  void add_faults() {
    if (!experiment_.network.routing.faults.empty())
      add("no faults", [](Experiment& changed) { changed.network.routing.faults.clear(); });
  }

  // What is left where jobs start apart, at best: the one that ends last, without the others.
  void add_jobs() {
    if (result_.jobs.size() < 2) return;
    const JobRow& last = *std::ranges::max_element(result_.jobs, {}, &JobRow::finish);
    add(fmt::format("{} without the other jobs", last.name), [&](Experiment& changed) {
      std::erase_if(std::get<JobsSpec>(changed.workload.what).jobs,
                    [&](const PlacedWorkload& job) { return job.name != last.name; });
    });
  }

  void add_experts() {
    if (waits_for("EP"))
      add_training("one copy of a token to each node (training.dispatch: by_node)",
                   with_dispatch_by_node(experiment_, Memory::is_any));
    if (waits_for("EP") && may_overlap_experts(experiment_))
      add("all-to-alls beside computing (training.overlap_experts)", [](Experiment& changed) {
        auto& training = std::get<TransformerWorkload>(changed.workload.what).training;
        training.experts.overlap_batches = true;
      });
  }

  // Parameters and gradients are read and written less often.
  void add_larger_micro_batch() {
    const auto* written = std::get_if<TransformerWorkload>(&experiment_.workload.what);
    if (written == nullptr || !spent(BoundBy::memory_bandwidth)) return;
    add("micro-batches twice as large, half as many", [](Experiment& changed) {
      std::get<TransformerWorkload>(changed.workload.what).training.micro_batch *= 2;
    });
  }

  void add_training(std::string name, const std::optional<TransformerTraining>& training) {
    if (training)
      add(std::move(name), [&](Experiment& changed) {
        std::get<TransformerWorkload>(changed.workload.what).training = *training;
      });
  }

  void add_kernels() {
    add_training("no recomputation (training.recompute: none)",
                 without_recomputation(experiment_, Memory::is_any));
    if (spent(BoundBy::memory_bandwidth))
      add_training("the loss in one kernel (training.fused_cross_entropy)",
                   with_fused_loss(experiment_, Memory::is_any));
    if (waits_for("TP"))
      add_training("TP exchanges beside products (training.overlap_tensor)",
                   with_overlapped_tensor(experiment_, Memory::is_any));
    if (waits_for("DP"))
      add_training("parameters gathered beside forward passes (training.overlap_parameters)",
                   with_overlapped_parameters(experiment_, Memory::is_any));
  }

  // Smaller micro-batches where they can be halved; else steps of twice the samples.
  void add_schedule() {
    const auto* transformer = std::get_if<TransformerWorkload>(&experiment_.workload.what);
    if (transformer == nullptr || transformer->training.pipeline == 1) return;
    const bool halves = transformer->training.micro_batch % 2 == 0;
    add(
        halves ? "micro-batches x 2, half as large" : "micro-batches x 2, time for as many samples",
        [halves](Experiment& changed) {
          auto& training = std::get<TransformerWorkload>(changed.workload.what).training;
          (halves ? training.micro_batch : training.global_batch) =
              halves ? training.micro_batch / 2 : training.global_batch * 2;
        },
        halves ? 1 : 2);
    if (!spent(BoundBy::schedule)) return;
    auto fewer = with_fewer_stages(experiment_);
    if (fewer.empty()) fewer = with_fewer_stages(experiment_, Memory::is_any);
    if (!fewer.empty()) {
      const TransformerTraining best = fastest_of(experiment_, fewer).training;
      add_training(fmt::format("fewer stages (training.{})", stages_text(best)), best);
    }
    for (const TransformerTraining& other : other_schedules(experiment_))
      add_training(fmt::format("training.{}", schedule_text(other)), other);
  }

  void add_window() {
    const BackendEntry* backend = find_backend(experiment_.network.backend);
    if (result_.packets && experiment_.network.uses(TransportKind::tcp, backend->traits->transport))
      add("windows of TCP x 2 (network.transport.window)", [](Experiment& changed) {
        TransportSpec& transport = changed.network.transport;
        transport.window = transport.window * 2;
        if (transport.receive_window) transport.receive_window = *transport.receive_window * 2;
      });
  }

  void add_limits() {
    if (spent(BoundBy::limits))
      add("no limits on chunks in flight", [](Experiment& changed) {
        constexpr std::int32_t many = 1 << 16;
        changed.system.first_phase_limit = changed.system.queue_limit = many;
        changed.system.overlap_limit.reset();
      });
    if (result_.packets && result_.packets->roce && result_.packets->roce->held_by_rate > 0)
      add("senders at line rate (congestion_control: none)",
          [](Experiment& changed) { changed.network.transport.congestion_control = "none"; });
    if (experiment_.network.backend != "analytical")
      add("no contention inside the fabric (analytical)",
          [](Experiment& changed) { changed.network.backend = "analytical"; });
  }

  const Experiment& experiment_;
  const RunResult& result_;
  std::vector<Alternative> alternatives_;
};

}  // namespace

void scale_bandwidth(Experiment& experiment, int level, std::int64_t factor, LinksOf which) {
  LevelSpec& spec = experiment.topology.levels[static_cast<std::size_t>(level)];
  if (which == LinksOf::level) spec.bandwidth = spec.bandwidth * factor;
  change_links(experiment, [&](const GraphSpec& graph, Link& link) {
    if (link.level == level && is_one_of(which, graph, link))
      link.bandwidth = link.bandwidth * factor;
  });
  if (which != LinksOf::bus && which != LinksOf::fabric) return;
  // A port of which only a part is faster takes no more than the other part.
  const Topology changed(experiment.topology);
  const Bandwidth alone = std::max(spec.bandwidth, NicShares(changed).alone(0));
  spec.bandwidth = std::min(spec.bandwidth * factor, alone);
}

void change_latency(Experiment& experiment, int level,
                    const std::function<Duration(Duration)>& latency_of) {
  LevelSpec& spec = experiment.topology.levels[static_cast<std::size_t>(level)];
  spec.latency = latency_of(spec.latency);
  change_links(experiment, [&](const GraphSpec&, Link& link) {
    if (link.level == level) link.latency = latency_of(link.latency);
  });
}

std::vector<Alternative> alternatives(const Experiment& experiment, const RunResult& result) {
  return Changes(experiment, result).all();
}

void add_gains(RunResult& result, std::span<const Alternative> alternatives,
               std::span<const RunResult* const> changed) {
  const std::optional<Duration> now = iteration_time(result);
  if (!now) return;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const auto then = changed[i] == nullptr ? std::nullopt : iteration_time(*changed[i]);
    if (!then) continue;
    const Duration time{then->value / alternatives[i].iterations};
    result.what_if.push_back({alternatives[i].change, time, *now - time,
                              static_cast<double>((*now - time).value) /
                                  static_cast<double>(std::max<std::int64_t>(1, now->value))});
  }
  std::ranges::stable_sort(result.what_if, std::ranges::greater{}, &WhatIfRow::gain);
}

}  // namespace orrery
