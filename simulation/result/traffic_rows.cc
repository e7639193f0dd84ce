#include "simulation/result/traffic_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/units/unit_text.h"
#include "network/backends.h"
#include "network/ideal_model.h"
#include "network/packet_defaults.h"
#include "simulation/name_of_traffic.h"
#include "simulation/packet_cost.h"
#include "simulation/result/network_notices.h"
#include "simulation/result/packet_rows.h"

namespace orrery {

namespace {

// Of a run whose settings of packets the backend leaves out.
std::string cost_in_packets(const RunResult& result, const FinishedRun& run,
                            const NetworkStatistics& statistics) {
  const auto is_of_packets = [](const std::string& setting) {
    return setting.starts_with("network.transport") || setting.starts_with("network.switch");
  };
  if (std::ranges::none_of(result.ignored, is_of_packets)) return "";
  std::vector<TotalBytes> bytes(run.topology.levels().size());
  TotalBytes all;
  for (std::size_t level = 0; level < statistics.levels.size(); ++level)
    for (const TotalBytes carried : statistics.levels[level].bytes_by_label) {
      bytes[level] += carried;
      all += carried;
    }
  const double seconds = packet_cpu_seconds(run.experiment.network, run.topology, bytes);
  return fmt::format("{} would take some {}", to_text(all), cpu_time_text(seconds));
}

// Those that carried something, the busiest first. Sorted before they have names: there may be
// millions.
std::vector<LinkRow> link_rows(const FinishedRun& run, const std::vector<TotalBytes>& carried,
                               Duration finish) {
  struct Used {
    double utilisation;
    TotalBytes bytes;
    LinkIndex link;
  };
  std::vector<Used> used;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const auto link = static_cast<LinkIndex>(i);
    if (carried[i] > TotalBytes())
      used.push_back({utilisation_of(run, link, carried[i], finish), carried[i], link});
  }
  std::ranges::stable_sort(used, std::ranges::greater(), [](const Used& link) {
    return std::pair(link.utilisation, link.bytes);
  });
  std::vector<LinkRow> rows;
  rows.reserve(used.size());
  for (const auto& [utilisation, bytes, index] : used) {
    const Link& link = run.topology.links()[static_cast<std::size_t>(index)];
    rows.push_back({run.topology.node_name(link.from), run.topology.node_name(link.to),
                    run.topology.levels()[link.level].name, bytes, utilisation});
  }
  return rows;
}

}  // namespace

void add_traffic(RunResult& result, const FinishedRun& run) {
  const NetworkStatistics statistics = run.network.statistics();
  result.in_packets = cost_in_packets(result, run, statistics);
  result.messages = statistics.messages;
  for (std::size_t level = 0; level < statistics.levels.size(); ++level) {
    const auto& by_label = statistics.levels[level].bytes_by_label;
    for (std::size_t label = 0; label < by_label.size(); ++label)
      if (by_label[label] > Bytes{})
        result.levels.push_back(
            {run.topology.levels()[level].name, name_of_traffic(label), by_label[label]});
  }
  if (run.links) result.links = link_rows(run, statistics.links, result.finish);
  if (statistics.packets) add_packets(result, run, *statistics.packets);
}

namespace {

bool touches(const Fault& fault, LinkIndex index, const Link& link) {
  return fault.link == index || fault.node == link.from || fault.node == link.to;
}

// Calls visit(bandwidth, time) for what a link can carry until then, with what fails, slows down
// and recovers.
template <class Visit>
void visit_rates(const FinishedRun& run, LinkIndex index, Duration finish, Visit visit) {
  const Link& link = run.topology.links()[static_cast<std::size_t>(index)];
  std::vector<Fault> faults;
  for (const Fault& fault : run.experiment.network.routing.faults)
    if (touches(fault, index, link) && fault.at.since_start < finish) faults.push_back(fault);
  std::ranges::stable_sort(faults, {}, &Fault::at);
  Bandwidth own = link.bandwidth;
  bool from_is_down = false, to_is_down = false;
  Time since;
  const auto pass = [&](Time until) {
    visit(from_is_down || to_is_down ? Bandwidth{} : own, until - since);
    since = until;
  };
  for (const Fault& fault : faults) {
    pass(fault.at);
    const bool is_down = fault.condition == LinkCondition::down;
    if (fault.link)
      own = is_down                                      ? Bandwidth{}
            : fault.condition == LinkCondition::degraded ? fault.bandwidth
                                                         : link.bandwidth;
    else
      (fault.node == link.from ? from_is_down : to_is_down) = is_down;
  }
  pass(Time{finish});
}

double capacity_of(const FinishedRun& run, LinkIndex index, Duration finish) {
  double capacity = 0;
  visit_rates(run, index, finish, [&](Bandwidth rate, Duration time) {
    capacity += static_cast<double>(rate.value) * static_cast<double>(time.value);
  });
  return capacity * 1e-12;
}

// The most that it could carry at any time: a bound must not exceed what was.
Bandwidth fastest_rate(const FinishedRun& run, LinkIndex index, Duration finish) {
  const Bandwidth built = run.topology.links()[static_cast<std::size_t>(index)].bandwidth;
  if (run.experiment.network.routing.faults.empty()) return built;
  Bandwidth fastest;
  visit_rates(run, index, finish, [&](Bandwidth rate, Duration time) {
    if (time > Duration{}) fastest = std::max(fastest, rate);
  });
  return fastest > Bandwidth{} ? fastest : built;
}

}  // namespace

