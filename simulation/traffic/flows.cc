#include "simulation/traffic/flows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "network/nic_shares.h"

namespace orrery {

namespace {

constexpr double picoseconds_of_second = 1e12;

// Times of a Poisson process; whole picoseconds.
template <class Begin>
void for_each_arrival(RandomStream& random, double mean_seconds, Duration length, Begin begin) {
  double at = 0;
  while (true) {
    at += random.exponential(mean_seconds * picoseconds_of_second);
    if (at >= static_cast<double>(length.value)) return;
    begin(Time{picoseconds(std::llround(at))});
  }
}

// To whom each NPU sends: one cycle through all of them, drawn (Sattolo's algorithm).
std::vector<std::int32_t> permutation(std::int32_t npus, std::uint64_t seed) {
  std::vector<std::int32_t> targets(static_cast<std::size_t>(npus));
  std::iota(targets.begin(), targets.end(), 0);
  RandomStream random(seed, "traffic permutation");
  for (std::size_t i = targets.size() - 1; i > 0; --i)
    std::swap(targets[i], targets[random.uniform_int(i)]);
  return targets;
}

std::int32_t other_than(std::int32_t npu, std::int32_t npus, RandomStream& random) {
  const auto step = 1 + random.uniform_int(static_cast<std::uint64_t>(npus) - 1);
  return static_cast<std::int32_t>((static_cast<std::uint64_t>(npu) + step) %
                                   static_cast<std::uint64_t>(npus));
}

void add_flows(std::vector<Flow>& flows, const FlowsSpec& spec, const FabricCapacity& capacity,
               std::int32_t npus, std::uint64_t seed) {
  const double of_each = offered(spec, spec.load, capacity) / npus;
  if (of_each <= 0) return;
  std::vector<std::int32_t> targets;
  if (spec.pattern == FlowPattern::permutation) targets = permutation(npus, seed);
  for (std::int32_t npu = 0; npu < npus; ++npu) {
    RandomStream random(seed, "traffic flows", {static_cast<std::uint64_t>(npu), 0});
    const auto begin = [&](Time start) {
      const Bytes size = size_at(spec.sizes, random.uniform());
      const std::int32_t target =
          targets.empty() ? other_than(npu, npus, random) : targets[static_cast<std::size_t>(npu)];
      flows.push_back({start, size, {npu}, {target}});
    };
    if (spec.at_once)
      begin({});
    else
      for_each_arrival(random, mean_size(spec.sizes) / of_each, *spec.length, begin);
  }
}

// A target, and so many of the others.
void add_incasts(std::vector<Flow>& flows, const IncastSpec& incast, const FlowsSpec& spec,
                 const FabricCapacity& capacity, std::int32_t npus, std::uint64_t seed) {
  const double offer = offered(spec, incast.load, capacity);
  if (offer <= 0) return;
  const double each = static_cast<double>(incast.size.value) * incast.senders;
  RandomStream random(seed, "traffic incasts");
  std::vector<std::int32_t> drawn(static_cast<std::size_t>(npus));
  std::iota(drawn.begin(), drawn.end(), 0);
  for_each_arrival(random, each / offer, *spec.length, [&](Time start) {
    const auto members = static_cast<std::size_t>(incast.senders) + 1;
    for (std::size_t i = 0; i < members; ++i)
      std::swap(drawn[i], drawn[i + random.uniform_int(drawn.size() - i)]);
    for (std::size_t i = 1; i < members; ++i)
      flows.push_back({start, incast.size, {drawn[i]}, {drawn[0]}, true});
  });
}

}  // namespace

std::string_view name_of(LoadOf of) { return of == LoadOf::hosts ? "hosts" : "uplinks"; }

std::string_view name_of(FlowEnd end) {
  return end == FlowEnd::delivered ? "delivered" : "acknowledged";
}

std::string_view name_of(FlowPattern pattern) {
  return pattern == FlowPattern::uniform ? "uniform" : "permutation";
}

double mean_size(std::span<const SizePoint> points) {
  double mean = points[0].share * static_cast<double>(points[0].size.value);
  for (std::size_t i = 1; i < points.size(); ++i)
    mean += (points[i].share - points[i - 1].share) *
            (static_cast<double>(points[i].size.value) +
             static_cast<double>(points[i - 1].size.value)) /
            2;
  return mean;
}

// Between two points, of a uniform variable: (a^2 + a b + b^2)/3.
double mean_square_size(std::span<const SizePoint> points) {
  const auto size = [&](std::size_t i) { return static_cast<double>(points[i].size.value); };
  double mean = points[0].share * size(0) * size(0);
  for (std::size_t i = 1; i < points.size(); ++i)
    mean += (points[i].share - points[i - 1].share) *
            (size(i) * size(i) + size(i) * size(i - 1) + size(i - 1) * size(i - 1)) / 3;
  return mean;
}

Bytes size_at(std::span<const SizePoint> points, double share) {
  std::size_t i = 0;
  while (i + 1 < points.size() && points[i].share <= share) ++i;
  auto size = static_cast<double>(points[i].size.value);
  if (i > 0 && points[i].share > points[i - 1].share) {
    const auto below = static_cast<double>(points[i - 1].size.value);
    size = below +
           (size - below) * (share - points[i - 1].share) / (points[i].share - points[i - 1].share);
  }
  return bytes(std::max<std::int64_t>(1, std::llround(size)));
}

FabricCapacity capacity_of(const Topology& topology) {
  const int outermost = static_cast<int>(topology.levels().size()) - 1;
  FabricCapacity capacity;
  capacity.host = static_cast<double>(topology.injection_bandwidth(outermost).value);
  const NicShares nics(topology);
  for (std::int32_t npu = 0; npu < topology.npu_count(); ++npu)
    capacity.hosts += static_cast<double>(nics.at(npu, outermost).value);
  std::vector<bool> has_hosts(static_cast<std::size_t>(topology.node_count()));
  const auto is_switch = [&](NodeId node) {
    return topology.node_kind(node) == NodeKind::switched;
  };
  for (const Link& link : topology.links())
    if (!is_switch(link.from)) has_hosts[static_cast<std::size_t>(link.to.value)] = true;
  for (const Link& link : topology.links())
    if (is_switch(link.from) && is_switch(link.to) &&
        has_hosts[static_cast<std::size_t>(link.from.value)])
      capacity.uplinks += static_cast<double>(link.bandwidth.value);
  return capacity;
}

double offered(const FlowsSpec& flows, Fraction load, const FabricCapacity& capacity) {
  if (flows.at_once) return capacity.hosts;
  return load * (flows.of == LoadOf::hosts ? capacity.hosts : capacity.uplinks);
}

double offered(const TrafficSpec& spec, const FabricCapacity& capacity) {
  return offered(spec.flows, spec.flows.load, capacity) +
         (spec.incast ? offered(spec.flows, spec.incast->load, capacity) : 0);
}

double flows_a_second(const TrafficSpec& spec, const FabricCapacity& capacity) {
  double flows = offered(spec.flows, spec.flows.load, capacity) / mean_size(spec.flows.sizes);
  if (spec.incast)
    flows += offered(spec.flows, spec.incast->load, capacity) /
             static_cast<double>(spec.incast->size.value);
  return flows;
}

// A Poisson process of rate r whose events have the size X: in a time T the sum has the mean
// r T E[X] and the variance r T E[X^2]. What is offered is r E[X].
double drawn_deviation(const TrafficSpec& spec, const FabricCapacity& capacity) {
  if (spec.flows.at_once) return 0;
  const double seconds = static_cast<double>(spec.flows.length->value) / picoseconds_of_second;
  const std::vector<SizePoint>& sizes = spec.flows.sizes;
  double mean = offered(spec.flows, spec.flows.load, capacity) * seconds;
  double variance = mean * mean_square_size(sizes) / mean_size(sizes);
  if (spec.incast) {
    const double bytes = offered(spec.flows, spec.incast->load, capacity) * seconds;
    mean += bytes;
    variance += bytes * static_cast<double>(spec.incast->size.value) * spec.incast->senders;
  }
  return mean > 0 ? std::sqrt(variance) / mean : 0;
}

std::vector<Flow> flows_of(const TrafficSpec& spec, const FabricCapacity& capacity,
                           std::int32_t npus, std::uint64_t seed) {
  std::vector<Flow> flows;
  const double seconds = static_cast<double>(spec.flows.length->value) / picoseconds_of_second;
  flows.reserve(static_cast<std::size_t>(flows_a_second(spec, capacity) * seconds * 1.05) + 64);
  add_flows(flows, spec.flows, capacity, npus, seed);
  if (spec.incast) add_incasts(flows, *spec.incast, spec.flows, capacity, npus, seed);
  std::ranges::stable_sort(flows, {}, &Flow::start);
  return flows;
}

}  // namespace orrery
