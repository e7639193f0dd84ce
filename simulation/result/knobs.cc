#include "simulation/result/knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "core/units/unit_text.h"
#include "network/backends.h"
#include "network/topology/topology.h"
#include "simulation/critical_stage.h"
#include "simulation/result/faster_trainings.h"
#include "simulation/result/level_knobs.h"
#include "simulation/result/network_notices.h"
#include "simulation/search/fitting.h"
#include "simulation/timed_work.h"
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

// Whether it takes a fiftieth less than the present one, by estimate.
bool gains(const Experiment& experiment, const TransformerTraining& training) {
  const auto& written = std::get<TransformerWorkload>(experiment.workload.what);
  const Duration now = fastest_of(experiment, {written.training}).iteration;
  return fastest_of(experiment, {training}).iteration < now - Duration{now.value / 50};
}
// zero3 gathers parameters for each micro-batch, and fewer steps have as many of them.
std::string fewer_exchanges(const Experiment& experiment) {
  const auto* written = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (written == nullptr || written->training.sharding != Sharding::zero3)
    return ", or fewer and larger steps (training.global_batch)";
  const auto larger = larger_micro_batches(experiment);
  return !larger.empty() && gains(experiment, larger.front())
             ? fmt::format(", or training.micro_batch: {}", larger.front().micro_batch)
             : "";
}

// What sends less of a kind of traffic.
std::string less_traffic(const std::string& kind, const Experiment& experiment) {
  if (kind == "EP")
    return beside_computing(experiment) +
           (has_room_with_half(kind, experiment) ? ", or a smaller training.expert" : "");
  if (!has_room_with_half(kind, experiment)) return "";
  if (kind == "TP") return ", or a smaller training.tensor";
  if (kind == "DP") return fewer_exchanges(experiment);
  if (kind == "CP") return ", or a smaller training.context";
  if (kind == "PP") return ", or fewer stages (training.pipeline)";
  return "";
}

constexpr double least_share = 0.02;  // of the time, of a part without which that much is gained

const char* without_recomputation_first(const Experiment& experiment) {
  const auto kept = without_recomputation(experiment);
  return kept && gains(experiment, *kept) ? "training.recompute: none, or " : "";
}

// What sends a kind of traffic beside computing, or less of it.
std::string setting_first(const TimePart& part, const Experiment& experiment) {
  if (part.share < least_share) return "";
  if (part.part == "EP") {
    const auto by_node = with_dispatch_by_node(experiment);
    return by_node && gains(experiment, *by_node) ? "training.dispatch: by_node (DeepEP), or " : "";
  }
  if (part.part == "DP") {
    const auto gathered = with_overlapped_parameters(experiment);
    return gathered && gains(experiment, *gathered) ? "training.overlap_parameters: true, or " : "";
  }
  if (part.part != "TP") return "";
  const auto overlapped = with_overlapped_tensor(experiment);
  return overlapped && gains(experiment, *overlapped) ? "training.overlap_tensor: true, or " : "";
}

std::string against_bubble(const TimePart& part, const Experiment& experiment) {
  const char* batches = "more micro-batches (training.global_batch, micro_batch)";
  if (part.share >= least_share)
    if (const auto others = other_schedules(experiment);
        !others.empty() && gains(experiment, others.front()))
      return fmt::format("training.{}, or {}, or fewer stages", schedule_text(others.front()),
                         batches);
  return fmt::format("{}, an interleaved or zero-bubble schedule, or fewer stages", batches);
}

struct Setting {
  std::string text;  // "" if there is none
  double gain = 0;   // of an iteration's time, by estimate
};

// What takes least, if that is a fiftieth less.
Setting faster_kernels(const Experiment& experiment) {
  const auto* written = std::get_if<TransformerWorkload>(&experiment.workload.what);
  if (written == nullptr || experiment.topology.levels.empty()) return {};
  const auto fused = with_fused_loss(experiment);
  const auto larger = larger_micro_batches(experiment);
  if (!fused && larger.empty()) return {};
  const Duration now = fastest_of(experiment, {written->training}).iteration;
  Duration least = now - Duration{now.value / 50};
  std::string knob;
  if (fused)
    if (const Duration then = fastest_of(experiment, {*fused}).iteration; then < least) {
      least = then;
      knob = "training.fused_cross_entropy: true";
    }
  if (!larger.empty())
    if (const auto best = fastest_of(experiment, larger); best.iteration < least) {
      least = best.iteration;
      knob = fmt::format("training.micro_batch: {}", best.training.micro_batch);
    }
  if (knob.empty()) return {};
  return {knob, static_cast<double>((now - least).value) / static_cast<double>(now.value)};
}

std::string against_memory_traffic(const TimePart& part, const Experiment& experiment) {
  if (part.part == "optimizer")
    return "more memory bandwidth, or states divided between ranks (training.sharding)";
  constexpr const char* hardware = "more memory bandwidth (npu.memory_bandwidth)";
  const auto [setting, gain] = faster_kernels(experiment);
  if (setting.empty()) return fmt::format("{}, or fused kernels", hardware);
  // A setting costs nothing, but it is not the answer to what it takes less than a tenth of.
  return gain * 10 < part.share ? fmt::format("{}, or {}, or fused kernels", hardware, setting)
                                : fmt::format("{}, or {}, or fused kernels", setting, hardware);
}

