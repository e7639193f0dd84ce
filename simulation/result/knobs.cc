#include "simulation/result/knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "network/backends.h"
#include "network/topology/topology.h"
#include "simulation/result/level_knobs.h"
#include "simulation/result/network_notices.h"
#include "simulation/search/fitting.h"
#include "simulation/search/search.h"
#include "workload/problems.h"

namespace orrery {

namespace {

// Whether the model has room on its devices with half of what makes that traffic: half of the ranks
// of tensor or expert parallelism, which must be allowed. Always, if the memory is not known.
bool has_room_with_half(const std::string& kind, const Experiment& experiment) {
  const auto* written = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (written == nullptr || !experiment.npu.memory) return true;
  TransformerWorkload half = *written;
  if (kind == "TP") {
    if (half.training.tensor % 2 != 0) return true;
    half.training.tensor /= 2;
    if (half.training.tensor == 1) half.training.sequence_parallel = false;
  } else if (kind == "EP") {
    if (half.training.experts.parallel % 2 != 0) return true;
    half.training.experts.parallel /= 2;
  } else {
    return true;
  }
  const PlatformFacts platform = facts_of(experiment.topology);
  half.training.data = data_ranks(half.training, platform);
  if (!problems_of(half.training, half.model, platform).empty()) return false;
  return most_memory(half) + experiment.npu.reserve <= *experiment.npu.memory;
}

// What hides the exchanges of experts, where the rules allow it.
std::string beside_computing(const Experiment& experiment) {
  return may_overlap_experts(experiment)
             ? ", or all-to-alls beside computing (training.overlap_experts)"
             : "";
}

// What sends less of a kind of traffic.
std::string less_traffic(const std::string& kind, const Experiment& experiment) {
  if (kind == "EP")
    return beside_computing(experiment) +
           (has_room_with_half(kind, experiment) ? ", or a smaller training.expert" : "");
  if (!has_room_with_half(kind, experiment)) return "";
  if (kind == "TP") return ", or a smaller training.tensor";
  if (kind == "DP") return ", or fewer and larger steps (training.global_batch)";
  if (kind == "CP") return ", or a smaller training.context";
  if (kind == "PP") return ", or fewer stages (training.pipeline)";
  return "";
}

// Of up to 16 samples, that have room: parameters and gradients are read and written less often.
std::vector<TransformerTraining> larger_micro_batches(const Experiment& experiment) {
  constexpr std::int64_t most_samples = 16;
  const auto& written = std::get<TransformerWorkload>(experiment.workload.what);
  const NpuSpec& npu = experiment.npu;
  std::vector<TransformerTraining> more;
  TransformerWorkload larger = written;
  while ((larger.training.micro_batch *= 2) <= most_samples) {
    if (!problems_of(larger.training, larger.model, facts_of(experiment.topology)).empty()) break;
    if (npu.memory && most_memory(larger) > room_without_fragments(npu)) break;
    more.push_back(larger.training);
  }
  return more;
}

// By estimate (search.h). An estimator knows one way to compute the loss.
SearchRow fastest(const Experiment& experiment, const std::vector<TransformerTraining>& all) {
  FittingChoices choices;
  for (const TransformerTraining& training : all) choices.fitting.push_back({{}, training, {}});
  return estimate_choices({experiment, {}}, std::move(choices), 1).rows.front();
}

// What takes least, if that is a fiftieth less. "" if nothing does.
std::string faster_kernels(const Experiment& experiment) {
  const auto* written = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (written == nullptr || experiment.topology.levels.empty()) return "";
  const auto fused = with_fused_loss(experiment);
  const auto larger = larger_micro_batches(experiment);
  if (!fused && larger.empty()) return "";
  const Duration now = fastest(experiment, {written->training}).estimate;
  Duration least = now - Duration{now.value / 50};
  std::string knob;
  if (fused)
    if (const Duration then = fastest(experiment, {*fused}).estimate; then < least) {
      least = then;
      knob = "training.fused_cross_entropy: true, or ";
    }
  if (!larger.empty())
    if (const SearchRow best = fastest(experiment, larger); best.estimate < least)
      knob = fmt::format("training.micro_batch: {}, or ", best.found.training.micro_batch);
  return knob;
}

std::string against_memory_traffic(const TimePart& part, const Experiment& experiment) {
  if (part.part == "optimizer")
    return "more memory bandwidth, or states divided between ranks (training.sharding)";
  return faster_kernels(experiment) +
         "more memory bandwidth (npu.memory_bandwidth), or fused kernels";
}

std::string against_latency(const TimePart& part) {
  const std::string on = part.level.empty() ? "" : " on " + part.level;
  return fmt::format("less latency{}, or fewer steps: another algorithm, or fewer and larger calls",
                     on);
}

bool has_servers(const Experiment& experiment) {
  const auto* stack = std::get_if<StackTraining>(&experiment.workload.what);
  return stack != nullptr && !stack->servers.empty();
}

// Servers that lie in one member of the level below share its uplinks, however many they are.
std::string other_servers(const TimePart& part, const Experiment& experiment) {
  const auto& servers = std::get<StackTraining>(experiment.workload.what).servers;
  const Topology topology(experiment.topology);
  const LevelSpec* inner = nullptr;
  Rank below = 1;
  for (const LevelSpec& level : topology.levels()) {
    if (level.name == part.level) break;
    below *= level.size;
    inner = &level;
  }
  const auto unit = [&](Rank server) { return server / below; };
  const bool together = std::ranges::all_of(
      servers, [&](Rank server) { return unit(server) == unit(servers.front()); });
  if (inner == nullptr || !together || below >= topology.npu_count())
    return "more data_parallel.servers";
  return fmt::format("data_parallel.servers that do not share a {}", inner->name);
}

std::string against_late_ranks(const TimePart& part, const Experiment& experiment) {
  if (experiment.npu.variation.jitter || !experiment.npu.variation.stragglers.empty())
    return "ranks that are equally fast (npu.jitter, npu.stragglers)";
  if (part.part == "EP")
    return "experts that are equally popular (training.expert_load), or a capacity "
           "(training.expert_capacity)";
  if (has_servers(experiment)) return "more data_parallel.servers";
  return "work that is spread evenly over the ranks";
}

// Several jobs have messages on the level: their NPUs lie in several of its members.
bool jobs_meet_on(const std::string& name, const Experiment& experiment) {
  const auto* several = std::get_if<JobsSpec>(&experiment.workload.what);
  if (several == nullptr) return false;
  const Topology topology(experiment.topology);  // knows the names of levels
  Rank below = 1;
  for (const LevelSpec& level : topology.levels()) {
    if (level.name == name) break;
    below *= level.size;
  }
  return std::ranges::count_if(several->jobs, [&](const PlacedWorkload& job) {
           return job.npus.front() / below != job.npus.back() / below;
         }) > 1;
}

constexpr const char* jobs_apart = "jobs that start apart or share no links (start, npus), or ";

std::string against_timeouts(const NetworkSpec& network) {
  if (takes_disorder_for_loss(network)) return recovery_of_disorder;
  // Queues are longer than timers.
  return "a longer network.transport.minimum_rto (RoCE: rto), or a smaller window";
}

// A lost packet costs all that left after it.
bool goes_back(const NetworkSpec& network) {
  const auto kind =
      network.transport.kind.value_or(find_backend(network.backend)->traits->transport);
  return kind == TransportKind::roce && network.transport.roce.recovery == RecoveryKind::go_back_n;
}

// The bandwidth of a link that is slower than it was built.
bool is_degraded(const std::string& link, const Experiment& experiment) {
  const auto& faults = experiment.network.routing.faults;
  if (faults.empty()) return false;
  const Topology topology(experiment.topology);
  return std::ranges::any_of(faults, [&](const Fault& fault) {
    return fault.condition == LinkCondition::degraded && fault.link &&
           topology.link_name(*fault.link) == link;
  });
}

std::string against_losses(const LossRow& losses, const NetworkSpec& network) {
  const std::uint64_t of_switches = losses.full + losses.picked + losses.no_headroom;
  if (losses.random > std::max(of_switches, losses.link_down))
    return fmt::format(
        "{}links that lose less (network.switch.loss, lossy_links)",
        goes_back(network) ? "network.transport.recovery: selective_repeat, or " : "");
  if (losses.link_down > of_switches)
    return fmt::format("links that stay up (network.faults){}",
                       network.routing.reroute_delay > Duration{}
                           ? ", or switches that learn of it sooner (network.routing.reroute_delay)"
                           : "");
  return "more memory in the switches (network.switch.buffer), or a smaller window";
}

// At the port of an NPU there is no other path.
std::string against_contention(const TimePart& part, const Experiment& experiment,
                               bool jobs_at_once) {
  const bool at_npu = part.held_by.find("npu ") != std::string::npos;
  const std::string other = has_servers(experiment) ? other_servers(part, experiment)
                            : at_npu                ? "another algorithm or placement"
                                     : "another routing.policy, placement or algorithm";
  const char* jobs =
      jobs_at_once && !at_npu && jobs_meet_on(part.level, experiment) ? jobs_apart : "";
  const std::string shared = if_shared_nic(Topology(experiment.topology), part.held_by);
  return fmt::format("{}{}{}, or a wider {}", jobs, shared, other, part.held_by);
}

}  // namespace

namespace {

std::optional<TransformerTraining> if_allowed(const Experiment& experiment,
                                              TransformerWorkload changed) {
  const NpuSpec& npu = experiment.npu;
  if (experiment.topology.levels.empty() ||
      !problems_of(changed.training, changed.model, facts_of(experiment.topology)).empty() ||
      (npu.memory && most_memory(changed) > room_without_fragments(npu)))
    return std::nullopt;
  return std::move(changed.training);
}

}  // namespace

std::optional<TransformerTraining> without_recomputation(const Experiment& experiment) {
  const auto* written = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (written == nullptr || written->training.recompute == Recompute::none) return std::nullopt;
  TransformerWorkload changed = *written;
  changed.training.recompute = Recompute::none;
  changed.training.recompute_layers.reset();
  changed.training.recompute_stops_early = false;
  return if_allowed(experiment, std::move(changed));
}

std::optional<TransformerTraining> with_fused_loss(const Experiment& experiment) {
  const auto* written = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (written == nullptr || written->training.fused_cross_entropy) return std::nullopt;
  TransformerWorkload changed = *written;
  changed.training.fused_cross_entropy = true;
  return if_allowed(experiment, std::move(changed));
}

bool may_overlap_experts(const Experiment& experiment) {
  const auto* written = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (written == nullptr || written->training.experts.overlap_batches) return false;
  TransformerTraining beside = written->training;
  beside.experts.overlap_batches = true;
  return problems_of(beside, written->model, facts_of(experiment.topology)).empty();
}

std::string knob_of(const TimePart& part, const Experiment& experiment, double taper,
                    const LossRow& losses, bool jobs_at_once) {
  switch (part.bound_by) {
    case BoundBy::compute_rate:
      return fmt::format("{}a faster processor (npu.peak), or more ranks",
                         without_recomputation(experiment) ? "training.recompute: none, or " : "");
    case BoundBy::memory_bandwidth:
      return against_memory_traffic(part, experiment);
    case BoundBy::launches:
      return "a larger training.micro_batch, or cheaper launches (npu.efficiency.launch)";
    case BoundBy::slow_ranks:
      return "ranks that are equally fast (npu.jitter, npu.stragglers)";
    case BoundBy::collectives:
      return "fewer system.channels, or a smaller system.sm_tax";
    case BoundBy::late_ranks:
      return against_late_ranks(part, experiment);
    case BoundBy::schedule:
      return "more micro-batches (training.global_batch, micro_batch), an interleaved or "
             "zero-bubble schedule, or fewer stages";
    case BoundBy::bandwidth:
      if (!part.held_by.empty())
        return fmt::format("{}{}{}",
                           is_degraded(part.held_by, experiment)
                               ? "a link that is not degraded (network.faults), or "
                               : "",
                           more_bandwidth(Topology(experiment.topology), part.held_by, 1),
                           less_traffic(part.part, experiment));
      return fmt::format(
          "{}{}{}",
          taper >= least_taper && jobs_at_once && jobs_meet_on(part.level, experiment) ? jobs_apart
                                                                                       : "",
          more_bandwidth(Topology(experiment.topology), part.level, taper),
          less_traffic(part.part, experiment));
    case BoundBy::latency:
      return against_latency(part);
    case BoundBy::contention:
      return against_contention(part, experiment, jobs_at_once);
    case BoundBy::endpoints:
      return "cheaper or fewer messages (system.endpoint, system.chunks)";
    case BoundBy::slow_receiver:
      return fmt::format("{} takes what comes more slowly than its links bring it (network.slow)",
                         part.held_by);
    case BoundBy::losses:
      return against_losses(losses, experiment.network);
    case BoundBy::timeouts:
      return against_timeouts(experiment.network);
    case BoundBy::window:
      return "a larger network.transport.window";
    case BoundBy::limits:
      return "higher limits on what is in flight (system.queue_limit, first_phase_limit), or other "
             "system.chunks";
    case BoundBy::dependencies:
      return "another number of system.chunks, or another algorithm";
    case BoundBy::host:
      return "a faster host, or work that waits less for it";
    case BoundBy::nothing:
      break;
  }
  return "";
}

}  // namespace orrery
