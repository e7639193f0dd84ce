#include "simulation/result/time_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "network/crossing_bandwidth.h"
#include "simulation/binding_part.h"
#include "simulation/critical_stage.h"
#include "simulation/result/knobs.h"
#include "simulation/result/level_knobs.h"
#include "simulation/result/needs.h"
#include "simulation/result/network_notices.h"
#include "simulation/result/packet_knobs.h"
#include "simulation/result/packet_rows.h"
#include "simulation/result/uneven_links.h"

namespace orrery {

namespace {

Duration sum(const ComputeAccount::ByLimit& times) {
  return std::accumulate(times.begin(), times.end(), Duration{});
}

// As knobs name it.
TimePart with_level_beside(TimePart part) {
  if (!part.beside.empty()) part.level += " and " + part.beside;
  return part;
}

class Parts {
 public:
  Parts(RunResult& result, const FinishedRun& run, Rank last)
      : result_(result),
        run_(run),
        stage_(critical_stage(result)),
        rank_(stage_ == nullptr ? last : stage_->rank),
        account_(run.runner.account(rank_)),
        crossing_(crossing_bandwidths(run.topology)),
        stores_whole_(stores_whole_messages(run.experiment.network) && !result.links.empty()),
        failed_(failed_links(run.experiment.network, run.topology)),
        degraded_(fullest_if_degraded(run.experiment.network, run.topology, result.links,
                                      result.finish)) {
    std::vector<const LinkRow*> fullest;
    for (const LevelSpec& level : run.topology.levels())
      fullest.push_back(fullest_link(level.name));
    even_ = uneven_links(run, fullest, result.finish);
  }

  void add_compute() {
    const ComputeAccount& account = run_.runner.computing(rank_);
    const bool has_optimizer = result_.training.has_value();
    for (std::size_t i = 0; i < compute_limit_count; ++i) {
      const BoundBy bound = bound_of(static_cast<ComputeLimit>(i));
      const char* name = bound == BoundBy::memory_bandwidth ? "memory-bound kernels"
                         : bound == BoundBy::launches       ? "kernel launches"
                                                            : "compute";
      add(name, account.passes[i] + (has_optimizer ? Duration{} : account.outside[i]), bound);
    }
    if (has_optimizer) {
      const auto most = std::ranges::max_element(account.outside) - account.outside.begin();
      add("optimizer", sum(account.outside), bound_of(static_cast<ComputeLimit>(most)));
    }
    add("slower compute", account.slowed, BoundBy::slow_ranks);
    add("stolen compute", account_.stolen, BoundBy::collectives);
    const Duration since = result_.finish - account_.finish.since_start;  // that it is done
    add("memory", account_.memory, BoundBy::memory_bandwidth);
    add("host", account_.host, BoundBy::host);
    add("idle", account_.idle + since, BoundBy::nothing);
  }

  void add_communication() {
    const auto& kinds = run_.runner.traffic_kinds();
    const std::vector<TrafficAccount>& accounts = run_.runner.traffic(rank_);
    Duration known, under_way;
    for (const TrafficAccount& account : accounts)
      under_way += account.exposed - account.late + account.hidden;
    under_way_ = static_cast<double>(std::min(under_way, result_.finish).value);
    for (std::size_t i = 0; i < accounts.size(); ++i) {
      const TrafficAccount& account = accounts[i];
      known += account.exposed;
      const bool in_bubble = stage_ != nullptr && stage_->bubble > Duration{} &&
                             is_between_stages({kinds[i], account.exposed, account.late, {}});
      add_network(kinds[i], account);
      if (!in_bubble) add(kinds[i], account.late, BoundBy::late_ranks);
    }
    if (stage_ != nullptr) add("bubble", stage_->bubble, BoundBy::schedule);
    add("other communication", account_.exposed - known, BoundBy::late_ranks);
  }

  void finish() {
    std::ranges::stable_sort(result_.why, std::ranges::greater{}, &TimePart::time);
    Duration all;
    for (TimePart& part : result_.why) {
      all += part.time;
      part.share = static_cast<double>(part.time.value) / static_cast<double>(result_.finish.value);
      const bool is_beside = part.level.empty() && computes(part.bound_by) && waits_beside_;
      if (!is_beside && (part.knob.empty() || part.knob.ends_with("; ")))
        part.knob += knob(with_level_beside(part));
    }
    put_full_link_first(result_);
    put_binding_part_first(result_);
    CHECK(all == result_.finish, "the parts of rank {} are {} ps, the run finished at {} ps", rank_,
          all.value, result_.finish.value);
  }