double utilisation_of(const FinishedRun& run, LinkIndex link, TotalBytes bytes, Duration finish) {
  const double capacity = capacity_of(run, link, finish);
  if (capacity <= 0) return 0;
  const double share = bytes.as_double() / capacity;
  // Messages count when they are sent; of a run that ends early some are not carried yet.
  return run.runner.finished() ? share : std::min(share, 1.0);
}

void add_bottlenecks(RunResult& result, const FinishedRun& run) {
  const NetworkStatistics statistics = run.network.statistics();
  for (std::size_t label = 0; label < statistics.limited.size(); ++label) {
    const std::vector<TotalBytes>& by_link = statistics.limited[label];
    if (by_link.empty()) continue;
    std::vector<TotalBytes> levels(run.topology.levels().size());
    for (std::size_t i = 0; i < by_link.size(); ++i)
      levels[static_cast<std::size_t>(run.topology.links()[i].level)] += by_link[i];
    const auto level = std::max_element(levels.begin(), levels.end()) - levels.begin();
    std::size_t most = 0;
    for (std::size_t i = 0; i < by_link.size(); ++i)
      if (run.topology.links()[i].level == level &&
          (run.topology.links()[most].level != level || by_link[i] > by_link[most]))
        most = i;
    result.bottlenecks.push_back(
        {name_of_traffic(label), run.topology.levels()[static_cast<std::size_t>(level)].name,
         levels[static_cast<std::size_t>(level)],
         run.topology.link_name(static_cast<LinkIndex>(most)), by_link[most]});
  }
}

namespace {

// What links carry of data that is sent once, at least, where disorder is taken for loss: without
// all that was sent again, or their parts of what crossed the level.
class SentOnce {
 public:
  SentOnce(const FinishedRun& run, const NetworkStatistics& statistics)
      : run_(run), statistics_(statistics), crossed_(run.topology.levels().size()) {
    if (!statistics.packets || !takes_disorder_for_loss(run.experiment.network)) return;
    again_ = static_cast<double>(statistics.packets->retransmissions) *
             static_cast<double>(full_packet_of(run.experiment.network).value);
    std::vector<double> bandwidth(crossed_.size());
    for (const Link& link : run.topology.links())
      bandwidth[static_cast<std::size_t>(link.level)] += static_cast<double>(link.bandwidth.value);
    for (std::size_t level = 0; level < statistics.levels.size(); ++level)
      for (const TotalBytes bytes : statistics.levels[level].bytes_by_label)
        if (bandwidth[level] > 0) crossed_[level] += bytes.as_double() / bandwidth[level];
  }

  TotalBytes operator[](std::size_t link) const {
    const TotalBytes bytes = statistics_.links[link];
    if (again_ == 0) return bytes;
    const Link& one = run_.topology.links()[link];
    const double shared =
        crossed_[static_cast<std::size_t>(one.level)] * static_cast<double>(one.bandwidth.value);
    const double once = std::max(bytes.as_double() - again_, shared);
    return std::min(bytes, TotalBytes(Bytes{static_cast<std::int64_t>(once)}));
  }

 private:
  const FinishedRun& run_;
  const NetworkStatistics& statistics_;
  std::vector<double> crossed_;  // of each level, in seconds of all its links
  double again_ = 0;             // bytes
};

// Whether messages on the level take turns at ports of NPUs only, beside those in packets.
std::vector<bool> levels_of_ports_only(const FinishedRun& run) {
  const NetworkSpec& network = run.experiment.network;
  const TransportKind usual = find_backend(network.backend)->traits->transport;
  std::vector<bool> only(run.topology.levels().size());
  if (ideal_model_of(network, run.topology, usual) == IdealModel::fluid) return only;
  for (std::size_t level = 0; level < only.size(); ++level)
    only[level] = network.transport_of(level, run.topology.levels()[level].scope, usual) ==
                  TransportKind::ideal;
  return only;
}

}  // namespace

void add_bound(RunResult& result, const FinishedRun& run) {
  for (const RankRow& rank : result.ranks)
    result.bound = std::max(result.bound, rank.compute - rank.stolen);
  result.bound_by = "compute";
  // Messages that nobody received may still be on their way when the last rank finishes.
  if (!run.runner.unreceived().empty()) return;
  const NetworkStatistics statistics = run.network.statistics();
  const SentOnce links(run, statistics);
  std::optional<std::size_t> overloaded;
  const auto has_ports_only = levels_of_ports_only(run);
  for (std::size_t i = 0; i < statistics.links.size(); ++i) {
    const Link& link = run.topology.links()[i];
    constexpr Duration longest = Time::never().since_start;
    const Bandwidth rate = fastest_rate(run, static_cast<LinkIndex>(i), result.finish);
    Duration bound = transfer_time_if_any(links[i], rate).value_or(longest);
    // What is sent counts, and some of it may still be on its way: the last packets, or anything in
    // a run that ends early.
    const bool has_packets =
        statistics.packets && !has_ports_only[static_cast<std::size_t>(link.level)];
    if (has_packets || !run.runner.finished()) bound = std::min(bound, result.finish);
    if (bound <= result.bound) continue;
    result.bound = bound;
    result.bound_by = run.topology.levels()[link.level].name;
    if (bound > result.finish) overloaded = i;
  }
  if (overloaded && run.runner.finished()) {
    result.notices.push_back(fmt::format(
        "{} ({}) carries what would take it {}, and the run {}: {} "
        "does not model contention inside the fabric, so this time is too short",
        run.topology.link_name(static_cast<LinkIndex>(*overloaded)), result.bound_by,
        Time{result.bound} == Time::never() ? "longer than 106 days" : to_text(result.bound),
        to_text(result.finish),
        statistics.packets ? "network.transport.ideal: analytical"
                           : fmt::format("the {} backend", result.backend)));
  }
}

}  // namespace orrery
