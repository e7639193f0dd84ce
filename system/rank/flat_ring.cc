#include "system/rank/flat_ring.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "network/flow_loads.h"
#include "system/collective/between_nodes.h"
#include "system/collective/chunk_orders.h"
#include "system/collective/piece_sizes.h"
#include "system/rank/prediction.h"

namespace orrery {
namespace {

// The ranks of the first group, upwards.
std::vector<Rank> members_of(const GroupAlongLevels& group, const Topology& topology) {
  std::vector<Rank> members = {0};
  for (const auto& [level, count] : group) {
    const std::size_t below = members.size();
    for (std::int32_t i = 1; i < count; ++i)
      for (std::size_t j = 0; j < below; ++j)
        members.push_back(members[j] + i * topology.stride(level));
  }
  return members;
}

// The levels of a group say how it sits, if parts of a level have one member each.
bool is_regular(const GroupAlongLevels& group, const Topology& topology) {
  return group.size() > 1 && std::ranges::all_of(group, [&](const auto& along) {
           return along.second <= topology.levels()[static_cast<std::size_t>(along.first)].size;
         });
}

// So many rings side by side.
struct Rings {
  std::int32_t channels = 1;
  double busy = 0;  // of the busiest link, in seconds for each byte of the buffer
  // Of the slowest ring: all its hops after each other, and their time for each byte of a part.
  Duration latency = {};
  double passing = 0;
};

class FlatRings {
 public:
  FlatRings(const Topology& topology, const SystemSpec& system, const CollectiveSpec& rule,
            const GroupAlongLevels& group, Collective kind, Bytes size)
      : topology_(topology),
        system_(system),
        rule_(rule),
        members_(members_of(group, topology)),
        outermost_(static_cast<std::size_t>(group.back().first)),
        kind_(kind),
        size_(size),
        loads_(topology) {
    for (const auto& [level, count] : group)
      if (topology.stride(level) < ranks_of_node(topology)) of_node_ *= count;
  }

  std::optional<AutomaticChoice> fastest() {
    for (std::int32_t channels = 1; channels <= std::max(2, of_node_); channels *= 2) {
      if (ranks() * ranks() * channels > kMostMessagesOfRings) break;
      const auto rings = laid(channels);
      if (!rings) return std::nullopt;
      Found found;
      for (const Protocol protocol : protocols_of(rule_, system_))
        enter(*rings, protocol, found.all);
      if (found.all.empty()) continue;
      found.best = *std::ranges::min_element(found.all, {}, &AutomaticChoice::predicted);
      fastest_ = std::min(fastest_, found.best.predicted);
      candidates_ += std::ssize(found.all);
      found_.push_back(std::move(found));
    }
    // Rings that share ports hold each other up by more than the busiest of them says.
    const auto fewest = std::ranges::find_if(
        found_, [&](const Found& one) { return one.best.predicted <= within(fastest_, 20); });
    if (fewest == found_.end()) return std::nullopt;
    AutomaticChoice best = fewest->best;
    for (const AutomaticChoice& one : fewest->all)
      if (one.predicted <= within(fewest->best.predicted, 100) && one.messages < best.messages)
        best = one;
    best.candidates = candidates_;
    return best;
  }

 private:
  // Of one number of rings.
  struct Found {
    AutomaticChoice best;
    std::vector<AutomaticChoice> all;
  };

  // A part of it longer.
  static Duration within(Duration time, std::int64_t part) {
    return time + Duration{time.value / part};
  }

  std::int64_t ranks() const { return std::ssize(members_); }

  // None: there is no way from some rank to the next.
  std::optional<Rings> laid(std::int32_t channels) {
    const NamedAlgorithm ring(fmt::format("ring:{}", channels));
    const GroupShape shape(of_node_, static_cast<std::int32_t>(ranks()) / of_node_);
    const auto plan = ring.algorithm->plan(kind_, shape, 0);
    Rings rings{.channels = channels};
    loads_.clear();
    for (int lane = 0; lane < plan->lanes(); ++lane) {
      Duration latency;
      double passing = 0;
      for (Position position = 0; position < static_cast<Position>(ranks()); ++position) {
        const auto next = next_of(*plan, position, lane);
        if (!next) continue;
        const Rank from = members_[static_cast<std::size_t>(position)];
        const Rank to = members_[static_cast<std::size_t>(*next)];
        if (!loads_.add({from}, {to}, 1.0 / channels)) return std::nullopt;
        const PathBetween path = path_between(topology_, system_, from, to);
        latency += path.latency + endpoint_between(from, to).send_overhead +
                   endpoint_between(from, to).receive_overhead;
        passing += 1.0 / static_cast<double>(path.bandwidth.value);
      }
      rings.latency = std::max(rings.latency, latency);
      rings.passing = std::max(rings.passing, passing);
    }
    rings.busy = loads_.most();
    return rings;
  }