 private:
  static bool computes(BoundBy bound) {
    return bound == BoundBy::compute_rate || bound == BoundBy::memory_bandwidth ||
           bound == BoundBy::launches;
  }

  void add(const std::string& name, Duration time, BoundBy bound) {
    if (time <= Duration{}) return;
    TimePart& part = result_.why.emplace_back();
    part.part = name;
    part.time = time;
    part.bound_by = bound;
  }

  // While it was under way the network did what was needed, and what that leaves is waiting in the
  // network. What was waited for is split as all of that time.
  void add_network(const std::string& kind, const TrafficAccount& account) {
    const Duration waited = account.exposed - account.late;
    if (waited <= Duration{}) return;
    const auto under_way = static_cast<double>((waited + account.hidden).value);
    // It goes on beside all computing, and for longer: faster computing waits for it.
    waits_beside_ =
        waits_beside_ || (account.hidden >= account_.compute && account_.compute > Duration{});
    std::vector<Needs> levels = needs_of(account);
    if (stores_whole_ && account.collectives.chunks() > 0)
      count_each_link(levels, run_.topology.levels(), result_.links, result_.finish,
                      share_of(account, run_.runner.traffic(rank_)) / run_.topology.npu_count());
    for (Needs& level : levels) cut_to_links(level);
    const bool waits_for_slow =
        degraded_ && count_degraded_link(levels, *degraded_, run_.runner.traffic(rank_), under_way);
    if (levels.empty()) levels.push_back({-1, 0, 0});
    const double idle =
        std::max(idle_beside(levels, under_way),
                 lost_to_collisions(even_, levels, account, run_.runner.traffic(rank_),
                                    run_.topology, under_way));
    double left = under_way - idle;
    fill(levels, left, &Needs::carried);
    fill(levels, left, &Needs::latency);
    left += idle;
    const double lost = std::min(left, left_of_faults());
    left -= lost;
    lost_to_faults_ += lost;
    const auto needed = [](const Needs& level) { return level.carried + level.latency; };
    std::ranges::stable_sort(levels, std::ranges::greater{}, needed);
    const auto [held, of_held] = holds_up(levels, under_way, left);
    double until = 0;  // of the time under way
    const auto edge = [&] {
      const double share = std::min(1.0, until / under_way);
      const Duration rounded{std::llround(static_cast<double>(waited.value) * share)};
      return std::min(waited, rounded);  // above 2^53 ps a double may round up
    };
    const auto next = [&](double more) {  // its part of what was waited, exact in the sum
      const Duration begin = edge();
      until += more;
      return edge() - begin;
    };
    if (const Duration time = next(lost); time > Duration{}) {
      add(kind, time, BoundBy::losses);
      result_.why.back().level = name_of_level(levels[loses_most(levels)]);
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      TimePart part;
      part.part = kind;
      if (levels[i].level >= 0) part.level = name_of_level(levels[i]);
      part.bandwidth = next(levels[i].carried);
      part.latency = next(levels[i].latency);
      if (i == held) part.rest = next(left);
      if (i + 1 == levels.size()) part.rest += waited - edge();  // what doubles cannot hold
      part.time = part.bandwidth + part.latency + part.rest;
      set_bound(part, i == held ? of_held : under_way, levels[i], account.collectives.chunks());
      if (waits_for_slow && levels[i].level == degraded_->level &&
          part.bound_by == BoundBy::bandwidth)
        part.held_by = degraded_->name;
      if (levels[i].level >= 0) charge_port(part, levels[i], under_way);
      if (part.bound_by == BoundBy::bandwidth && part.held_by.empty())
        if (const Needs* other = works_beside(levels, levels[i], under_way, run_.topology))
          part.beside = name_of_level(*other);
      part.knob = other_recovery(result_, run_.experiment.network);
      if (part.knob.empty() && !part.level.empty())
        part.knob = other_control(part, result_, run_.experiment.network,
                                  1 - busy_time(part.level) / under_way_);
      if (part.time > Duration{}) result_.why.push_back(part);
    }
    name_full_link(kind, under_way);
  }