std::string against_latency(const TimePart& part, const Experiment& experiment) {
  const std::string on = part.level.empty() ? "" : " on " + part.level;
  return fmt::format(
      "{}less latency{}, or fewer steps: another algorithm, or fewer and larger calls",
      setting_first(part, experiment), on);
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

// Where several jobs have messages on the level, that they are to be apart: their NPUs lie in
// several of its members.
std::string jobs_apart_on(const std::string& name, const Experiment& experiment) {
  const auto* several = std::get_if<JobsSpec>(&experiment.workload.what);
  if (several == nullptr) return "";
  const Topology topology(experiment.topology);  // knows the names of levels
  Rank below = 1;
  for (const LevelSpec& level : topology.levels()) {
    if (level.name == name) break;
    below *= level.size;
  }
  constexpr std::size_t named = 3;
  std::vector<std::string> names;
  for (const PlacedWorkload& job : several->jobs)
    if (job.npus.front() / below != job.npus.back() / below) names.push_back(job.name);
  if (names.size() < 2) return "";
  const std::size_t more = names.size() - std::min(names.size(), named);
  names.resize(names.size() - more);
  return fmt::format("jobs that start apart or share no links (start, npus of {}{}), or ",
                     fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

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

std::string against_short_window(const TimePart& part, const Experiment& experiment) {
  const auto room = room_of_credits(experiment.network, Topology(experiment.topology), part.level);
  if (!room) return "a larger network.transport.window";
  return fmt::format(
      "a larger network.credit.buffer (credits of {} do not keep a link of {} full: "
      "it takes {})",
      exact_text(*experiment.network.credit.buffer), part.level, exact_text(*room));
}

std::string all_paths_at_once(const NetworkSpec& network) {
  return fmt::format(
      "network.routing.policy: spray{}",
      goes_back(network) ? ", with network.transport.recovery: selective_repeat" : "");
}

// At the port of an NPU there is no other path.
std::string against_contention(const TimePart& part, const Experiment& experiment,
                               bool jobs_at_once, bool collides) {
  const bool at_npu = part.held_by.find("npu ") != std::string::npos;
  const std::string other = has_servers(experiment) ? other_servers(part, experiment)
                            : at_npu                ? "another algorithm or placement"
                                     : "another routing.policy, placement or algorithm";
  const std::string jobs = jobs_at_once && !at_npu ? jobs_apart_on(part.level, experiment) : "";
  if (collides)
    return fmt::format("{}, or {}another placement or algorithm, or a wider {}",
                       all_paths_at_once(experiment.network), jobs, part.held_by);
  const std::string shared = if_shared_nic(Topology(experiment.topology), part.held_by);
  return fmt::format("{}{}{}, or a wider {}", jobs, shared, other, part.held_by);
}

}  // namespace

std::string even_stages_first(const RunResult& result, const Experiment& experiment) {
  constexpr double considerable = 1.2;
  const double longer = unevenness(result);
  if (longer < considerable) return "";
  const auto fewer = with_fewer_stages(experiment);
  if (fewer.empty()) return "";
  const TransformerTraining best = fastest_of(experiment, fewer).training;
  if (!gains(experiment, best)) return "";
  return fmt::format("training.{} (stage {} computes {:.1f} times as long as others), or ",
                     stages_text(best), critical_stage(result)->stage, longer);
}

bool another_job_runs(std::span<const JobRow> jobs) {
  if (jobs.empty()) return true;
  const JobRow& last = *std::ranges::max_element(jobs, {}, &JobRow::finish);
  return std::ranges::any_of(jobs, [&](const JobRow& other) {
    const Duration together = other.finish - std::max(other.start, last.start);
    return &other != &last && together * 2 >= last.finish - last.start;
  });
}

std::string knob_of(const TimePart& part, const Experiment& experiment, double taper,
                    const LossRow& losses, bool jobs_at_once, bool collides) {
  switch (part.bound_by) {
    case BoundBy::compute_rate:
      if (std::string knob = shorter_work(experiment.workload); !knob.empty()) return knob;
      return fmt::format("{}a faster processor (npu.peak), or more ranks",
                         without_recomputation_first(experiment));
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
      return against_bubble(part, experiment);
    case BoundBy::bandwidth:
      if (!part.held_by.empty())
        return fmt::format("{}{}{}{}", setting_first(part, experiment),
                           is_degraded(part.held_by, experiment)
                               ? "a link that is not degraded (network.faults), or "
                               : "",
                           more_bandwidth(Topology(experiment.topology), part.held_by, 1),
                           less_traffic(part.part, experiment));
      return fmt::format(
          "{}{}{}{}", setting_first(part, experiment),
          taper >= least_taper && jobs_at_once ? jobs_apart_on(part.level, experiment) : "",
          more_bandwidth(Topology(experiment.topology), part.level, taper),
          less_traffic(part.part, experiment));
    case BoundBy::latency:
      return against_latency(part, experiment);
    case BoundBy::contention:
      return against_contention(part, experiment, jobs_at_once, collides);
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
      return against_short_window(part, experiment);
    case BoundBy::limits:
      return "higher limits on what is in flight (system.queue_limit, first_phase_limit), or other "
             "system.chunks";
    case BoundBy::dependencies:
      return fmt::format("{}another number of system.chunks, or another algorithm",
                         stores_whole_messages(experiment.network)
                             ? "network.queue.segment: 64 kB (now switches wait for all), or "
                             : "");
    case BoundBy::host:
      return "a faster host, or work that waits less for it";
    case BoundBy::nothing:
      break;
  }
  return "";
}

}  // namespace orrery