  // The end of a ring sends nothing, and only its beginning sends at once.
  static std::optional<Position> next_of(const Plan& plan, Position position, int lane) {
    for (int index = 0; index < 2; ++index) {
      const Stage stage = plan.stage(position, lane, index);
      if (stage.sends > 0) return plan.send(position, lane, index, 0).to;
      if (stage.last) break;
    }
    return std::nullopt;
  }

  const EndpointSpec& endpoint_between(Rank from, Rank to) const {
    const std::int32_t local = ranks_of_local_levels(topology_);
    return local > 1 && from / local == to / local ? system_.local_endpoint : system_.endpoint;
  }

  void enter(const Rings& rings, Protocol protocol, std::vector<AutomaticChoice>& found) const {
    const NamedAlgorithm ring(rings.channels == 1 ? "ring"
                                                  : fmt::format("ring:{}", rings.channels));
    const ProtocolCost* row =
        find_cost(system_.protocols, protocol, ring.name, place_of(topology_.levels(), outermost_));
    if (protocol == Protocol::nvls || (protocol != Protocol::none && row == nullptr)) return;
    const ProtocolCost paid = row == nullptr ? ProtocolCost{} : *row;
    for (const std::int32_t chunks : chunk_counts()) {
      const std::int64_t messages = ranks() * rings.channels * chunks;  // of a rank
      if (messages * ranks() > kMostMessagesOfRings) break;
      AutomaticChoice& one = found.emplace_back();
      one.spec = rule_;
      one.spec.schedule = HierarchicalSchedule::flat;
      one.spec.algorithms = {ring};
      one.spec.protocol = protocol;
      one.spec.chunks = chunks;
      one.spec.any_chunks = one.spec.in_turn = one.spec.one_by_one = false;
      one.predicted = time(rings, paid, chunks);
      one.messages = messages;
    }
  }

  std::vector<std::int32_t> chunk_counts() const {
    if (!rule_.any_chunks) return {chunk_count(size_, rule_.chunks, system_.minimum_chunk)};
    std::vector<std::int32_t> counts =
        chunk_counts_tried(HierarchicalSchedule::flat, 1, kMostChunks, kMostChunks);
    std::erase_if(counts, [&](std::int32_t count) {
      return chunk_count(size_, count, system_.minimum_chunk) != count;
    });
    return counts;
  }

  Duration time(const Rings& rings, const ProtocolCost& paid, std::int32_t chunks) const {
    constexpr double ps = 1e12;
    const std::int64_t parts = ranks() * rings.channels;
    const Bytes part = equal_part(PieceSizes(size_, chunks).size(0), parts);
    const Bytes message = std::max(whole_of(part, paid.efficiency), paid.least);
    const auto bytes = static_cast<double>(message.value);
    const auto sent = bytes * static_cast<double>(parts * chunks);
    const Duration processing =
        std::max(system_.endpoint.gap,
                 system_.endpoint.send_overhead + system_.endpoint.receive_overhead) *
        (parts * chunks);
    Duration time = paid.launch + rings.latency + paid.step * (ranks() - 1);
    time += std::max(processing, Duration{static_cast<std::int64_t>(sent * rings.busy * ps)});
    time += Duration{static_cast<std::int64_t>(bytes * rings.passing * ps)};
    if (kind_ == Collective::reduce && system_.reduction_bandwidth)
      time += transfer_time(part, *system_.reduction_bandwidth) * (ranks() - 1);
    return time;
  }

  const Topology& topology_;
  const SystemSpec& system_;
  const CollectiveSpec& rule_;
  std::vector<Rank> members_;
  std::size_t outermost_;
  Collective kind_;
  Bytes size_;
  FlowLoads loads_;
  std::int32_t of_node_ = 1;
  std::vector<Found> found_;  // from few rings to many
  Duration fastest_ = Time::never().since_start;
  std::int64_t candidates_ = 0;
};

}  // namespace

std::optional<AutomaticChoice> fastest_flat_ring(const Topology& topology, const SystemSpec& system,
                                                 const CollectiveSpec& rule,
                                                 const GroupAlongLevels& group, Collective kind,
                                                 Bytes size) {
  if (!passes_whole_buffer(kind) || size == Bytes{} || !is_regular(group, topology))
    return std::nullopt;
  return FlatRings(topology, system, rule, group, kind, size).fastest();
}

}  // namespace orrery