  // What a rank gets over a taper counts as if all ranks got as much. Where few do, no link there
  // is busy for so long: it needs what its port takes for the bytes, or its fullest link.
  void cut_to_links(Needs& level) const {
    if (level.level < 0 || result_.links.empty()) return;
    const std::string& name = name_of_level(level);
    const double of_level = taper_at(name);
    if (of_level < least_taper) return;
    const double taper = taper_behind_nics(run_.topology, level.level, of_level);
    if (taper < least_taper) return;
    level.carried = std::min(level.carried, std::max(busy_time(name), level.carried / taper));
  }

  // A link that messages share for all of the time holds up what other levels do besides: nothing
  // is gained there as long as it does.
  void name_full_link(const std::string& kind, double under_way) {
    const auto holds = [&](const TimePart& part) {
      return part.part == kind && part.bound_by == BoundBy::contention && part.knob.empty() &&
             busy_time(part.level) >= (1 - considerable) * under_way;
    };
    const auto full = std::ranges::find_if(result_.why, holds);
    if (full == result_.why.end()) return;
    for (TimePart& part : result_.why)
      if (part.part == kind && part.bound_by == BoundBy::bandwidth && part.held_by.empty() &&
          busy_time(part.level) < (1 - considerable) * busy_time(full->level))
        part.knob = knob(*full);
  }

  // Levels on the way of the same bytes carry them side by side: their needs are more than the time
  // there was. Where timers of lost packets ran meanwhile, bytes explain no more of it than the
  // fullest link was busy.
  double idle_beside(const std::vector<Needs>& levels, double under_way) const {
    if (!result_.packets || result_.packets->timeouts == 0) return 0;
    double needed = 0, fullest = 0;
    for (const Needs& level : levels) {
      needed += level.carried + level.latency;
      const double busy = level.level < 0 ? 0 : busy_time(name_of_level(level));
      fullest = std::max({fullest, level.carried + level.latency, busy});
    }
    return needed > under_way ? std::max(0.0, under_way - fullest) : 0;
  }

  const std::string& name_of_level(const Needs& level) const {
    return run_.topology.levels()[static_cast<std::size_t>(level.level)].name;
  }

  std::size_t loses_most(const std::vector<Needs>& levels) const {
    const auto losses = losses_by_level(run_.topology, result_.packets->queues);
    const auto most = std::ranges::max_element(levels, {}, [&](const Needs& level) {
      return level.level < 0 ? 0 : losses[static_cast<std::size_t>(level.level)];
    });
    return static_cast<std::size_t>(most - levels.begin());
  }

  struct HeldUp {
    std::size_t level = 0;
    double time = 0;  // in which its links may be shared
  };

  // The level on which the rest of the time is lost: where timers ran, that which lost most
  // packets; else that with the link which others keep busy for longest; else, in packets, that on
  // which messages were late in all, which are under way on it only while it is its turn; else the
  // one on which most has to be done.
  HeldUp holds_up(const std::vector<Needs>& levels, double under_way, double rest) const {
    if (result_.packets && result_.packets->timeouts > 0 && result_.packets->drops > 0 &&
        !only_a_fault_loses())
      return {loses_most(levels), under_way};
    std::size_t found = 0;
    double longest = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      if (levels[i].level < 0) continue;
      const double busy = busy_time(name_of_level(levels[i]));
      if (!is_contention(busy, under_way, levels[i].carried)) continue;
      if (busy - levels[i].carried <= longest) continue;
      longest = busy - levels[i].carried;
      found = i;
    }
    if (longest > 0 || !result_.packets) return {found, under_way};
    const auto late = [&](const Needs& level) {
      return level.level < 0 ? 0 : result_.packets->late[level.level].as_double();
    };
    const auto latest = std::ranges::max_element(levels, {}, late);
    if (late(*latest) == 0) return {found, under_way};
    return {static_cast<std::size_t>(latest - levels.begin()),
            latest->carried + latest->latency + rest};
  }

  // A link of the level is busy for longer than the rank's own bytes take, as long as some of them
  // wait. Other traffic of the link counts too, so the wait has to be considerable.
  static bool is_contention(double busy, double under_way, double carried) {
    return busy >= half * under_way && busy >= (1 + considerable) * carried;
  }

