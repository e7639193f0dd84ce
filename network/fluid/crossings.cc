#include "network/fluid/crossings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "network/routing/flow_hash.h"

namespace orrery::fluid {
namespace {

std::uint64_t way_of(double share) { return std::bit_cast<std::uint64_t>(share); }

}  // namespace

std::size_t Crossings::HashOfCore::operator()(const Core& core) const {
  const std::uint64_t ends = std::uint64_t{core.exit} << 32 | core.entry;
  return mixed(ends ^ mixed(static_cast<std::uint64_t>(core.narrowest.value)));
}

const Crossings::Between* Crossings::between(const CommonEnds& ends) {
  constexpr std::size_t most = std::size_t{1} << 24;  // 256 MB
  Core core{ends.exit, ends.entry, Bandwidth{std::numeric_limits<std::int64_t>::max()}};
  for (const LinkIndex link : std::span(ends.links).first(ends.out))
    core.narrowest = std::min(core.narrowest, topology_.links()[link].bandwidth);
  if (const auto known = between_.find(core); known != between_.end()) return &known->second;
  if (kept_ >= most) return nullptr;
  const auto number = static_cast<std::uint32_t>(between_.size());
  Between& found = between_[core];
  found.shared.number = number;
  shares_.clear();
  router_.shares_between(core.exit, core.entry, shares_);
  found.alike = comparison_.alike(router_.node_of(core.exit), shares_, core.narrowest);
  found.shared.crossings.reserve(shares_.size());
  for (const LinkShare& share : shares_) {
    found.takes_time |= topology_.links()[share.link].latency > Duration{};
    found.shared.crossings.push_back({share.link, way_of(share.fraction)});
  }
  kept_ += shares_.size();
  return &found;
}

std::string Crossings::differ(NodeId from, NodeId to) const {
  return fmt::format("the paths from {} to {} differ in latency or bandwidth",
                     topology_.node_name(from), topology_.node_name(to));
}

std::string Crossings::has_none(NodeId from, NodeId to, const char* what) const {
  return fmt::format("from {} to {} there is no {}", topology_.node_name(from),
                     topology_.node_name(to), what);
}

std::string Crossings::find(NodeId from, NodeId to, FlowCrossings& found) {
  const bool takes_all = takes_all_paths(router_.policy());
  bool takes_time = false;
  const auto add = [&](LinkIndex link, double share) {
    takes_time |= topology_.links()[link].latency > Duration{};
    found.own.push_back({link, way_of(share)});
  };
  const auto ends = takes_all ? router_.common_ends(from, to) : std::nullopt;
  if (const Between* middle = ends ? between(*ends) : nullptr) {
    if (!middle->alike) return differ(from, to);
    for (const LinkIndex link : std::span(ends->links).first(ends->count)) add(link, 1);
    found.shared = &middle->shared;
    return takes_time || middle->takes_time ? "" : has_none(from, to, "latency");
  }
  if (takes_all) {
    shares_.clear();
    router_.shares(from, to, shares_);
    if (!comparison_.alike(from, shares_)) return differ(from, to);
    for (const LinkShare& share : shares_) add(share.link, share.fraction);
  } else {
    path_.clear();
    router_.path(from, to, 0, path_);
    for (const LinkIndex link : path_) add(link, 1);
  }
  if (found.own.empty()) return has_none(from, to, "path");
  return takes_time ? "" : has_none(from, to, "latency");
}

}  // namespace orrery::fluid
