#include "simulation/result/knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "network/backends.h"
#include "network/inner_links.h"
#include "network/topology/topology.h"
#include "simulation/result/network_notices.h"
#include "simulation/search/fitting.h"
#include "simulation/search/search.h"
#include "workload/problems.h"

namespace orrery {

namespace {

constexpr double least_taper = 1.01;

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

// A multiple of the micro-batch, of up to 16 samples, that has room and takes least by estimate
// (search.h), if that is a fiftieth less: parameters and gradients are read and written less often.
// Nothing if none does.
std::optional<std::int64_t> faster_micro_batch(const Experiment& experiment) {
  constexpr std::int64_t most_samples = 16;
  const auto* written = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (written == nullptr || experiment.topology.levels.empty()) return std::nullopt;
  FittingChoices sizes;
  sizes.fitting.push_back({{}, written->training, {}});
  TransformerWorkload larger = *written;
  while ((larger.training.micro_batch *= 2) <= most_samples) {
    if (!problems_of(larger.training, larger.model, facts_of(experiment.topology)).empty()) break;
    const NpuSpec& npu = experiment.npu;
    if (npu.memory && most_memory(larger) > room_without_fragments(npu)) break;
    sizes.fitting.push_back({{}, larger.training, {}});
  }
  if (sizes.fitting.size() == 1) return std::nullopt;
  const SearchResult found = estimate_choices({experiment, {}}, std::move(sizes), 1);
  const auto now =
      std::ranges::find(found.rows, written->training.micro_batch,
                        [](const auto& row) { return row.found.training.micro_batch; });
  const SearchRow& best = found.rows.front();
  return best.estimate < now->estimate - Duration{now->estimate.value / 50}
             ? std::optional(best.found.training.micro_batch)
             : std::nullopt;
}

std::string against_memory_traffic(const TimePart& part, const Experiment& experiment) {
  if (part.part == "optimizer")
    return "more memory bandwidth, or states divided between ranks (training.sharding)";
  const auto larger = faster_micro_batch(experiment);
  return (larger ? fmt::format("training.micro_batch: {}, or ", *larger) : "") +
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

// Nothing behind the NICs gives less than a port takes: a slower bus would only hide them.
bool narrows_at_nics(const Experiment& experiment) {
  return inner_links(experiment.topology).kind == InnerLinks::Kind::at_nics;
}

constexpr const char* jobs_apart = "jobs that start apart or share no links (start, npus), or ";

std::string against_timeouts(const NetworkSpec& network) {
  if (takes_disorder_for_loss(network))
    return "network.transport.recovery: selective_repeat, which does not take disorder for loss";
  // Queues are longer than timers.
  return "a longer network.transport.minimum_rto (RoCE: rto), or a smaller window";
}

// A lost packet costs all that left after it.
bool goes_back(const NetworkSpec& network) {
  const auto kind =
      network.transport.kind.value_or(find_backend(network.backend)->traits->transport);
  return kind == TransportKind::roce && network.transport.roce.recovery == RecoveryKind::go_back_n;
}

std::string against_losses(const LossRow& losses, const NetworkSpec& network) {
  const std::uint64_t of_switches = losses.full + losses.picked + losses.no_headroom;
  if (losses.random > std::max(of_switches, losses.link_down))
    return fmt::format(
        "{}links that lose less (network.switch.loss, lossy_links)",
        goes_back(network) ? "network.transport.recovery: selective_repeat, or " : "");
  if (losses.link_down > of_switches)
    return "links that stay up (network.faults), or switches that learn of it sooner "
           "(network.routing.reroute_delay)";
  return "more memory in the switches (network.switch.buffer), or a smaller window";
}

// At the port of an NPU there is no other path.
std::string against_contention(const TimePart& part, const Experiment& experiment) {
  const bool at_npu = part.held_by.find("npu ") != std::string::npos;
  const char* other = has_servers(experiment) ? "more data_parallel.servers"
                      : at_npu                ? "another algorithm or placement"
                                              : "another routing.policy, placement or algorithm";
  const char* jobs = !at_npu && jobs_meet_on(part.level, experiment) ? jobs_apart : "";
  return fmt::format("{}{}, or a wider {}", jobs, other, part.held_by);
}

}  // namespace

bool may_overlap_experts(const Experiment& experiment) {
  const auto* written = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (written == nullptr || written->training.experts.overlap_batches) return false;
  TransformerTraining beside = written->training;
  beside.experts.overlap_batches = true;
  return problems_of(beside, written->model, facts_of(experiment.topology)).empty();
}

std::string knob_of(const TimePart& part, const Experiment& experiment, double taper,
                    const LossRow& losses) {
  switch (part.bound_by) {
    case BoundBy::compute_rate:
      return "a faster processor (npu.peak), or more ranks";
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
        return fmt::format("more bandwidth on {}{}", part.held_by,
                           less_traffic(part.part, experiment));
      if (taper >= least_taper)
        return fmt::format("{}{} (now {:.3g}:1){}",
                           jobs_meet_on(part.level, experiment) ? jobs_apart : "",
                           narrows_at_nics(experiment) ? "faster NICs, which several NPUs share"
                                                       : "less taper at " + part.level,
                           taper, less_traffic(part.part, experiment));
      return fmt::format("more bandwidth on {}{}", part.level, less_traffic(part.part, experiment));
    case BoundBy::latency:
      return against_latency(part);
    case BoundBy::contention:
      return against_contention(part, experiment);
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