  // The link has fewer bytes than would keep a port of the level busy for so long: it is slower
  // than such a port, and one flow alone takes as long.
  bool is_narrow(const LinkRow& link, const Needs& needs) const {
    const LevelSpec& level = run_.topology.levels()[static_cast<std::size_t>(needs.level)];
    const double at_port =
        link.bytes.as_double() * 1e12 / static_cast<double>(level.bandwidth.value);
    return at_port < (1 + considerable) * needs.in_all / taper_at(level.name);
  }

  // No packet met more than one before it: all are of one message at a time. At a port messages
  // wait in the NPU.
  bool has_no_queue(const LinkRow& link, int level) const {
    if (!result_.packets || run_.topology.port_level(level) == level) return false;
    const auto& queues = result_.packets->queues;
    const auto queue = std::ranges::find(queues, link.name(), &QueueRow::name);
    return queue != queues.end() &&
           static_cast<double>(queue->most_waiting.value) * static_cast<double>(queue->packets) <=
               2 * link.bytes.as_double();
  }

  // A wider way behind the port gains nothing where the port alone explains the time, as messages
  // did not all cross the level at once, or where its links idle while those of the port are busy.
  void charge_port(TimePart& part, const Needs& needs, double under_way) const {
    if (part.bound_by != BoundBy::bandwidth || !part.held_by.empty()) return;
    const double taper = taper_behind_nics(run_.topology, needs.level, taper_at(part.level));
    const int port = run_.topology.port_level(needs.level);
    if (port == needs.level || taper < 1 + considerable) return;
    const std::string& at_port = run_.topology.levels()[static_cast<std::size_t>(port)].name;
    const bool alone = needs.in_all / taper >= (1 - considerable) * needs.carried;
    const double busy = busy_time(at_port);
    if (alone || (busy >= (1 - considerable) * under_way &&
                  busy_time(part.level) < (1 - considerable) * busy))
      part.held_by = at_port;
  }

  std::string knob(TimePart part) const {
    const double behind =
        part.bound_by == BoundBy::bandwidth && !part.held_by.empty() ? busy_time(part.level) : 0;
    const double before = behind > 0 ? busy_time(part.held_by) : 0;  // 0 of what is no level
    if (before > 0 && behind >= (1 - considerable) * before) part.held_by += " and " + part.level;
    const bool idles = stores_whole_ && busy_time(part.level) < (1 - considerable) * under_way_;
    return (part.level.empty() && computes(part.bound_by) && part.part != "optimizer"
                ? even_stages_first(result_, run_.experiment)
                : "") +
           knob_of(part, run_.experiment, idles ? 1 : taper_at(part.level), losses(),
                   another_job_runs(result_.jobs), collides(even_, part.level));
  }

  LossRow losses() const {
    return result_.packets && result_.packets->losses ? *result_.packets->losses : LossRow();
  }

  // That of network.slow which is busy for longest, if others wait for it as for a link.
  const ReceiverRow* slow_receiver(double under_way, double carried) const {
    if (!result_.packets || result_.packets->receivers.empty()) return nullptr;
    const auto slowest =
        std::ranges::max_element(result_.packets->receivers, {}, &ReceiverRow::busy);
    const auto busy = static_cast<double>(slowest->busy.value);
    return is_contention(busy, under_way, carried) ? &*slowest : nullptr;
  }

  // Of a level what a port takes, over what it gets while all send; 1 where nothing tapers.
  double taper_at(const std::string& name) const {
    const auto levels = run_.topology.levels();
    const auto found = std::ranges::find(levels, name, &LevelSpec::name);
    if (found == levels.end()) return 1;
    const Bandwidth crossing = crossing_[static_cast<std::size_t>(found - levels.begin())];
    return static_cast<double>(found->bandwidth.value) / static_cast<double>(crossing.value);
  }

  // A rank's chunks of an iteration that are no more than the limits never wait for them.
  bool may_reach_limits(std::int64_t chunks) const {
    const SystemSpec& system = run_.experiment.system;
    const std::int64_t least = std::min(system.first_phase_limit, system.queue_limit);
    return system.overlap_limit || chunks > least * iteration_count(result_);
  }

  void set_bound(TimePart& part, double under_way, const Needs& needs, std::int64_t chunks) const {
    const double carried = needs.carried;
    const auto waits = [&](double share) {
      return static_cast<double>(part.rest.value) > share * static_cast<double>(part.time.value);
    };
    part.bound_by = part.bandwidth >= part.latency ? BoundBy::bandwidth : BoundBy::latency;
    if (!waits(considerable)) return;
    if (const ReceiverRow* slow = slow_receiver(under_way, carried)) {
      part.bound_by = BoundBy::slow_receiver;
      part.held_by = slow->name;
    } else if (result_.packets && result_.packets->timeouts > 0 && !only_a_fault_loses()) {
      part.bound_by = result_.packets->drops > 0 ? BoundBy::losses : BoundBy::timeouts;
    } else if (room_of_credits(run_.experiment.network, run_.topology, part.level)) {
      part.bound_by = BoundBy::window;
    } else if (is_contention(busy_time(part.level), under_way, carried)) {
      const LinkRow& fullest = *fullest_link(part.level);
      part.held_by = fullest.name();
      if (!has_no_queue(fullest, needs.level) &&
          (collides(even_, part.level) || !is_narrow(fullest, needs))) {
        part.bound_by = BoundBy::contention;
        return;
      }
      part.bound_by = BoundBy::bandwidth;
      const double busy = std::min(1.0, busy_time(part.level) / under_way);
      part.bandwidth =
          std::max(part.bandwidth,
                   std::min(part.time - part.latency,
                            Duration{std::llround(busy * static_cast<double>(part.time.value))}));
      part.rest = part.time - part.latency - part.bandwidth;
    } else if (const bool windows = windows_hold(part, carried, run_.experiment.network,
                                                 run_.topology, result_.packets);
               windows || part.rest > std::max(part.bandwidth, part.latency)) {
      const bool at_ends =
          result_.endpoint &&
          (result_.endpoint->overhead + result_.endpoint->copy).as_double() >= half * under_way;
      part.bound_by = windows                    ? BoundBy::window
                      : at_ends                  ? BoundBy::endpoints
                      : may_reach_limits(chunks) ? BoundBy::limits
                                                 : BoundBy::dependencies;
    }
  }

  // What is lost once does not hold up what is sent for the rest of the time: its delay is a part.
  bool only_a_fault_loses() const {
    return result_.packets && result_.packets->timeouts > 0 && result_.packets->drops > 0 &&
           losses().link_down == result_.packets->drops;
  }
  double left_of_faults() const {
    if (!only_a_fault_loses()) return 0;
    const Duration most = delayed_by_faults(run_.experiment.network, result_.finish);
    return std::max(0.0, static_cast<double>(most.value) - lost_to_faults_);
  }

  const LinkRow* fullest_link(const std::string& level) const {
    const LinkRow* fullest = nullptr;
    for (const LinkRow& link : result_.links)
      if (link.level == level && (fullest == nullptr || link.utilisation > fullest->utilisation) &&
          std::ranges::find(failed_, link.name()) == failed_.end())
        fullest = &link;
    return fullest;
  }

  // Of the level's fullest link, in picoseconds.
  double busy_time(const std::string& level) const {
    const LinkRow* fullest = fullest_link(level);
    return fullest == nullptr ? 0
                              : fullest->utilisation * static_cast<double>(result_.finish.value);
  }

  static constexpr double considerable = 0.2, half = 0.5;

  RunResult& result_;
  const FinishedRun& run_;
  const StageRow* stage_;  // null without a training
  Rank rank_;              // whose time is divided
  RankAccount account_;
  std::vector<Bandwidth> crossing_;  // of each level
  bool stores_whole_;                // each node a message, and links say how busy they were
  std::vector<std::string> failed_;  // links
  std::optional<DegradedLink> degraded_;
  std::vector<UnevenLink> even_;
  double under_way_ = 0;       // ps in which the rank has any communication
  double lost_to_faults_ = 0;  // of what they delay, so far
  bool waits_beside_ = false;  // for communication that goes on beside all computing
};

}  // namespace

void add_time_parts(RunResult& result, const FinishedRun& run, Rank last) {
  if (!run.runner.finished() || result.finish == Duration{}) return;
  Parts parts(result, run, last);
  parts.add_compute();
  parts.add_communication();
  parts.finish();
}

}  // namespace orrery
